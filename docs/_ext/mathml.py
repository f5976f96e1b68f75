"""Equations as MathML, which browsers draw themselves: the pages need neither JavaScript nor a network for them."""

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    """Write an equation within a line."""
    translator.body.append(tex2mathml(node.astext(), as_block=False))
    raise nodes.SkipNode


def visit_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write an equation on lines of its own, which scrolls where the window is narrower than it."""
    equation = tex2mathml(node.astext(), as_block=True)
    translator.body.append(f'<div class="math-scroll">{equation}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer, for ``html_math_renderer = "mathml"``."""
    app.add_html_math_renderer("mathml", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
