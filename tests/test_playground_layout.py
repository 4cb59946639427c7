"""The page at its sizes in a real browser: desktop, projector and phone, light and dark; and what the picture shows."""

import itertools
import math
import re

import clockless
import pytest
from browsing import needed
from test_playground_browser import (
    address,
    browser,
    choose,
    load,
    open_page,
    pages,
    place,
    settled,
    state,
    to_end,
    until,
    usual_page,
)

from rosenblatt.plots import style

__all__ = ["address", "browser", "open_page", "pages", "usual_page"]  # fixtures

needed()


def box(page, selector):
    return page.locator(selector).bounding_box()


def is_in_sight(page, selector):
    """Whether all of it can be seen without scrolling."""
    found, size = box(page, selector), page.viewport_size
    return (
        found["x"] >= 0 and found["y"] >= 0
        and found["x"] + found["width"] <= size["width"] + 0.5 and found["y"] + found["height"] <= size["height"] + 0.5
    )  # fmt: skip


# ---- layouts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "height"), [(1024, 768), pytest.param(1440, 900, marks=pytest.mark.slow)])
def test_the_picture_stays_where_it_is(open_page, width, height):
    page = open_page(width=width, height=height)
    load(page, "four points")
    page.mouse.move(*place(page, 1, -1))
    page.mouse.wheel(0, 600)
    before, seen = box(page, "#frame"), []
    for part in ("#plane", "#run", "#slider", "#separable", "#caption", "#formulas"):
        assert is_in_sight(page, part), part
    page.mouse.down()
    for at in ((1.5, -0.5), (2, 0.5), (1, 2), (-2, 0)):
        page.mouse.move(*place(page, *at), steps=2)
        settled(page)
        seen.append(box(page, "#frame"))
    page.mouse.up()
    page.click("#end")
    page.click("#separable")
    assert [*seen, box(page, "#frame")] == [before] * 5


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_on_a_projector_by_keys_alone(open_page, scheme):
    page = open_page(new=True, width=1024, height=768, color_scheme=scheme)
    load(page, "four points")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("f")
    for keys, step in ((["PageDown"] * 2, 2), (["PageUp"], 1), (["ArrowRight"] * 3, 4), (["ArrowLeft"], 3)):
        for key in keys:
            page.keyboard.press(key)
        assert state(page)["step"] == step
        for part in ("#plane", "#formulas", "#caption"):
            assert is_in_sight(page, part), part
        assert page.evaluate("document.documentElement.scrollHeight") <= 768
    for part in ("header", "#settings", "#tools", ".picture .transport", ".proof", ".trace"):
        assert not page.locator(part).is_visible()
    assert box(page, "#plane")["width"] * box(page, "#plane")["height"] > 0.4 * 1024 * 768
    assert page.locator("#formulas dd").first.evaluate("each => parseFloat(getComputedStyle(each).fontSize)") > 20
    page.keyboard.press("c")
    assert page.locator("#answer").is_visible()
    page.reload()
    settled(page)
    assert page.locator("body.projector").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("#run").is_visible()


@pytest.mark.parametrize("name", ["phrases, pairs", "three classes", "xor"])
def test_a_projector_shows_each_kind_of_picture_whole(open_page, name):
    page = open_page(new=True, width=1024, height=768)
    load(page, name)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("f")
    for _ in range(3):
        page.keyboard.press("PageDown")
        assert is_in_sight(page, "#plane")
        assert is_in_sight(page, "#formulas")


#: Whether the page does not scroll for some frames.
RESTS = """async () => {
    const from = scrollY;
    for (let frame = 0; frame < 6; frame++) await new Promise(requestAnimationFrame);
    return scrollY === from;
}"""


def swipe(page, start, end):
    """A finger goes down at one place, and up at another."""
    session = page.context.new_cdp_session(page)
    for share in (0, 0.2, 0.4, 0.6, 0.8, 1):
        at = {"x": start[0] + share * (end[0] - start[0]), "y": start[1] + share * (end[1] - start[1])}
        kind = "touchMove" if share else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_swipe_scrolls_a_tap_places_and_a_finger_drags(open_page):
    page = open_page(width=390, height=844, has_touch=True, is_mobile=True)
    load(page, "four points")
    frame = box(page, "#frame")
    together = box(page, "#separable")["y"] + box(page, "#separable")["height"] - frame["y"]
    assert together <= 844  # the picture and the question are on one screen
    x, y = place(page, -1, 0.5)
    swipe(page, (x, y), (x, y - 200))
    clockless.until(lambda: page.evaluate(RESTS) and page.evaluate("scrollY") > 100)
    assert len(state(page)["points"]) == 4
    page.evaluate("scrollTo(0, 0)")
    page.touchscreen.tap(*place(page, -1, -0.5))
    settled(page)
    assert state(page)["points"][4] == pytest.approx([-1, -0.5], abs=0.06)
    (x, y), (to_x, to_y) = place(page, 1, 3), place(page, 1, 2)
    scrolled = page.evaluate("scrollY")
    swipe(page, (x, y), (to_x, to_y))
    settled(page)
    assert state(page)["points"][0] == pytest.approx([1, 2], abs=0.06)
    assert page.evaluate("scrollY") == scrolled


