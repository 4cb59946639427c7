"""Lessons, predictions and the weight space in a real browser, by keyboard alone and at every size."""

import itertools
import json

import pytest
from browsing import needed
from test_lessons import FOLDER, OWN, SCENES, scene
from test_playground_browser import address, browser, load, open_page, pages, settled, state, until, usual_page

__all__ = ["address", "browser", "open_page", "pages", "usual_page"]  # fixtures

needed()

SIZES = {"desktop": (1440, 900), "projector": (1024, 768), "phone": (390, 844)}


def view(page, name):
    """Turn a view on, or off."""
    page.click("#views summary")
    page.click(f"#{name}")


def at_scene(page, number):
    """Wait until this scene of the lesson is shown with its run."""
    page.wait_for_selector(f"#lesson-title span:text-is('{number}')")
    settled(page)


def walk(page, name):
    """Through a lesson with the Enter key, and out of it."""
    count = len(OWN[name]["scenes"])
    for at in range(count):
        at_scene(page, f"{at + 1} of {count}")
        told = scene(name, at)
        assert page.locator("#lesson-text").text_content() == told["text"]
        assert state(page)["step"] == told["step"]
        assert len(state(page)["points"]) == len(told["points"])
        if "certificate" in told["show"]:
            page.wait_for_selector("#answer strong")
        if "weights" in told["show"]:
            page.wait_for_selector(".curves svg")
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0
        for part in ("lesson-text", "scene-next"):
            box = page.locator(f"#{part}").bounding_box()
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= page.viewport_size["height"]
        assert page.evaluate("document.activeElement.id") == "scene-next"
        page.keyboard.press("Enter")
    page.wait_for_selector("#lesson", state="hidden")


@pytest.mark.parametrize(
    ("name", "size", "scheme"),
    [("why-it-must-end", "projector", "light"), ("xor", "phone", "dark"), ("one-mistake", "desktop", "light")],
)
def test_a_lesson_by_keyboard_alone(open_page, name, size, scheme):
    width, height = SIZES[size]
    page = open_page(f"#lesson={name}", width=width, height=height, color_scheme=scheme)
    walk(page, name)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "scheme"), itertools.product(SIZES, ["light", "dark"]))
def test_every_lesson_at_every_size(open_page, size, scheme):
    width, height = SIZES[size]
    for name in OWN:
        page = open_page(f"#lesson={name}", width=width, height=height, color_scheme=scheme)
        walk(page, name)


def test_a_lesson_is_chosen_played_with_restored_and_linked(open_page):
    page = open_page()
    page.click("#lessons")
    page.wait_for_selector(".lessons button")
    assert page.locator(".lessons button").all_text_contents() == [
        OWN[name]["title"] for name in ("one-mistake", "why-it-must-end", "a-narrow-margin", "xor", "a-kernel",
                                        "averaging", "when-it-cannot-be-done", "words")
    ]  # fmt: skip
    page.click("[data-lesson=one-mistake]")
    at_scene(page, "1 of 6")
    page.keyboard.press("PageDown")
    at_scene(page, "2 of 6")
    assert page.url.endswith("#lesson=one-mistake&scene=2")
    assert page.locator("#scene-restore").is_disabled()
    page.keyboard.press("n")
    until(page, "page.state.step === 2")
    page.click("#scene-restore")
    until(page, "page.state.step === 1")
    settled(page)
    assert page.locator("#scene-restore").is_disabled()
    page.go_back()
    at_scene(page, "1 of 6")
    page.go_forward()
    at_scene(page, "2 of 6")
    for _ in range(3):
        page.keyboard.press("PageDown")  # faster than answers come
    at_scene(page, "5 of 6")
    page.keyboard.press("PageUp")
    at_scene(page, "4 of 6")
    page.click("#scene-leave")
    page.wait_for_selector("#lesson", state="hidden")
    assert len(state(page)["points"]) == 3


def test_a_lesson_of_ones_own(open_page, tmp_path):
    own = {
        "title": "<b>Mine</b>",
        "scenes": [{"text": "{points} points", "example": "xor"}, {"text": "{M} mistakes", "step": "end"}],
    }
    (tmp_path / "mine.json").write_text(json.dumps(own), "utf-8")
    page = open_page()
    page.click("#lessons")
    page.set_input_files("#lesson-file", tmp_path / "mine.json")
    at_scene(page, "1 of 2")
    assert page.locator("#lesson-title").text_content() == "<b>Mine</b> 1 of 2"
    page.keyboard.press("Enter")
    at_scene(page, "2 of 2")
    assert page.locator("#lesson-text").text_content() == "4 mistakes"
    again = open_page(page.url[page.url.index("#") :], new=True)
    at_scene(again, "2 of 2")
    assert again.locator("#lesson-text").text_content() == "4 mistakes"
    again.click("#scene-leave")
    again.click("#lessons")
    again.click("#lesson-write")
    written = json.loads(again.locator("#dialog textarea").input_value())
    assert written["scenes"][0]["points"] == state(again)["points"]


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ("https://example.org/a.json", "A lesson must come from where the page does: save https://example.org/a.json"),
        ("~bm8", "The lesson is no JSON: "),
        ("~%%%", "The link holds no lesson that can be read."),
        ("~e30", "a lesson must have a title"),
        ("xor&scene=9", "the lesson has scenes 1 to 5; there is no scene 9"),
    ],
)
def test_a_link_to_a_lesson_that_cannot_be_shown(open_page, link, sentence):
    page = open_page(f"#lesson={link}")
    page.wait_for_selector("#problem:not([hidden])")
    assert page.locator("#problem").text_content().startswith(sentence)
    settled(page)
    assert len(state(page)["points"]) == 16  # the first example instead


