"""The metadata of the archive: every requirement is met, and every one is noticed where it is not."""

import copy
import json

from attention_dynamics.gallery.bundle import ro_crate
from helpers.crate_requirements import LANGUAGE, unmet_requirements

FILES = {"Snakefile", "README.md", "figures/a 50%.png", "ro-crate-metadata.json"}


def crate():
    return json.loads(ro_crate(FILES - {"ro-crate-metadata.json"}, "2026-01-31"))


def entity(graph, name):
    return next(one for one in graph["@graph"] if one["@id"] == name)


def append_part(name):
    return lambda graph: entity(graph, "./")["hasPart"].append({"@id": name})


def change(identifier, /, **values):
    """Return a function that changes an entity of a crate; None removes a property."""

    def apply(graph):
        one = entity(graph, identifier)
        one.update({key.replace("at_", "@"): value for key, value in values.items()})
        for key in [key for key, value in one.items() if value is None]:
            del one[key]

    return apply


SPOILED = [
    ("context", lambda graph: graph.update({"@context": "https://schema.org"})),
    ("identifiers and types", change("README.md", at_type=None)),
    ("unique identifiers", lambda graph: graph["@graph"].append(copy.deepcopy(graph["@graph"][-1]))),
    ("flattened", change("Snakefile", license={"@id": "#mine", "name": "Mine"})),
    ("descriptor", change("ro-crate-metadata.json", about=None)),
    ("type of root", change("./", at_type="File")),
    ("name", change("./", name="")),
    ("description", change("./", description=None)),
    ("date", change("./", datePublished="last week")),
    ("files are parts", lambda graph: entity(graph, "./")["hasPart"].pop()),
    ("parts are files", append_part("missing.txt")),
    ("paths are URIs", append_part("figures/a b.png")),
    ("name of workflow", change("Snakefile", name=None)),
    ("language", change(LANGUAGE, version=None)),
    ("main workflow", change("Snakefile", at_type=["File", "SoftwareSourceCode"])),
    ("main workflow", change("./", mainEntity=None)),
    ("language of workflow", change("Snakefile", programmingLanguage=None)),
    ("license", change("./", license=None)),
    ("profiles", change("ro-crate-metadata.json", conformsTo=[])),
    ("README", change("README.md", about=None)),
]


def test_crate_meets_all_requirements_and_unmet_ones_are_noticed():
    assert unmet_requirements(crate(), FILES) == []
    for requirement, spoil in SPOILED:
        spoiled = crate()
        spoil(spoiled)
        assert requirement in unmet_requirements(spoiled, FILES), requirement
    assert "metadata file in the root" in unmet_requirements(crate(), FILES - {"ro-crate-metadata.json"})