@pytest.mark.parametrize(
    ("width", "height"), [(1366, 640), pytest.param(1024, 768, marks=pytest.mark.slow), (700, 900)]
)
def test_the_settings_can_be_opened_at_every_size(open_page, width, height):
    page = open_page(width=width, height=height)
    assert not page.locator("#set-rule").is_visible()
    page.click("#settings summary")
    assert page.locator("#set-rule").is_visible()


# ---- the picture --------------------------------------------------------------------------------------------------


def apart(one, other):
    return (
        one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
        or one["y"] + one["height"] <= other["y"] or other["y"] + other["height"] <= one["y"]
    )  # fmt: skip


def test_the_first_step_shows_its_boundary_its_arrows_and_their_letters(open_page):
    page = open_page()
    page.keyboard.press("n")
    assert page.locator("path.boundary").get_attribute("d")
    letters = page.locator("#plane .letter").all()
    assert [letter.text_content() for letter in letters] == ["new w", "− x"]
    assert all(apart(a.bounding_box(), b.bounding_box()) for a, b in itertools.combinations(letters, 2))
    frame = box(page, "#plane")
    for drawn in page.locator("#plane .head").all():  # the tips are in the picture
        tip = drawn.bounding_box()
        assert frame["y"] <= tip["y"]
        assert tip["y"] + tip["height"] <= frame["y"] + frame["height"]
    (weights, added) = (line(page, kind) for kind in ("weights", "added"))
    aside = abs(cross(minus(weights[1], weights[0]), minus(added[0], weights[0]))) / math.dist(*weights)
    assert aside > 6  # what is added does not lie under the sum


def line(page, kind):
    """The ends of an arrow, its head included."""
    return page.evaluate(
        """kind => {
            const d = document.querySelector(`.head.${kind}`).getAttribute("d").match(/-?[\\d.]+/g).map(Number);
            const line = document.querySelector(`.arrow.${kind}`);
            return [[line.x1.baseVal.value, line.y1.baseVal.value], [d[0], d[1]]]; }""",
        kind,
    )


def minus(p, q):
    return p[0] - q[0], p[1] - q[1]


def cross(p, q):
    return p[0] * q[1] - p[1] * q[0]


def test_arrows_keep_one_scale_over_a_run_and_say_it(open_page):
    page = open_page()
    load(page, "four points")
    scales = []
    for _ in range(12):
        page.keyboard.press("n")
        w = page.evaluate(
            "async () => { const { page } = await import('/main.js'), { run, state } = page;"
            " return run.moments[run.steps[state.step - 1].after].vectors[0]; }"
        )
        scales.append(math.dist(*line(page, "weights")) / math.hypot(*w[:2]))
    assert scales == pytest.approx([scales[0]] * len(scales))
    unit = math.dist(place(page, 0, 0), place(page, 1, 0))
    share = re.fullmatch(r"arrows at (0\.\d) × the scale of the axes", page.locator("#plane .aside").text_content())[1]
    assert scales[0] == pytest.approx(unit * float(share))


def test_axes_have_names(open_page):
    page = open_page()
    load(page, "four points")
    assert page.locator("#plane .axis").all_text_contents() == ["x[0]", "x[1]"]
    page.click("#paste")
    page.fill("#csv", "width,height,label\n1,2,up\n3,-1,down")
    page.click("#take")
    page.wait_for_selector("#dialog", state="hidden")
    settled(page)
    assert page.locator("#plane .axis").all_text_contents() == ["width", "height"]


def test_a_boundary_that_lies_outside_is_said(open_page):
    page = open_page()
    page.click("#paste")
    page.fill("#csv", "x,y,label\n0.1,0.1,1\n0.2,0.3,-1\n")
    page.click("#take")
    page.wait_for_selector("#dialog", state="hidden")
    settled(page)
    page.keyboard.press("n")
    told = "all of this is +1: the boundary lies outside"
    assert told in page.locator("#plane .aside").all_text_contents()
    page.keyboard.press("n")
    assert told not in page.locator("#plane .aside").all_text_contents()


def test_marks_are_those_of_plots_and_films(open_page):
    page = open_page()
    shapes = {"s": "■", "o": "●", "^": "▲", "D": "◆"}
    wanted = [shapes[marker] for marker in style.MARKERS[:4]]
    assert page.locator("#tools .shape").all_text_contents() == wanted
    load(page, "three classes")
    drawn = {
        code: page.locator(f"#plane .mark.class-{code}").first.evaluate("mark => mark.tagName") for code in range(3)
    }
    assert drawn == {0: "rect", 1: "circle", 2: "path"}


def test_a_certificate_in_the_space_of_a_kernel_follows_the_window(open_page):
    page = open_page(new=True)
    load(page, "xor")
    choose(page, "space", "rbf")
    to_end(page)
    page.click("#separable")
    page.wait_for_selector("path.edge")
    before = page.evaluate("async () => (await import('/main.js')).page.plane.window.right")
    page.set_viewport_size({"width": 1400, "height": 700})
    until(page, f"page.plane.window.right !== {before} && page.proof.window === page.plane.window")
    left, right = (place(page, x, 0.5)[0] for x in (0, 1))
    drawn = box(page, "path.boundary")
    assert left < drawn["x"] + drawn["width"] / 2 < right
    assert drawn["width"] > 0.5 * (right - left)
