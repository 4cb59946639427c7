"""A real browser for tests: Chromium, where it is installed."""

import contextlib
import os
import shutil

import pytest

#: Chromium as the systems call it.
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync")  # fmt: skip


def executable():
    """Where the browser is: $ROSENBLATT_BROWSER, or on the path; None: there is none."""
    return os.environ.get("ROSENBLATT_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)


def needed(module=True):
    """Skip the tests of the module (or the test) that calls this where there is no browser, and say what to install."""
    if executable() is None:
        told = "no browser is installed: apt install chromium (Debian), or set ROSENBLATT_BROWSER to a Chromium"
        pytest.skip(told, allow_module_level=module)
    pytest.importorskip("playwright.sync_api", reason="no playwright: pip install 'rosenblatt[test]'")


@contextlib.contextmanager
def launched():
    """A browser without a window."""
    from playwright import sync_api

    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=[*FLAGS])
        try:
            yield browser
        finally:
            browser.close()
