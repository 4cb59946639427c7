"""Take the pictures of the playground that the docs show, light and dark: ``python scripts/playground_picture.py``.

It needs Chromium, as the tests of the page do, and uses what they use.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT / "tests"))

import browsing  # noqa: E402
import playing  # noqa: E402


def main() -> None:
    """Four points, five steps on."""
    with playing.served() as port, browsing.launched() as browser:
        for scheme, name in (("light", "playground.png"), ("dark", "playground-dark.png")):
            page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme=scheme)
            page.goto(f"http://127.0.0.1:{port}/")
            page.get_by_label("Example").select_option(label="Four points")
            page.get_by_text("4 rows, from w = (0, 0)").wait_for()  # the run is there
            page.evaluate("document.activeElement.blur()")
            for _ in range(5):
                page.keyboard.press("n")
            page.get_by_text("Step 5", exact=True).wait_for()
            page.evaluate("document.fonts.ready")
            page.screenshot(path=IMAGES / name)


if __name__ == "__main__":
    main()
