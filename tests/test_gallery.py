"""The gallery is what its script makes: the page as it stands, and code that draws."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import gallery  # noqa: E402

PICTURES = [make for pictures in gallery.CHAPTERS.values() for make in pictures]


def test_the_page_is_current():
    assert gallery.PAGE.read_text(encoding="utf-8") == gallery.page(), "run `make gallery`"


def test_the_pictures_are_there_and_small():
    files = {file.name: file.stat().st_size for file in gallery.FOLDER.iterdir()}
    assert set(files) == {f"{make.__name__}.png" for make in PICTURES} | {"run.gif"}
    assert sum(files.values()) < 2_000_000


@pytest.mark.parametrize("make", PICTURES, ids=lambda make: make.__name__)
def test_the_code_that_is_shown_draws(make):
    import matplotlib.pyplot as plt

    space = {"rb": gallery.rb, "np": gallery.np, "X": gallery.X, "y": gallery.y}
    exec(gallery.code_of(make), space)
    assert plt.get_fignums()
    plt.close("all")