# ---- predict, then reveal ------------------------------------------------------------------------------------------


def test_predict_then_reveal(open_page):
    page = open_page()
    load(page, "four points")
    view(page, "predict")
    assert not page.locator("#numbers").is_visible()
    assert not page.locator("#table").is_visible()
    assert page.locator("#plane .wrong").count() == 0
    page.keyboard.press("2")  # row 0 of class +1, a tie: w + x
    assert page.locator("#question").text_content().startswith("Right. y·s = +1·0 = 0: tie, a mistake, so w + x")
    assert page.locator("#score").text_content() == "1 of 1 right"
    assert state(page)["step"] == 1
    page.keyboard.press("n")
    assert "row 1" in page.locator("#question").text_content()
    page.keyboard.press("1")
    assert (
        page.locator("#question")
        .text_content()
        .startswith("No. y·s = −1·11 = −11 < 0: wrong sign, a mistake, so w − x")
    )
    assert page.locator("#score").text_content() == "1 of 2 right"
    page.keyboard.press("n")
    page.click("#reveal-bound")
    assert page.locator("#numbers").is_visible()
    page.keyboard.press("n")  # shown without an answer
    assert page.locator("#score").text_content() == "1 of 2 right"
    page.keyboard.press("n")
    page.locator(".choice[data-choice=minus] circle").click()
    assert page.locator("#score").text_content() == "1 of 3 right"
    assert len(state(page)["points"]) == 4  # a click on an arrow places no point
    view(page, "predict")
    assert page.locator("#table").is_visible()


def test_every_answer_of_a_whole_run_is_told_by_its_trace(open_page):
    page = open_page()
    load(page, "xor")
    view(page, "predict")
    steps = page.evaluate("async () => (await import('/main.js')).page.run.steps")
    for step in steps:
        page.keyboard.press("1" if not step["moved"] else "2" if step["coef"][0] > 0 else "3")
        page.keyboard.press("n")
    assert page.locator("#score").text_content() == f"{len(steps)} of {len(steps)} right, {len(steps)} in a row"
    load(page, "three classes")
    assert page.locator(".answers button").count() == 2


# ---- weight space --------------------------------------------------------------------------------------------------


def test_the_weight_space_of_each_example(open_page):
    page = open_page()
    load(page, "four points")
    view(page, "weight-space")
    page.wait_for_selector(".curves .norm", state="attached")
    assert page.locator(".half-planes .limit:not(.of-step)").count() == 4
    page.evaluate("document.getElementById('end').click()")
    assert "w is inside" in page.locator("#weights").text_content()
    assert "M = 13: Mγ = 5.8138 ≤ u·w = 5.8138 ≤ ‖w‖ = 5.831 ≤ √M·R = 13." in page.locator("#claims").text_content()
    assert "No run can make more than 65 updates" in page.locator("#claims").text_content()
    load(page, "xor")
    page.wait_for_selector("#claims:text('No separator u exists')")
    load(page, "three classes")
    page.wait_for_selector(".curves .norm", state="attached")
    assert page.locator(".half-planes svg").count() == 0
    load(page, "narrow margin")
    page.wait_for_selector("#where-they-meet")
    assert page.locator(".curves .meet").count() == 0
    page.click("#where-they-meet")
    assert page.locator("circle.meet").count() == 1
    assert "b = " in page.locator("#weights").text_content()


def test_a_link_brings_the_views_back(open_page):
    page = open_page()
    load(page, "four points")
    view(page, "weight-space")
    view(page, "predict")
    page.click("#share")
    link = page.locator("#dialog textarea").input_value()
    again = open_page(link[link.index("#") :], new=True)
    again.wait_for_selector(".half-planes svg")
    assert again.locator("#question").is_visible()
    assert again.locator("#weight-space").get_attribute("aria-pressed") == "true"
    assert again.locator("#race-view").get_attribute("aria-pressed") == "false"


# ---- generated points, and a race ------------------------------------------------------------------------------------


