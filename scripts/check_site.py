"""Check the built site: every link inside it leads somewhere, and no page loads anything from elsewhere.

``python scripts/check_site.py build/site``, which ``make docs`` runs. Sphinx checks the links that it makes itself;
this reads what a browser will read, the pages beside Sphinx's included.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: What a browser fetches by itself, by element and attribute.
LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("link", "href"), ("object", "data")}


class Page(HTMLParser):
    """What a page links to, what it loads, and the places in it that a link can name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.places = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        fetched = tag != "link" or not {"canonical", "next", "prev", "search", "index"} & set(given["rel"].split())
        for name in ("href", "src", "data"):
            if given.get(name):
                self.links.add(given[name])
                if (tag, name) in LOADED and fetched:
                    self.loaded.add(given[name])


def faults(site: Path) -> list[str]:
    """What is wrong, a sentence for each."""
    files = [
        path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts
    ]  # there, templates of the theme
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in files}
    found = []
    for path, page in pages.items():
        where = path.relative_to(site).as_posix()
        found += [f"{where} loads {link} from elsewhere" for link in sorted(page.loaded) if urlsplit(link).netloc]
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                found.append(f"{where} links to {link}, which is not there")
            elif (
                target in pages and unquote(parts.fragment) not in pages[target].places and not _is_state(target, site)
            ):
                found.append(f"{where} links to {link}, and that page has no such place")
    return found


def _is_state(target: Path, site: Path) -> bool:
    """Whether what follows the # is no place: in the playground it is what to show."""
    return target.is_relative_to(site.resolve() / "playground")


def main() -> None:
    """Print what is wrong; exit with 1 if anything is."""
    site = Path(sys.argv[1]).resolve()
    found = faults(site)
    print(
        "\n".join(found)
        or f"{len(list(site.rglob('*.html')))} pages: every link leads somewhere, nothing is loaded from elsewhere"
    )
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
