"""Animations: the numbers are the trace's, the page stands alone and works in a browser, films are written whole."""

import contextlib
import html
import json
import re
import shutil

import browsing
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from PIL import Image

import rosenblatt as rb
from rosenblatt.films.course import Course
from rosenblatt.films.storyboard import DIGITS, FINEST, GRID
from rosenblatt.plots.history import History

mpl.use("Agg")

X, y = np.array([[1, 3], [2, 3], [-3, 1], [1, -1]]), np.array([1, -1, 1, -1])
CORNERS, XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([-1, 1, 1, -1])
LOPSIDED = np.array([[0, 0], [0, 2], [1, 0.5], [3, 1]])  # looks the same from no other side
PAIRS = pd.DataFrame(
    [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [1, 0, 1, 1, 0], [0, 1, 1, 0, 1]],
    columns=["good", "bad", "not", "not good", "not bad"],
)
#: Labels that would end a script or begin a tag.
NASTY = ['</script><script>alert("1")</script>', "<b>&amp;", "c'd\u2028"]


@pytest.fixture(scope="module")
def run():
    return rb.trace(rb.Perceptron(fit_intercept=False, shuffle=False), X, y, exact=True, separator=(-2, 1))


@pytest.fixture(scope="module")
def three():
    rng = np.random.default_rng(0)
    rows = 0.7 * rng.normal(size=(30, 2)) + np.repeat([[0, 0], [2.6, 1.4], [-1, 2.9]], 10, axis=0)
    return rb.trace(rb.Perceptron(random_state=0, max_iter=3, tol=None), rows, np.repeat(NASTY, 10))


def numbers(frame):
    return dict(frame["numbers"])


def record(animation):
    """The record as a browser reads it out of the page."""
    found = re.search(r'<script type="application/json" id="record">(.*?)</script>', animation.to_html(), re.DOTALL)
    return json.loads(found[1])


# ---- the record --------------------------------------------------------------------------------------------------


def test_every_step_has_its_numbers(run):
    told = record(run.animate())
    assert len(told["frames"]) == 33 == run.animate().n_frames
    start, *frames = told["frames"]
    assert numbers(start)["w"] == "(0, 0)"
    made = np.cumsum([step.mistakes for step in run])
    for frame, step, mistakes in zip(frames, run, made):
        shown = numbers(frame)
        assert shown["step"] == f"{step.number} of 32, pass {step.pass_number}"
        assert shown["example"] == f"row {step.row}, x = {step.x}, y = {step.y}".replace("-", "−")
        assert shown["score"] == f"s = {step.score}: {step.why or 'right'}".replace("-", "−")
        assert shown["w"] == str(step.w).replace("-", "−")
        assert shown["update"] == (("w ← w + x" if step.y > 0 else "w ← w − x") if step.moved else "none")
        assert shown["mistakes"] == f"{mistakes} so far"
        assert shown["updates"].endswith(", at most 65")
        assert "b" not in shown
        assert told["states"][frame["state"]]["vectors"] == [[0, 0, 0], [*step.w, 0]]
        scores = X @ step.w
        assert told["states"][frame["state"]]["wrong"] == np.flatnonzero((scores > 0) != (y > 0)).tolist()
    assert numbers(frames[-1])["best margin"] == "0.17149 ≤ γ* ≤ 0.44854"
    assert told["proved"] == run.proved


def test_updates_alone_and_beginnings(run):
    updates = record(run.animate(steps="updates"))
    assert [numbers(frame)["step"].split()[0] for frame in updates["frames"]] == [
        "0",
        *(str(step.number) for step in run.updates()),
    ]
    beginning = record(run[:8].animate())
    assert beginning["proved"] == []  # it has not ended yet
    assert beginning["title"] == "Perceptron: 4 rows, the beginning"
    assert record(run.animate(title="Four points"))["title"] == "Four points"


def test_several_classes_move_the_right_and_a_wrong_one(three):
    told = record(three.animate())
    assert told["classes"] == sorted(NASTY)
    for frame, step in zip(told["frames"][1:], three):
        vectors = told["states"][frame["state"]]["vectors"]
        assert np.allclose(vectors, np.column_stack((step.w, step.b)), rtol=1e-8)
        moved = [name for name, a in zip(sorted(NASTY), step.coef) if a]
        assert [part.rpartition(": w ← w")[0] for part in numbers(frame)["update"].split("; ")] == (moved or [""])


