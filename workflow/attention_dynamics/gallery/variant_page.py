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
    file of the figure and its claims, under "published" and "variant". Claims whose verdict changes come first.
    """
    sizes = {}
    for name, file in pictures.items():
        with Image.open(file) as image:
            sizes[name] = image.size
    # Both have the same claims in the same order, because a variant changes the experiment, not the claims.
    pairs = list(zip(claims["published"], claims["variant"], strict=True))
    pairs.sort(key=lambda pair: pair[0]["verdict"] == pair[1]["verdict"])
    changed = sum(published["verdict"] != variant["verdict"] for published, variant in pairs)
    return template(templates, "variant.html").render(spec=spec, sizes=sizes, pairs=pairs, changed=changed)
