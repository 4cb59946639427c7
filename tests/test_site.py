"""The built site in a real browser: whole at every size, light and dark, without an error and without the network."""

import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import browsing
import pytest

SITE = Path(__file__).parent.parent / "build" / "site"
SIZES = {"desktop": (1440, 900), "projector": (1024, 768), "phone": (390, 844)}

pytestmark = pytest.mark.slow


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *told):
        pass


@pytest.fixture(scope="module")
def address():
    if not (SITE / "index.html").exists():
        pytest.skip("the site is not built: make docs")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser():
    browsing.needed(module=False)
    with browsing.launched() as launched:
        yield launched


def pages():
    """Every page but listings of source code and the playground, which has tests of its own."""
    paths = (path.relative_to(SITE).as_posix() for path in sorted(SITE.rglob("*.html")))
    return [path for path in paths if not path.startswith(("_", "playground/"))]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_whole_and_quiet(browser, address, scheme):
    page = browser.new_page(color_scheme=scheme)
    faults = []
    page.on("console", lambda told: faults.append(told.text) if told.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda asked: faults.append(asked.url) if not asked.url.startswith((address, "data:")) else None)
    for path in pages():
        page.goto(address + path)
        for size, (width, height) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, f"{path} is {wide} pixels wider than the window of a {size}"
        assert page.evaluate("document.documentElement.dataset.theme") == scheme, path
        assert faults == [], path
    page.close()


def test_the_doors_of_the_front_page_open_by_keyboard(browser, address):
    page = browser.new_page()
    page.goto(address)
    for door in ("Get started", "Which learner?", "The proof by hand", "Benchmarks"):
        page.get_by_role("link", name=door, exact=True).first.focus()
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url: url != address)
        page.go_back()
    page.close()


def test_what_is_searched_is_found(browser, address):
    page = browser.new_page()
    page.goto(address + "search.html?q=certificate")
    page.locator("#search-results li").first.wait_for()
    assert page.get_by_role("link", name="Certificates", exact=True).count()
    page.close()


def test_formulas_are_drawn(browser, address):
    page = browser.new_page()
    page.goto(address + "explanation/convergence.html")
    boxes = page.locator("math").evaluate_all("each => each.map(math => math.getBoundingClientRect().height)")
    assert len(boxes) > 5
    assert min(boxes) > 5
    page.close()