def decoded(text):
    """Scores of a grid as the page reads them, the largest 1."""
    codes = [64 * DIGITS.index(a) + DIGITS.index(b) - FINEST for a, b in zip(text[::2], text[1::2])]
    return (np.array(codes) / FINEST) ** 3


def test_regions_of_a_kernel_are_its_predictions():
    est = rb.KernelPerceptron(kernel="rbf", gamma=1.0, shuffle=False)
    told = record(rb.trace(est, LOPSIDED, XOR).animate())
    assert told["picture"] == "regions"
    sides = [np.linspace(low, high, GRID) for low, high in zip(told["low"], told["high"])]
    places = np.array([(a, b) for b in sides[1] for a in sides[0]])
    scores = est.fit(LOPSIDED, XOR).decision_function(places)
    (lead,) = map(decoded, told["states"][-1]["leads"])
    clear = np.abs(scores) > 1e-12
    assert np.array_equal(np.sign(lead)[clear], np.sign(scores)[clear])
    assert np.allclose(lead, scores / np.abs(scores).max(), rtol=0.02, atol=1e-8)  # where lines between them are drawn
    assert numbers(told["frames"][2])["update"] == "α[1] ← α[1] + 1"
    assert not decoded(told["states"][0]["leads"][0]).any()  # zero weights say the first class everywhere


def test_regions_of_several_classes_are_their_leads():
    est = rb.KernelPerceptron(kernel="poly", degree=2, gamma=1.0, shuffle=False, max_iter=20)
    told = record(rb.trace(est, LOPSIDED, [0, 1, 2, 1]).animate())
    leads = np.array([decoded(text) for text in told["states"][-1]["leads"]])
    assert ((leads > 0).sum(axis=0) <= 1).all()
    sides = [np.linspace(low, high, GRID) for low, high in zip(told["low"], told["high"])]
    places = np.array([(a, b) for b in sides[1] for a in sides[0]])
    clear = leads.max(axis=0) > 0
    assert np.array_equal(leads.argmax(axis=0)[clear], est.fit(LOPSIDED, [0, 1, 2, 1]).predict(places)[clear])


