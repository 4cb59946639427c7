"""Write the table of docs/reference/other-perceptrons.md from ``rosenblatt.conventions``.

``python scripts/conventions_docs.py``. A test holds it current.
"""

from __future__ import annotations

import re
from pathlib import Path

from rosenblatt import conventions

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "other-perceptrons.md"


def table() -> str:
    """One line per entry, then each entry by itself."""
    lines = ["| there | nearest here |", "|---|---|"]
    lines += [f"| [{entry.name}](#{_anchor(entry.name)}) | `{entry.here}` |" for entry in conventions.ALL]
    for entry in conventions.ALL:
        lines += ["", f"## {entry.name}", "", "| | |", "|---|---|", f"| there | {entry.there} |"]
        lines += [f"| here | `{entry.here}` |"]
        names = ("ties", "bias", "order", "averaging", "labels", "arguments", "differs", "source")
        lines += [f"| {name} | {getattr(entry, name) or 'Nothing.'} |" for name in names]
    return "\n".join(lines)


def page() -> str:
    """The page with the table as it is now."""
    parts = re.fullmatch(
        r"(.*<!-- table: .*? -->\n\n).*(\n\n<!-- end of the table -->.*)", PAGE.read_text("utf-8"), re.S
    )
    return parts[1] + table() + parts[2]


def _anchor(title: str) -> str:
    """What a heading is called in a link."""
    kept = (letter for letter in title.lower() if letter.isalnum() or letter in " -")
    return "".join(kept).replace(" ", "-")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
