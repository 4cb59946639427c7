"""The page while its server ends and starts again: what is wrong is said, and a Retry goes on."""

import clockless
from browsing import launched, needed
from playing import free_port, served

needed()


def settled(page):
    page.wait_for_selector("main[aria-busy='false']", state="attached")


def test_a_page_outlives_its_server():
    port = free_port()
    with launched() as browser:
        page = browser.new_page()
        page.set_default_timeout(1000 * clockless.GUARD)
        with served(port=port):
            page.goto(f"http://127.0.0.1:{port}/")
            settled(page)
        page.select_option("#example", "xor")
        page.wait_for_selector("#retry")
        told = "The playground does not answer. Is `rosenblatt play` still running?"
        assert page.inner_text("#problem").startswith(told)
        page.click("#retry")  # and still it does not
        page.wait_for_selector("#retry")
        with served(port=port):
            page.click("#retry")
            clockless.until(lambda: page.is_enabled("#next"))
            settled(page)
            assert page.is_hidden("#problem")
            assert page.inner_text("#caption") == "4 steps in 1 pass."


def test_a_page_that_is_opened_while_its_server_is_busy_says_so():
    port = free_port()
    with launched() as browser, served(port=port):
        page = browser.new_page()
        page.set_default_timeout(1000 * clockless.GUARD)
        page.route("**/api/examples", lambda route: route.fulfill(status=503, body="{}"))
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_selector("#retry")
        assert page.inner_text("#problem").startswith("The playground has too many requests at once.")
        page.unroute("**/api/examples")
        page.click("#retry")
        settled(page)
        assert page.is_enabled("#next")