@pytest.mark.parametrize(
    ("estimator", "n_classes"),
    [
        (rb.Perceptron(random_state=0, max_iter=4, tol=None), 2),
        (rb.Perceptron(random_state=0, max_iter=4, tol=None, fit_intercept=False), 3),
        (rb.Perceptron(random_state=0, max_iter=4, tol=None, multiclass="ovr"), 3),
        (rb.KernelPerceptron(kernel="rbf", gamma=0.5, random_state=0, max_iter=4), 2),
        (rb.KernelPerceptron(kernel=lambda A, B: (A @ B.T + 1) ** 2, random_state=0, max_iter=4), 3),
    ],
)
def test_plain_python_says_of_a_run_what_arrays_say(estimator, n_classes):
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(24, 2)) + 2.5 * np.repeat(rng.normal(size=(n_classes, 2)), 24 // n_classes, axis=0)
    run = rb.trace(estimator, rows, np.repeat(range(n_classes), 24 // n_classes))
    course, arrays = Course(run), History.of(run)
    assert np.allclose(course.own, arrays.scores(arrays.own), rtol=1e-9, atol=1e-12)
    assert np.allclose(course.lower, arrays.lower, rtol=1e-9)
    assert np.allclose(course.upper, arrays.upper, rtol=1e-9)
    places = rng.normal(size=(7, 2))
    found = list(course.over(places.tolist()))
    assert np.allclose(found, arrays.scores(arrays.image(places)), rtol=1e-9, atol=1e-12)


def test_eight_classes_have_eight_colours():
    rng = np.random.default_rng(1)
    told = record(rb.trace(rb.Perceptron(max_iter=2, tol=None), rng.normal(size=(16, 2)), [*range(8)] * 2).animate())
    assert len(set(told["colours"])) == 8


def test_many_features_are_bars():
    run = rb.trace(rb.Perceptron(shuffle=False), PAIRS, ["pos", "neg", "neg", "pos"], exact=True)
    told = record(run.animate())
    assert told["picture"] == "weights"
    assert told["names"] == list(PAIRS.columns)
    assert told["states"][-1]["vectors"][1] == [*run[-1].w, run[-1].b]
    assert numbers(told["frames"][3])["update"] == "w ← w − x, b ← b − 1"


def test_what_cannot_be_animated_is_refused_in_a_sentence(run):
    for make, sentence in (
        (lambda: run.animate(steps="some"), "steps must be 'updates', 'all' or None, got 'some'"),
        (lambda: run[4:].animate(), "leaves out steps before step 5 that moved the weights"),
        (
            lambda: rb.trace(rb.PassiveAggressiveRegressor(max_iter=1), X, y).animate(),
            "a regression has no classes",
        ),
        (
            lambda: rb.trace(rb.KernelPerceptron(shuffle=False), PAIRS, XOR).animate(),
            "drawn over two features, and here are 5; trace it on two of them",
        ),
        (
            lambda: rb.trace(rb.KernelPerceptron(kernel="precomputed", shuffle=False), X @ X.T, y).animate(),
            "a precomputed kernel has no",
        ),
        (
            lambda: rb.trace(rb.Perceptron(max_iter=1, tol=None), PAIRS, [0, 1, 2, 1]).animate(),
            "weights of at most 40 between two classes; here are 5 features and 3 classes",
        ),
        (
            lambda: rb.trace(rb.Perceptron(max_iter=600, tol=None), CORNERS, XOR).animate(steps="all"),
            "2,400 frames would be too long, 2,000 can be shown: animate the beginning, .*, or the updates alone",
        ),
    ):
        with pytest.raises(ValueError, match=sentence):
            make()


# ---- files -------------------------------------------------------------------------------------------------------


def test_the_page_stands_alone_and_holds_no_tag_of_the_data(three):
    page = three.animate(title=NASTY[0]).to_html()
    assert page.count("</script>") == 2
    assert page.count("<script") == 2
    assert html.escape(NASTY[0]) in page
    addresses = set(re.findall(r"https?://[^\s\"']+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, and not loaded
    assert "default-src 'none'" in page
    assert not re.search(r"\b(src|href)=", page)


def test_in_a_notebook_it_is_a_frame_of_its_own(run):
    animation = run.animate()
    shown = animation._repr_html_()
    srcdoc = re.fullmatch(
        r'<iframe srcdoc="([^"]*)" sandbox="allow-scripts" title="[^"]*" style="[^"]*"></iframe>', shown
    )
    assert html.unescape(srcdoc[1]) == animation.to_html()


def test_files(run, tmp_path):
    before = plt.get_fignums()  # of whatever ran here
    animation = run[:6].animate(steps="updates")
    animation.save(tmp_path / "run.html")
    assert (tmp_path / "run.html").read_text(encoding="utf-8") == animation.to_html()
    (tmp_path / "run.gif").write_bytes(b"what was there")
    animation.save(str(tmp_path / "run.gif"), fps=2)
    with Image.open(tmp_path / "run.gif") as film:
        assert film.n_frames == animation.n_frames == 5
        assert film.info["duration"] == 500
        assert np.ptp(np.asarray(film.convert("L"))) > 100
    with pytest.raises(ValueError, match=r"saved as \.html, \.gif or \.mp4, got 'run\.avi'"):
        animation.save("run.avi")
    with pytest.raises(ValueError, match="fps must be a number above 0 and at most 60, got 0"):
        animation.save(tmp_path / "run.gif", fps=0)
    with pytest.raises(OSError, match="there is no such folder"):
        animation.save(tmp_path / "no" / "run.html")
    assert plt.get_fignums() == before


def test_bars_and_kernels_are_filmed_too(tmp_path):
    for run in (
        rb.trace(rb.Perceptron(shuffle=False), PAIRS, ["pos", "neg", "neg", "pos"])[:2],
        rb.trace(rb.KernelPerceptron(gamma=1.0, shuffle=False), CORNERS, XOR)[:2],
    ):
        run.animate().save(tmp_path / "run.gif")
        with Image.open(tmp_path / "run.gif") as film:
            assert film.n_frames == 3


def test_mp4_needs_ffmpeg_and_says_so(run, tmp_path, monkeypatch):
    if shutil.which("ffmpeg"):
        run[:2].animate().save(tmp_path / "run.mp4")
        assert b"ftyp" in (tmp_path / "run.mp4").read_bytes()[:16]
    import matplotlib.animation

    monkeypatch.setattr(matplotlib.animation.FFMpegWriter, "isAvailable", classmethod(lambda cls: False))
    (tmp_path / "run.mp4").write_bytes(b"what was there")
    with pytest.raises(RuntimeError, match="needs the program ffmpeg, which was not found: install it, or save"):
        run.animate().save(tmp_path / "run.mp4")
    assert (tmp_path / "run.mp4").read_bytes() == b"what was there"


# ---- in a browser ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium."""
    browsing.needed(module=False)
    with browsing.launched() as opened:
        yield opened


@contextlib.contextmanager
def opened(browser, animation, path, *, width=1100, height=760, scheme="light"):
    """The page of an animation; afterwards there must have been no error and no request but for itself."""
    animation.save(path)
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    faults, requests = [], []
    page.on("console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    yield page
    context.close()
    assert faults == []
    assert requests == [path.as_uri()]


def on_page(page, name):
    return page.locator(f'dd[data-of="{name}"]').text_content()


def test_step_by_step_in_a_browser(run, browser, tmp_path):
    with opened(browser, run.animate(), tmp_path / "run.html") as page:
        assert page.locator("#back").is_disabled()
        page.click("#next")
        page.click("#next")
        assert on_page(page, "w") == "(−1, 0)"
        assert on_page(page, "score") == "s = 11: wrong sign"
        assert page.locator("#spoken").text_content().startswith("step: 2 of 32, pass 1; example: row 1")
        line = page.locator("#picture .boundary")
        x1, x2 = (float(line.get_attribute(name)) for name in ("x1", "x2"))
        assert x1 == pytest.approx(x2, abs=0.01)  # w = (−1, 0): upright
        assert page.locator("#picture .before").count() == 1
        assert page.locator("#picture .cross").count() == 1
        page.keyboard.press("End")
        assert on_page(page, "w") == "(−5, 3)"
        assert page.locator("#proved p").all_text_contents() == run.proved
        assert page.locator("#proved").is_visible()
        page.keyboard.press("ArrowLeft")
        assert not page.locator("#proved").is_visible()
        page.keyboard.press("Home")
        assert on_page(page, "step") == "0 of 32: the start"
        page.locator("#slider").fill("25")
        assert on_page(page, "w") == "(−5, 3)"
        assert page.locator("#slider").get_attribute("aria-valuetext") == "step 25 of 32, pass 7"


def test_keys_are_those_of_the_playground(run, browser, tmp_path):
    with opened(browser, run.animate(), tmp_path / "run.html") as page:
        for key, step in (("n", 1), ("PageDown", 2), ("ArrowRight", 3), ("b", 2), ("PageUp", 1), ("ArrowLeft", 0),
                          ("p", 4), ("p", 8), ("e", 32), ("0", 0), ("End", 32), ("Home", 0)):  # fmt: skip
            page.keyboard.press(key)
            assert page.locator("#slider").input_value() == str(step), key
        page.keyboard.press("r")
        assert page.locator("#play").get_attribute("aria-label") == "Pause"
        page.keyboard.press("r")
        assert page.locator("#play").get_attribute("aria-label") == "Play"


def test_the_line_on_the_page_is_the_boundary(run, browser, tmp_path):
    with opened(browser, run.animate(), tmp_path / "run.html") as page:
        told = record(run.animate())
        for k in (1, 5, 9, 25):
            page.locator("#slider").fill(str(k))
            ends = page.evaluate(
                "() => { const l = document.querySelector('#picture .boundary');"
                " return ['x1', 'y1', 'x2', 'y2'].map((a) => Number(l.getAttribute(a))); }"
            )
            frame = page.evaluate(
                "() => { const r = document.querySelector('#picture .frame');"
                " return ['x', 'y', 'width', 'height'].map((a) => Number(r.getAttribute(a))); }"
            )
            for px, py in (ends[:2], ends[2:]):
                a = told["low"][0] + (told["high"][0] - told["low"][0]) * (px - frame[0]) / frame[2]
                b = told["high"][1] - (told["high"][1] - told["low"][1]) * (py - frame[1]) / frame[3]
                assert abs(np.dot(run[k - 1].w, (a, b))) < 1e-6


#: The regions that hold each point of the record, by their colours.
HOLDING = """() => run.points.map((point) => {
  const at = document.getElementById("picture").createSVGPoint();
  [at.x, at.y] = place(point);
  return [...document.querySelectorAll("#picture .region")].filter((part) => part.isPointInFill(at))
    .map((part) => run.colours.indexOf(part.getAttribute("fill")));
})"""


def test_points_lie_in_the_region_of_their_prediction(three, browser, tmp_path):
    kernel = rb.trace(rb.KernelPerceptron(kernel="rbf", gamma=1.0, shuffle=False), LOPSIDED, XOR)
    for run in (three, kernel):
        with opened(browser, run.animate(steps="all"), tmp_path / "run.html") as page:
            told = record(run.animate(steps="all"))
            for k in (1, 3, len(run)):
                page.locator("#slider").fill(str(k))
                wrong = set(told["states"][told["frames"][k]["state"]]["wrong"])
                held = page.evaluate(HOLDING)
                assert all(len(codes) == 1 for codes in held)
                assert {i for i, codes in enumerate(held) if codes != [told["codes"][i]]} == wrong


def test_play_and_pause(run, browser, tmp_path):
    with opened(browser, run[:4].animate(), tmp_path / "run.html") as page:
        page.select_option("#speed", "300")
        page.locator("body").click(position={"x": 5, "y": 5})
        page.keyboard.press("Space")
        assert page.locator("#play").get_attribute("aria-label") == "Pause"
        expect = pytest.importorskip("playwright.sync_api").expect
        expect(page.locator('dd[data-of="step"]')).to_have_text("4 of 4, pass 1")
        expect(page.locator("#play")).to_have_attribute("aria-label", "Play")  # it stops at the end
        page.click("#play")  # from the beginning again
        assert on_page(page, "step") == "0 of 4: the start"
        page.click("#play")
        assert page.locator("#play").get_attribute("aria-label") == "Play"


def test_labels_that_look_like_tags_are_text_on_the_page(three, browser, tmp_path):
    with opened(browser, three.animate(title=NASTY[0]), tmp_path / "run.html", scheme="dark") as page:
        assert page.locator("h1").text_content() == NASTY[0]
        assert page.locator("#legend li").all_text_contents()[:3] == sorted(NASTY)
        assert page.locator("b").count() == 0
        for _ in range(5):
            page.click("#next")
        assert page.locator("#picture .region").count() == 3
        assert page.locator("#picture .boundary").count() in (2, 3)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 27)"


def test_on_a_phone_nothing_is_cut_off(run, browser, tmp_path):
    with opened(browser, run.animate(), tmp_path / "run.html", width=360, height=740) as page:
        page.click("#next")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        for button in page.locator("button").all():
            box = button.bounding_box()
            assert min(box["width"], box["height"]) >= 44
            assert box["x"] + box["width"] <= 360


def test_kernels_and_bars_in_a_browser(browser, tmp_path):
    xor = rb.trace(rb.KernelPerceptron(kernel="rbf", gamma=1.0, shuffle=False), CORNERS, XOR)
    with opened(browser, xor.animate(), tmp_path / "run.html") as page:
        assert page.locator("#picture .region").count() == 1
        page.keyboard.press("End")
        assert page.locator("#picture .region").count() == 2
        assert page.locator("#picture .cross").count() == 0
    uneven = rb.trace(rb.KernelPerceptron(kernel="rbf", gamma=1.0, shuffle=False), LOPSIDED, XOR)
    with opened(browser, uneven.animate(), tmp_path / "run.html") as page:
        page.keyboard.press("End")
        pieces = [
            [float(v) for v in re.findall(r"[\d.]+", piece)]
            for piece in page.locator("#picture .boundary").get_attribute("d")[1:].split("M")
        ]
        slanted = sum(abs(x1 - x2) > 0.05 < abs(y1 - y2) for x1, y1, x2, y2 in pieces)
        assert slanted > 0.9 * len(pieces)  # lines, and no stairs
    words = rb.trace(rb.Perceptron(shuffle=False), PAIRS, ["pos", "neg", "neg", "pos"])
    with opened(browser, words.animate(), tmp_path / "run.html") as page:
        page.keyboard.press("End")
        texts = page.locator("#picture text").all_text_contents()
        assert [name for name in texts if name in PAIRS.columns] == list(PAIRS.columns)
        assert page.locator("#picture rect").count() == 6


def test_in_the_frame_of_a_notebook(run, browser, tmp_path):
    page = browser.new_page()
    faults = []
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.set_content("<p>a cell</p>" + run.animate()._repr_html_())
    frame = page.frame_locator("iframe")
    frame.locator("#next").click()
    assert frame.locator('dd[data-of="w"]').text_content() == "(1, 3)"
    page.close()
    assert faults == []


def test_a_film_says_what_a_second_order_rule_adds():
    """τ·Σx, and not τ·x; the bias moves by its own share of Σ."""
    from rosenblatt.films.storyboard import Storyboard

    run = rb.trace(rb.AROW(max_iter=1, shuffle=False), [[1.0, 2.0], [-2.0, 1.0]], [1, -1])
    updates = [Storyboard(run)._update(step) for step in run]
    assert updates[0] == "w ← w + 0.14286·Σx"
    plain = rb.trace(rb.Perceptron(max_iter=1, shuffle=False), [[1.0, 2.0], [-2.0, 1.0]], [1, -1])
    assert Storyboard(plain)._update(next(iter(plain))) == "w ← w + x, b ← b + 1"
