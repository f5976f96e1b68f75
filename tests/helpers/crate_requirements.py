"""What Workflow RO-Crate 1.0, and RO-Crate 1.1 below it, say that a crate MUST have."""

import datetime
from urllib.parse import unquote

LANGUAGE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
WORKFLOW_TYPES = {"File", "SoftwareSourceCode", "ComputationalWorkflow"}


def is_date(text) -> bool:
    try:
        return bool(datetime.date.fromisoformat(text))
    except (TypeError, ValueError):
        return False


def references(entity) -> list[str]:
    """Return the identifiers that an entity refers to; "nested" for an object that is more than a reference."""
    values = [one for value in entity.values() for one in (value if isinstance(value, list) else [value])]
    return [one["@id"] if one.keys() == {"@id"} else "nested" for one in values if isinstance(one, dict)]


def unmet_requirements(crate, files: set[str]) -> list[str]:
    """Return the requirements that a crate does not meet. files: paths of all files in its archive."""
    graph = crate["@graph"]
    entities = {entity.get("@id"): entity for entity in graph}
    descriptor, root = entities.get("ro-crate-metadata.json", {}), entities.get("./", {})
    main = entities.get(root.get("mainEntity", {}).get("@id"), {})
    language = entities.get(main.get("programmingLanguage", {}).get("@id"), {})
    parts = [part["@id"] for part in root.get("hasPart", [])]
    data = [one for one in graph if "File" in one.get("@type", "")]
    checks = {
        # RO-Crate 1.1: structure and JSON-LD
        "metadata file in the root": "ro-crate-metadata.json" in files,
        "context": crate["@context"] == "https://w3id.org/ro/crate/1.1/context",
        "identifiers and types": all({"@id", "@type"} <= entity.keys() for entity in graph),
        "unique identifiers": len(entities) == len(graph),
        "flattened": all("nested" not in references(entity) for entity in graph),
        # RO-Crate 1.1: descriptor and root data entity
        "descriptor": descriptor.get("@type") == "CreativeWork" and descriptor.get("about") == {"@id": "./"},
        "type of root": root.get("@type") == "Dataset",
        "name": bool(root.get("name")),
        "description": bool(root.get("description")),
        "date": is_date(root.get("datePublished")),
        # RO-Crate 1.1: data entities
        "files are parts": {one["@id"] for one in data} == set(parts),
        "parts are files": {unquote(part) for part in parts} == files - {"ro-crate-metadata.json"},
        "paths are URIs": not any(set(part) & set(' \\"<>') or part.startswith(("/", "../")) for part in parts),
        # RO-Crate 1.1: workflows
        "name of workflow": bool(main.get("name")),
        "language": all(language.get(key) for key in ("name", "url", "version")),
        # Workflow RO-Crate 1.0
        "main workflow": main.get("@id") in parts and {*main.get("@type", [])} >= WORKFLOW_TYPES,
        "language of workflow": language.get("@id") == LANGUAGE and language.get("@type") == "ComputerLanguage",
        "license": root.get("license", {}).get("@id") in entities,
        # What these say a crate SHOULD have
        "profiles": {one["@id"] for one in descriptor.get("conformsTo", [])}
        == {"https://w3id.org/ro/crate/1.1", "https://w3id.org/workflowhub/workflow-ro-crate/1.0"},
        "README": entities.get("README.md", {}).get("about") == {"@id": "./"}
        and entities.get("README.md", {}).get("encodingFormat") == "text/markdown",
    }
    return [name for name, holds in checks.items() if not holds]
