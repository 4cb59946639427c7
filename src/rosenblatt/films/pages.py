"""A film as an HTML page that stands alone."""

from __future__ import annotations

import html
import json
from importlib import resources

from .storyboard import Storyboard


def to_html(story: Storyboard) -> str:
    """The page: it loads nothing."""
    page = resources.files(__package__).joinpath("page")
    record = json.dumps(story.record(), allow_nan=False)
    for sign, code in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")):  # so that no text ends the script
        record = record.replace(sign, code)
    parts = {
        "style": page.joinpath("page.css").read_text(encoding="utf-8"),
        "script": page.joinpath("page.js").read_text(encoding="utf-8"),
        "record": record,
        "title": html.escape(story.title),
    }
    template = page.joinpath("page.html").read_text(encoding="utf-8")
    first, *rest = template.split("@@")  # text between the marks is never looked at again
    return first + "".join(parts[piece] if i % 2 == 0 else piece for i, piece in enumerate(rest))
