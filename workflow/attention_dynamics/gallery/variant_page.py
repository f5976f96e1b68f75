"""The page that shows the figure of a variant beside the published one. Equal inputs give equal bytes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from attention_dynamics.claims.claim_summary import Row
from attention_dynamics.gallery.pages import template


def render_variant(
    templates: Path, spec: Mapping[str, Any], pictures: Mapping[str, Path], claims: Mapping[str, Sequence[Row]]
) -> str:
    """Return the page, with links relative to the folder of the variant's picture.

    templates: the folder with the pages' templates. spec: see ``VariantJobs._variant_page``. pictures, claims: the PNG
    file of the figure and its claims, under "published" and "variant".
    """
    sizes = {}
    for name, file in pictures.items():
        with Image.open(file) as image:
            sizes[name] = image.size
    verdicts = compare_verdicts(claims["published"], claims["variant"])
    changed = sum(pair["changed"] for pair in verdicts)
    return template(templates, "variant.html").render(spec=spec, sizes=sizes, verdicts=verdicts, changed=changed)


def compare_verdicts(published: Sequence[Row], variant: Sequence[Row]) -> list[dict[str, Any]]:
    """Return a dict for each claim: its rows, "published" and "variant", and "changed": True if the verdicts differ.

    Changed claims come first. Both arguments have the same claims in the same order, because a variant changes the
    experiment, not the claims.
    """
    pairs = [
        {"published": before, "variant": after, "changed": before["verdict"] != after["verdict"]}
        for before, after in zip(published, variant, strict=True)
    ]
    return sorted(pairs, key=lambda pair: not pair["changed"])
