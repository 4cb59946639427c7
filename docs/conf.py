"""How Sphinx builds the site: ``make docs``."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.ext.napoleon import NumpyDocstring
from sphinx.util import logging

import rosenblatt

logger = logging.getLogger(__name__)

project = "rosenblatt"
author = "The rosenblatt developers"
version = release = rosenblatt.__version__
project_copyright = "the rosenblatt developers. BSD-3-Clause"

#: autodoc imports a module by the name that it is documented under; `rb.rules` lies elsewhere.
sys.modules["rosenblatt.rules"] = rosenblatt.rules

#: A property is described in sentences; napoleon would take what stands before a colon for its type.
NumpyDocstring._parse_attribute_docstring = NumpyDocstring._consume_to_end

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
]
templates_path = ["_templates"]
exclude_patterns = ["_templates"]
default_role = "code"
nitpicky = True

myst_enable_extensions = ["attrs_block", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_html_meta = {"description": "The perceptron family for Python: fast, exact, and honest about whether it converged"}

autosummary_generate = ["reference/python.md"]
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"  # the docstrings say them in words
autodoc_default_options = {"members": True, "inherited-members": True, "member-order": "alphabetical"}
napoleon_google_docstring = False
napoleon_custom_sections = [("Attributes", "params_style")]
napoleon_use_rtype = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "rosenblatt"
ICON = "../src/rosenblatt/playground/page/icon.svg"
html_favicon = ICON
html_static_path = ["_static", ICON]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
html_sidebars = {"index": [], "contributing": [], "changelog": []}
html_context = {"default_mode": "auto"}
html_theme_options: dict[str, Any] = {
    "logo": {"text": "rosenblatt", "image_light": ICON, "image_dark": ICON, "alt_text": ""},
    "navbar_center": ["navbar-nav", "playground-link"],
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "show_prev_next": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": ["project-links"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def mathml(translator: Any, node: nodes.math | nodes.math_block, as_block: bool) -> None:
    """Formulas as MathML, which every browser draws by itself: no script, no font, nothing to fetch, read aloud."""
    code = re.sub(r"\s+", " ", node.astext())
    try:
        translator.body.append(latex2mathml.tex2mathml(code, as_block=as_block))
    except MathError as error:
        logger.warning("the formula %s: %s", code, error, location=node)
    raise nodes.SkipNode


def of_other_packages(app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what a class has from scikit-learn or Python: its own documentation says it."""
    home = getattr(getattr(member, "fget", member), "__module__", None) or "rosenblatt"
    return None if home.startswith("rosenblatt") else True


def true_signature(app: Sphinx, what: str, name: str, member: Any, options: Any, *given: Any) -> tuple[str, str] | None:
    """The parameters of an estimator by name, as ``inspect`` tells them; autodoc sees ``**parameters``."""
    if what != "class" or not member.__module__.startswith("rosenblatt.estimators"):
        return None
    bare = [each.replace(annotation=each.empty) for each in inspect.signature(member).parameters.values()]
    return str(inspect.Signature(bare)), ""


def without_empty_ends(app: Sphinx, doctree: nodes.document) -> None:
    """Code without the empty line that ends a session of Python for doctest."""
    for block in doctree.findall(nodes.literal_block):
        if block.rawsource == block.astext():  # else it is highlighted already
            block.rawsource = block.rawsource.rstrip()
            block[:] = [nodes.Text(block.rawsource)]


def types_are_words(app: Sphinx, doctree: nodes.document) -> None:
    """Types of parameters are said in words, which link to nothing that happens to be called the same."""
    for field in list(doctree.findall(nodes.field)):
        for link in list(field.findall(pending_xref)):
            if link.get("refdomain") == "py":
                link.replace_self(link.children)


def no_page_of_the_native_core(app: Sphinx) -> list[Any]:
    """Its source is C++, of which viewcode makes no page but to which it would link."""
    getattr(app.env, "_viewcode_modules", {}).pop("rosenblatt._native", None)
    return []


def setup(app: Sphinx) -> None:
    """Register the above."""
    app.add_html_math_renderer(
        "mathml",
        (lambda translator, node: mathml(translator, node, False), None),
        (lambda translator, node: mathml(translator, node, True), None),
    )
    app.connect("autodoc-skip-member", of_other_packages)
    app.connect("autodoc-process-signature", true_signature)
    app.connect("doctree-read", types_are_words)
    app.connect("doctree-read", without_empty_ends)
    app.connect("html-collect-pages", no_page_of_the_native_core, priority=400)