def test_points_are_generated_and_others_held_out(open_page):
    page = open_page()
    view(page, "generate")
    until(page, "page.state.generate?.n === 40 && page.state.points.length === 40")
    page.fill("#generate-noise", "0.4")
    page.keyboard.press("Enter")
    until(page, "page.state.generate?.noise === 0.4")
    settled(page)
    page.evaluate("document.getElementById('end').click()")
    page.wait_for_selector("#held-out:text('are wrong')")
    shown = page.locator("#held-out").text_content()
    page.fill("#generate-n", "3")
    page.keyboard.press("Enter")
    page.wait_for_selector(
        "#generator .wrong:text('n of generated points must be a whole number from 4 to 100, got 3')"
    )
    until(page, "location.hash.length > 100")
    again = open_page(page.url[page.url.index("#") :], new=True)
    again.evaluate("document.getElementById('end').click()")
    again.wait_for_selector(f"#held-out:text-is('{shown}')")
    load(page, "xor")
    assert not page.locator("#held-out").is_visible()


def test_a_race_on_one_slider(open_page):
    page = open_page()
    view(page, "race-view")
    page.wait_for_selector("#race-chart svg")
    page.keyboard.press("e")
    page.wait_for_selector(".lane-2 .tally:has-text('separated')")
    assert page.locator("#race .boundary").count() == 3
    tallies = page.locator(".tally").all_text_contents()
    assert tallies[0] == "6 mistakes · wrong: 0 of 16 · separated after 2 passes"
    page.click("#add-lane")
    page.select_option("[aria-label='Space of learner 4']", "rbf")
    page.wait_for_selector("#race .boundary.lane-3", state="attached")
    assert page.locator("#add-lane").is_disabled()
    page.select_option("[aria-label='Readout of learner 1']", "voted")
    page.wait_for_selector("#race-caption:text('a vote needs the history of a run')")
    page.select_option("[aria-label='Readout of learner 1']", "pocket")
    page.wait_for_selector("#race .boundary.lane-0", state="attached")
    page.keyboard.press("b")
    load(page, "xor")
    page.wait_for_selector(".tally:has-text('of 4')")
    view(page, "race-view")
    assert page.locator("#plane").is_visible()


# ---- text, and the lift ----------------------------------------------------------------------------------------------


def test_phrases_are_written_and_a_sentence_is_read(open_page):
    page = open_page()
    page.select_option("#set-space", "rbf")  # where words have no weights: it goes back to linear
    settled(page)
    view(page, "text-view")
    page.wait_for_selector("#shares :text('A tie: it says neg')")
    page.check("#phrase-pairs")
    page.wait_for_selector("#shares :text('It says pos, with a score of 1.')")
    assert page.locator("#shares tbody th").all_text_contents() == ["bad", "not", "not bad"]
    page.fill("#sentence", "what a good day")
    page.wait_for_selector("#shares :text('In none of the phrases, so without a weight: day, what.')")
    page.focus("#phrases")
    page.keyboard.press("Control+End")
    page.keyboard.type("\nwhat a good day, neg")
    page.wait_for_selector("#shares :text('It says neg')")
    assert state(page)["captions"][-1] == "what a good day"
    assert page.evaluate("document.activeElement.id") == "phrases"
    page.keyboard.type(" or, pos")
    page.wait_for_selector("#live-text .wrong:text('line 5: 3 cells, but the first line has 2')")
    view(page, "text-view")
    assert not page.locator("#live-text").is_visible()


def test_circles_are_lifted_and_cut(open_page):
    page = open_page()
    load(page, "circles")
    view(page, "lift-view")
    page.wait_for_selector("#lift-picture .cutting", state="attached")
    assert page.locator("#lift-picture .mark").count() == 18
    page.click("#lift-best")
    page.wait_for_selector(
        "#lift-words:text('z = x² + y², a round paraboloid. The plane z = 2.74 cuts it: above it the model says +1')"
    )
    before = page.locator("#lift-picture .cutting").get_attribute("d")
    page.focus("#lift-picture")
    page.keyboard.press("ArrowLeft")
    assert page.locator("#lift-picture .cutting").get_attribute("d") != before
    page.fill("#lift-slider", "0.5")
    assert page.locator("#lift-picture .cutting").count() == 0
    page.click("#lift-play")
    page.wait_for_selector("#lift-picture .cutting", state="attached")
    page.select_option("#set-space", "rbf")
    page.wait_for_selector("#lift-words:text('The lift is drawn for two classes in the plane')")
    load(page, "three classes")
    page.wait_for_selector("#lift-words:text('The lift is drawn for two classes in the plane')")


def test_the_files_of_lessons_are_all_in_the_list():
    assert len(SCENES) == sum(len(json.loads(entry.read_text("utf-8"))["scenes"]) for entry in FOLDER.iterdir())
