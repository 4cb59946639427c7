"""Points and steps on the page, in a real browser: what is moved, undone and said, and which answer belongs to what."""

import re

import pytest
from browsing import needed
from test_playground_browser import (
    address,
    browser,
    choose,
    load,
    numbers,
    open_page,
    pages,
    place,
    settled,
    state,
    to_end,
    until,
    usual_page,
)

__all__ = ["address", "browser", "open_page", "pages", "usual_page"]  # fixtures

needed()

#: Calls ``meanwhile`` once, between an answer of the library and the page's taking it.
BETWEEN = """kind => {
    const asked = window.fetch;
    window.fetch = async (...request) => {
        const answer = await asked(...request);
        if (String(request[0]).endsWith(kind) && window.meanwhile) {
            const call = window.meanwhile;
            window.meanwhile = null;
            await call();
        }
        return answer;
    };
}"""
#: Counts what matches a selector whenever the picture is drawn.
WATCH = """selector => {
    window.seen = [];
    new MutationObserver(() => window.seen.push(document.querySelectorAll(selector).length))
        .observe(document.getElementById("plane"), { childList: true });
}"""


def paste(page, text):
    page.click("#paste")
    page.fill("#csv", text)
    page.click("#take")
    page.wait_for_selector("#dialog", state="hidden")
    settled(page)


def tools(page):
    return page.locator("#tools [role=radio]").all_inner_texts()


# ---- answers belong to what was asked -----------------------------------------------------------------------------


@pytest.mark.parametrize("space", ["linear", "rbf"])
def test_a_point_that_moves_at_a_step_leaves_the_step_and_the_boundary_in_place(open_page, space):
    page = open_page(new=True)
    load(page, "four points")
    choose(page, "space", space)
    for _ in range(5):
        page.keyboard.press("n")
    page.wait_for_selector("path.boundary", state="attached")
    page.evaluate(BETWEEN, "api/run")
    page.evaluate(WATCH, "path.boundary[d]:not([d=''])")
    start, middle, end = (place(page, *point) for point in ((1, -1), (1.4, -0.6), (1.8, -0.2)))
    page.evaluate(
        """([x, y]) => { window.meanwhile = () => document.getElementById("plane").dispatchEvent(
            new PointerEvent("pointermove", { clientX: x, clientY: y, bubbles: true })); }""",
        middle,
    )
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + 9, start[1] - 5)
    until(page, "window.meanwhile === null")
    page.mouse.move(*end)
    page.mouse.up()
    settled(page)
    assert state(page)["step"] == 5
    assert state(page)["points"][3] == pytest.approx([1.8, -0.2])
    seen = page.evaluate("window.seen")
    assert len(seen) > 3
    assert min(seen) == 1


def test_an_answer_to_other_settings_is_not_shown(open_page):
    page = open_page(new=True)
    load(page, "xor")
    page.evaluate("""() => { window.said = [];
        new MutationObserver(() => window.said.push(document.getElementById("problem").textContent))
            .observe(document.getElementById("problem"), { childList: true }); }""")
    choose(page, "rule", "pa")
    to_end(page)
    choose(page, "space", "rbf")
    until(page, "page.fields.has(page.state.step)")
    choose(page, "rule", "perceptron")
    until(page, "page.fields.has(page.state.step)")
    assert set(page.evaluate("window.said")) <= {""}


def test_the_end_stays_the_end_and_a_step_the_step(open_page):
    page = open_page()
    load(page, "four points")
    to_end(page)
    choose(page, "bias", True)
    assert page.locator("#next").is_disabled()
    page.click("tr[data-step='7']")
    choose(page, "rule", "pa")
    choose(page, "rule", "perceptron")
    assert state(page)["step"] == 7


# ---- undo and redo ------------------------------------------------------------------------------------------------


def test_everything_can_be_undone_and_done_again(open_page):
    page = open_page(new=True)
    page.click("#clear")
    page.mouse.click(*place(page, 1, 1))
    settled(page)
    mine = state(page)["points"]
    load(page, "circles")
    assert (page.input_value("#set-passes"), page.input_value("#example")) == ("20", "circles")
    paste(page, "width,height,label\n1,2,up\n3,-1,down")
    page.click("#clear")
    settled(page)
    assert tools(page) == ["■ down", "● up", "✕ erase"]  # their names stay
    page.keyboard.press("Control+z")
    settled(page)
    assert (state(page)["names"], state(page)["points"]) == (["width", "height"], [[1, 2], [3, -1]])
    page.keyboard.press("Control+z")
    settled(page)
    assert len(state(page)["points"]) == 18
    assert (page.input_value("#set-passes"), page.input_value("#example")) == ("20", "circles")
    page.click("#undo")
    settled(page)
    assert state(page)["points"] == mine
    assert page.input_value("#set-passes") == "100"
    page.keyboard.press("Control+y")
    settled(page)
    assert len(state(page)["points"]) == 18
    page.keyboard.press("Control+Shift+z")
    settled(page)
    assert (state(page)["names"], state(page)["classes"]) == (["width", "height"], ["down", "up"])
    page.click("#undo")
    settled(page)
    assert page.locator("#redo").is_enabled()
    page.mouse.click(*place(page, *state(page)["points"][0]))  # which moves nothing
    settled(page)
    assert page.locator("#redo").is_enabled()
    page.mouse.click(*place(page, 0, 0))
    settled(page)
    assert page.locator("#redo").is_disabled()


