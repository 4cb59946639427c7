"""What the README and the docs show in Python is what comes out, and the files they name are there."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted(page.relative_to(ROOT).as_posix() for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))


@pytest.mark.parametrize("page", PAGES)
def test_python_blocks_run_as_shown(page):
    failed, _ = doctest.testfile(str(ROOT / page), module_relative=False, encoding="utf-8")
    assert failed == 0


@pytest.mark.parametrize("page", PAGES)
def test_every_python_block_is_run(page):
    """As a session of Python, by the test above; those of the gallery by test_gallery."""
    blocks = re.findall(r"^ *```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.S | re.M)
    if page != "docs/how-to/gallery.md":
        assert all(">>> " in block for block in blocks), page


def test_the_readme_shows_python():
    assert doctest.DocTestParser().get_examples((ROOT / "README.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text(encoding="utf-8")):
        assert link.startswith("http") or (ROOT / page).parent.joinpath(link).exists(), link


def test_make_targets_that_are_named_exist():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M))
    for page in PAGES:
        named = set(re.findall(r"\bmake ([\w-]+)", (ROOT / page).read_text(encoding="utf-8")))
        assert named <= targets | {"sure"}, page