def test_a_table_of_one_class_is_no_dead_end(open_page):
    page = open_page()
    paste(page, "x,y,label\n1,2,up\n3,-1,up")
    assert tools(page) == ["■ other", "● up", "✕ erase"]
    assert page.locator("#hint").inner_text() == "Place points of another class too."
    page.click("[data-tool='0']")
    page.mouse.click(*place(page, 1, 0))
    settled(page)
    assert page.evaluate("async () => (await import('/main.js')).page.run.classes") == ["other", "up"]
    page.click("#paste")
    page.fill("#csv", "text,label\na good film,pos\na fine film,pos")
    page.click("#take")
    until(page, "document.querySelector('#dialog p.wrong').textContent")
    assert (
        page.locator("#dialog p.wrong").inner_text()
        == "all lines have the label 'pos': paste lines of another class too"
    )


# ---- the keyboard and those who do not see ------------------------------------------------------------------------


def test_a_click_shows_no_cross_of_the_keyboard_and_leaves_the_arrows_to_the_steps(open_page):
    page = open_page(new=True)
    page.mouse.click(*place(page, 2, 1))
    settled(page)
    assert page.locator("#plane .cross").count() == 0
    page.keyboard.press("ArrowRight")
    assert state(page)["step"] == 1
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.id") == "plane"
    assert page.locator("#plane .cross").count() == 1


def test_a_reader_hears_the_point_after_the_move(open_page):
    page = open_page(new=True)
    load(page, "four points")
    page.focus("#plane")
    page.keyboard.press("]")
    caption = page.locator("#caption")
    assert caption.inner_text().startswith("1, 3: point 0")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert re.fullmatch(r"[\d.]+, 3", caption.inner_text())
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert caption.inner_text() == "1, 3: point 0, class +1"
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    settled(page)  # the new run is there, and what was said of the point that is held stays
    moved = state(page)["points"][0]
    assert caption.inner_text() == f"1, {moved[1]:g}: point 0, class +1"
    page.keyboard.press("Enter")
    settled(page)
    assert re.fullmatch(r"\d+ steps in \d+ passes\.", caption.inner_text())


def test_keys_that_presenters_and_films_have(open_page):
    page = open_page()
    for keys, step in (
        (["ArrowRight"] * 3, 3), (["PageDown", "PageDown", "PageUp"], 1), (["End", "ArrowLeft"], 31),
        (["e", "b", "Home"], 0), (["p", "n"], 5), ([" "], 32),
    ):  # fmt: skip
        load(page, "four points")
        page.evaluate("document.activeElement.blur()")
        for key in keys:
            page.keyboard.press(key)
        assert state(page)["step"] == step, keys
        page.keyboard.press("Home")
        page.click("#next")  # a button that has the focus
        page.keyboard.press("ArrowRight")
        assert state(page)["step"] == 2, keys


# ---- what is said -------------------------------------------------------------------------------------------------


def test_a_run_that_was_stopped_says_what_is_known(open_page):
    page = open_page()
    load(page, "narrow margin")
    page.fill("#set-passes", "5")
    page.press("#set-passes", "Tab")
    settled(page)
    to_end(page)
    assert page.locator("#verdict").inner_text() == "stopped after 5 passes, though a separator exists"
    load(page, "inseparable")
    choose(page, "rule", "pa")
    to_end(page)
    assert page.locator("#verdict").inner_text() == "stopped after 20 passes, as no separator exists"


def test_fractions_are_fractions_throughout(open_page):
    page = open_page()
    load(page, "four points")
    choose(page, "exact", True)
    to_end(page)
    told = numbers(page)
    assert told["length"] == "‖w‖ = √34 ≈ 5.831, R = √13 ≈ 3.6056"
    assert told["best margin"] == "1/√34 ≤ γ ≤ √34/13"
    assert told["bound"] == "(R/γ)² = 65"
    assert told["in truth"] == "γ = 1/√5 ≈ 0.44721"
    choose(page, "readout", "averaged")
    page.click("tr[data-step='3']")
    until(page, "page.fields.has(3)")
    assert numbers(page)["averaged"] == "3 of 4 points right with w̄ = (−1/3, 1)"
