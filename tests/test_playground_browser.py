"""The playground in a real browser: what a person does and sees there. No page may log an error."""

import base64
import itertools
import json
import re

import clockless
import pytest
from browsing import launched, needed
from playing import served

import rosenblatt as rb
from rosenblatt.playground import certificates, requests
from rosenblatt.playground.examples import examples
from rosenblatt.tracing.wording import number

needed()


@pytest.fixture(scope="module")
def address():
    with served() as port:
        yield f"http://127.0.0.1:{port}/"


@pytest.fixture(scope="module")
def browser():
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def pages(browser, address):
    """Makes pages of their own, which move only where that is asked for; what they log goes to ``faults``."""
    faults = []

    def page(width=1280, height=800, reduced_motion="reduce", **options):
        size = {"width": width, "height": height}
        page = browser.new_context(viewport=size, reduced_motion=reduced_motion, **options).new_page()
        page.set_default_timeout(1000 * clockless.GUARD)
        page.on(
            "console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda asks: None if asks.url.startswith(address) else faults.append(asks.url))
        return page

    return page, faults, itertools.count()


@pytest.fixture(scope="module")
def usual_page(pages):
    """The page of all tests that need no other: a browser takes long to make one."""
    return pages[0]()


#: How the usual page looks, which can be changed without another page.
LOOKS = {"width": 1280, "height": 800, "color_scheme": "light"}


def look(page, width, height, color_scheme):
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=color_scheme)


@pytest.fixture
def open_page(pages, usual_page, address):
    """Opens the playground, and looks at the end whether any page logged an error or asked anyone else."""
    made, opened_as, (new_page, faults, loads) = [], [], pages

    def opened(path="", *, new=False, **options):
        page = usual_page
        if new or options.keys() - LOOKS.keys() or opened_as not in ([], [options]):
            page = new_page(**options)
            made.append(page)
        else:
            opened_as[:] = [options]
            look(page, **LOOKS | options)
        page.goto(f"{address}?{next(loads)}{path}")  # another address, so that it is loaded again
        settled(page)
        return page

    yield opened
    if usual_page.url.startswith(address):
        usual_page.evaluate("localStorage.clear()")
    look(usual_page, **LOOKS)
    for page in made:
        page.context.close()
    logged = faults.copy()
    faults.clear()
    assert logged == []


def settled(page):
    """Wait until the page shows the run, and the certificate, of what it is about now."""
    page.wait_for_selector("main[aria-busy='false']", state="attached")


def until(page, true):
    """Wait until an expression of the page is true. (Playwright's own wait would need eval, which the page forbids.)"""
    clockless.until(
        lambda: page.evaluate(f"async () => {{ const {{ page }} = await import('/main.js'); return {true}; }}")
    )


def to_end(page):
    """Go to the last step."""
    page.evaluate("document.getElementById('end').click()")


def state(page):
    return page.evaluate("async () => (await import('/main.js')).page.state")


def load(page, name):
    page.select_option("#example", name)
    settled(page)


def choose(page, setting, value):
    """Set one of the settings and wait for its run."""
    control = page.locator(f"#set-{setting}")
    if isinstance(value, bool):
        control.set_checked(value)
    else:
        control.select_option(value)
    settled(page)


def library(page):
    """The trace that the page's own Python program makes."""
    program, space = page.evaluate("async () => (await import('/main.js')).page.run.program"), {}
    exec(program.replace("print(trace)", ""), space)
    return space["trace"]


def numbers(page):
    """What stands under "So far", by its headings."""
    return page.evaluate("""() => Object.fromEntries([...document.querySelectorAll("#numbers > div")]
        .map(pair => ["dt", "dd"].map(part => pair.querySelector(part).innerText)))""")


def place(page, x, y):
    """Where a point of the plane is on the screen."""
    return page.evaluate(
        """async ([x, y]) => {
            const { plane } = (await import("/main.js")).page, box = plane.picture.getBoundingClientRect();
            return [box.left + plane.x(x), box.top + plane.y(y)];
        }""",
        [x, y],
    )


def cells(page):
    return page.evaluate("""() => [...document.querySelectorAll("#table tbody tr[data-step]")]
        .map(row => [...row.cells].map(cell => cell.textContent.trim()))""")


# ---- points, a run, the numbers -----------------------------------------------------------------------------------


def test_place_points_and_run_to_separation(open_page):
    page = open_page()
    page.click("#clear")
    assert page.locator("#hint").inner_text().startswith("Click to place points")
    for tool, spots in (("0", [(1, 1), (2, 0.4), (-1, -2)]), ("1", [(-2, 1), (-1, 2.4)])):
        page.click(f"[data-tool='{tool}']")
        for spot in spots:
            page.mouse.click(*place(page, *spot))
            settled(page)
            assert page.locator("text=Place points of another class too.").is_visible() == (tool == "0")
    found = state(page)
    assert found["points"] == [[1, 1], [2, 0.4], [-1, -2], [-2, 1], [-1, 2.4]]
    assert found["labels"] == [0, 0, 0, 1, 1]
    to_end(page)
    trace = library(page)
    page.click("#export")
    assert "print(trace)" in page.input_value("#dialog-body textarea")
    page.keyboard.press("Escape")
    assert trace.verdict == "separated"
    assert page.locator("#verdict").inner_text().startswith("separated")
    assert cells(page) == [[cell.strip() for cell in row] for row in trace.table().rows]
    assert page.locator("#proved").inner_text().split("\n\n") == trace.proved
    X, y = found["points"], [-1, -1, -1, 1, 1]
    answer, told = rb.separability(X, y), numbers(page)
    M, most = re.fullmatch(r"M = (\d+) ≤ ([\d.]+)", told["mistakes"]).groups()
    assert int(M) == sum(trace.mistakes)
    assert answer.mistake_bound <= float(most) <= 1.001 * answer.mistake_bound
    assert told["bound"].endswith(f" ≈ ({answer.R:.4g}/{answer.margin_augmented:.4g})² ≈ {answer.mistake_bound:.4g}")
    assert told["right now"] == "5 of 5 points"
    assert told["length"] == f"‖w‖ = {number(trace[-1].norm)}, R ≈ {number(rb.radius(X, True))}"
    assert told["in truth"] == f"γ ≈ {number(answer.margin_augmented)}"  # a root
    low, high = (float(bound) for bound in re.findall(r"[\d.]+", told["best margin"]))
    assert low == pytest.approx(trace.margin_bounds[0], rel=1e-4)
    assert high <= trace.margin_bounds[1] * 1.0001
    assert low <= answer.margin_augmented <= high * 1.0001


def test_a_point_is_dragged_erased_and_brought_back(open_page):
    page = open_page()
    load(page, "four points")
    page.mouse.move(*place(page, 1, -1))
    page.mouse.down()
    page.mouse.move(*place(page, 2, 0.5), steps=4)
    page.mouse.up()
    settled(page)
    assert state(page)["points"][3] == [2, 0.5]
    assert page.input_value("#example") == ""
    to_end(page)
    until(page, "page.run && document.querySelectorAll('#table tbody tr[data-step]').length > 3")
    assert cells(page)[3][3] == "( 2, 0.5)"
    page.click("[data-tool='erase']")
    page.mouse.click(*place(page, 2, 0.5))
    settled(page)
    assert len(state(page)["points"]) == 3
    page.keyboard.press("Control+z")
    settled(page)
    page.click("#undo")
    settled(page)
    assert state(page)["points"] == [[1, 3], [2, 3], [-3, 1], [1, -1]]


def test_a_third_class(open_page):
    page = open_page()
    load(page, "separable")
    page.click("[data-tool='2']")
    page.mouse.click(*place(page, 0.2, 2.2))
    settled(page)
    assert page.evaluate("async () => (await import('/main.js')).page.run.classes") == ["A", "B", "C"]
    assert library(page).setting.form == "multiclass"


# ---- certificates and kernels -------------------------------------------------------------------------------------


def test_xor_has_no_margin_and_a_certificate_and_a_kernel_separates_it(open_page):
    page = open_page()
    load(page, "xor")
    to_end(page)
    assert page.locator("#verdict").inner_text() == "no margin no separator exists"
    page.click("#separable")
    answer = page.locator("#answer").inner_text()
    assert answer.startswith("No. inseparable with a bias")
    assert "(0.5, 0.5) = (0.5, 0.5)" in answer
    assert [mark.text_content() for mark in page.locator(".lambda").all()] == ["λ = 1"] * 4
    box = page.locator("circle.met").bounding_box()
    assert [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2] == pytest.approx(place(page, 0.5, 0.5), abs=1)
    assert page.locator("line.pull").count() == 4
    assert numbers(page)["numbers"] == "exact decimals"
    choose(page, "space", "linear-kernel")
    page.wait_for_selector("text=under which the points cancel in the space of the kernel")
    assert [mark.text_content() for mark in page.locator(".lambda").all()] == ["λ = 1"] * 4
    assert page.locator("circle.met").count() == 0
    page.click("#separable")
    choose(page, "space", "rbf")
    to_end(page)
    trace = library(page)
    assert trace.verdict == "separated"
    assert page.locator("#verdict").inner_text() == "separated every point is right"
    assert cells(page) == [[cell.strip() for cell in row] for row in trace.table().rows]
    page.wait_for_selector("path.boundary")
    assert page.locator("#tint").evaluate("canvas => canvas.width") > 1
    page.click("#separable")
    assert page.locator("#answer").inner_text().startswith("Yes. separable in the space of the kernel")
    assert page.locator("path.edge").count() == 2
    assert page.locator("circle.support").count() == 4


def test_the_separator_is_drawn_with_its_band(open_page):
    page = open_page()
    load(page, "four points")
    page.keyboard.press("c")
    answer = rb.separability([[1, 3], [2, 3], [-3, 1], [1, -1]], [1, -1, 1, -1], fit_intercept=False)
    assert "γ² = 1/5 exactly" in page.locator("#answer").inner_text()
    assert page.locator("circle.support").count() == len(answer.support)
    box = page.evaluate("document.getElementById('plane').getBoundingClientRect().toJSON()")
    for drawn, score in zip(page.locator("path.edge").all(), (-1, 1)):
        ends = [[float(v) for v in end.split()] for end in drawn.get_attribute("d")[1:].split("L")]
        corner = place(page, 0, 0)
        unit = place(page, 1, 0)[0] - corner[0]
        distances = [
            (answer.w[0] * (x + box["x"] - corner[0]) - answer.w[1] * (y + box["y"] - corner[1]))
            / unit
            / (answer.w @ answer.w) ** 0.5
            for x, y in ends
        ]
        assert distances == pytest.approx([score * answer.margin] * len(ends), abs=0.02)


def some_or_all(some, everything):
    """One of each kind every day, and all in the slow run, on one page: to open it takes longer than to go on."""
    return pytest.mark.parametrize(
        "names", [pytest.param(some, id="some"), pytest.param([*everything], id="all", marks=pytest.mark.slow)]
    )


@some_or_all(["four points", "inseparable", "xor", "three classes", "phrases, words", "phrases, pairs"], examples())
def test_each_example_to_its_end_and_its_certificate(open_page, names):
    page = open_page()
    for name in names:
        load(page, name)
        to_end(page)
        trace, answer = library(page), certificates.answer(requests.problem(examples()[name]))
        assert page.locator("#verdict strong").inner_text() == trace.verdict
        assert page.locator("#title").inner_text() == trace.table().title
        page.click("#separable")
        assert page.locator("#answer strong").inner_text().strip() == ("Yes." if answer.separable else "No.")
        if len(trace[0].x) != 2:
            assert page.locator("#plane .caption").all_text_contents()[:4] == ["good", "bad", "not good", "not bad"]
            assert not page.locator("#tools").is_visible()


def test_nothing_that_is_shown_claims_more_than_is_known(open_page):
    page = open_page()
    assert page.evaluate("""async () => {
        const { bound, equals } = await import("/dom.js");
        return [bound(1.29614814, 1), bound(1.29615814, -1), bound(0.5, 1), bound(20.0212, 1, 4), bound(99999.6, 1),
          bound(0.0000123456, -1), equals(1.5), equals(Math.SQRT2)]; }""") == [
        "1.2962", "1.2961", "0.5", "20.03", "1e+5", "1.2345e−5", "= 1.5", "≈ 1.4142",
    ]  # fmt: skip
    to_end(page)
    assert page.locator("#verdict").inner_text() == "separated every point is right"
    choose(page, "readout", "averaged")
    to_end(page)
    assert page.locator("#verdict").inner_text() == "separated every point is right with the last weights"


# ---- steps --------------------------------------------------------------------------------------------------------


def shown(page):
    """All that a step shows."""
    return page.evaluate("""() => {
        const part = id => document.getElementById(id);
        return { formulas: part("formulas").innerText, numbers: part("numbers").innerText,
          picture: part("plane").innerHTML, slider: part("slider").value, caption: part("caption").innerText,
          current: [...document.querySelectorAll("tr[aria-current]")].map(row => row.innerText) };
    }""")


def test_back_and_forth_shows_the_same(open_page):
    page = open_page()
    load(page, "four points")
    seen = [shown(page)]
    for _ in range(6):
        page.click("#next")
        seen.append(shown(page))
    assert len({told["picture"] for told in seen}) >= 5
    for told in reversed(seen[:-1]):
        page.click("#back")
        assert shown(page) == told
    assert page.locator("#back").is_disabled()
    page.click("#pass")
    assert shown(page) == seen[4]
    page.click("#pass")
    assert page.input_value("#slider") == "8"
    to_end(page)
    assert page.input_value("#slider") == "32"
    assert page.locator("#next").is_disabled()
    page.click("#first")
    assert shown(page) == seen[0]


def test_each_row_of_the_trace_leads_to_its_picture(open_page):
    page = open_page()
    load(page, "four points")
    page.click("tr[data-step='2']")
    assert page.locator("#formulas").inner_text().replace("\n", " ") == (
        "score s = w·x = (1, 3)·(2, 3) = 11 right? y·s = −1·11 = −11 < 0: wrong sign, a mistake "
        "how far τ = η = 1 update w ← w + τ·y·x = (1, 3) − 1·(2, 3) = (−1, 0)"
    )
    ring = page.locator("circle.current").bounding_box()
    assert [ring["x"] + ring["width"] / 2, ring["y"] + ring["height"] / 2] == pytest.approx(place(page, 2, 3), abs=1)
    assert [letter.text_content() for letter in page.locator("#plane .letter").all()] == ["w", "new w", "− x"]
    page.check("#moves")
    assert page.locator("#table tbody tr").count() == 13
    page.focus("#scroll")
    page.keyboard.press("ArrowDown")
    assert page.input_value("#slider") == "5"
    page.keyboard.press("End")
    assert page.input_value("#slider") == "25"


def test_a_long_trace_comes_in_pages(open_page):
    page = open_page()
    load(page, "inseparable")
    choose(page, "rule", "pa")  # whose weights do not come back
    to_end(page)
    assert page.locator("tr[aria-current]").get_attribute("data-step") == "400"
    assert page.locator("#table tbody tr").count() == 101
    page.click("text=… 300 earlier")
    assert page.locator("tr[aria-current]").get_attribute("data-step") == "300"
    page.click("#first")
    assert page.locator("#table tbody tr").count() == 101


def test_run_goes_to_the_end_by_itself_and_pauses(open_page):
    page = open_page(reduced_motion="no-preference")
    load(page, "xor")
    page.select_option("#speed", "120")
    page.click("#run")
    until(page, "page.state.step === 4")
    assert page.locator("#run").inner_text() == "Run"
    load(page, "four points")
    page.select_option("#speed", "1200")
    page.click("#run")
    until(page, "page.state.step === 1")
    page.click("#run")
    assert page.locator("#run").inner_text() == "Run"
    assert page.input_value("#slider") == "1"


def test_run_does_not_move_for_those_who_want_no_motion(open_page):
    page = open_page()
    load(page, "four points")
    page.click("#run")
    assert page.input_value("#slider") == "32"
    assert page.locator("circle.current").evaluate("ring => getComputedStyle(ring).animationName") == "none"


# ---- settings -----------------------------------------------------------------------------------------------------


@some_or_all(["perceptron", "batch", "paum", "pa1", "norm-mira", "arow"], requests.RULES)
def test_each_rule(open_page, names):
    page = open_page()
    load(page, "three classes")
    for rule in names:
        choose(page, "rule", rule)
        page.click("#first") if rule != "perceptron" else None
        page.click("#next")
        to_end(page)
        trace = library(page)
        assert page.locator("#proved").inner_text().split("\n\n") == trace.proved
        assert [row[6] for row in cells(page)] == [step.why for step in trace][: len(cells(page))]


def test_readouts_and_spaces(open_page):
    page = open_page()
    load(page, "inseparable")
    chosen = [("linear", "averaged"), ("linear", "pocket"), ("poly", "voted"), ("linear-kernel", "averaged")]
    for space, readout in [*chosen, ("sigmoid", "last")]:
        choose(page, "space", space)
        choose(page, "readout", readout)
        to_end(page)
        until(page, "page.fields.has(page.state.step)")
        trace = library(page)
        assert trace.verdict == page.locator("#verdict strong").inner_text()
        if readout in ("averaged", "pocket") and space == "linear":
            w, b = ", ".join(number(float(v)) for v in trace.coef_[0]), number(float(trace.intercept_[0]))
            assert f"w̄ = ({w}), b = {b}" in numbers(page)[readout]
            assert page.locator("path.boundary.last").count() == 1


def test_settings_that_do_not_go_together_give_way(open_page):
    page = open_page()
    choose(page, "readout", "voted")
    assert page.input_value("#set-space") == "linear-kernel"
    choose(page, "rule", "batch")
    assert (page.input_value("#set-space"), page.input_value("#set-readout")) == ("linear", "last")
    choose(page, "exact", True)
    choose(page, "rule", "pa1")
    assert not page.is_checked("#set-exact")
    page.click("#reset")
    settled(page)
    assert page.input_value("#set-rule") == "perceptron"


def test_a_number_out_of_range_is_said_and_put_right(open_page):
    page = open_page()
    page.fill("#set-passes", "900")
    page.press("#set-passes", "Tab")
    page.wait_for_selector("#problem:not([hidden])")
    assert page.locator("#problem").inner_text() == "passes must be a whole number from 1 to 200, got 900"
    assert page.locator("#run").is_disabled()
    page.fill("#set-passes", "50")
    page.press("#set-passes", "Tab")
    page.wait_for_selector("#problem", state="hidden")
    settled(page)
    assert page.locator("#run").is_enabled()


# ---- tables and links ---------------------------------------------------------------------------------------------


def test_a_table_is_pasted(open_page):
    page = open_page()
    page.click("#paste")
    page.fill("#csv", "x,y,label\n1,2,up\n3,oops,down")
    page.click("#take")
    until(page, "document.querySelector('#dialog p.wrong').textContent")
    assert page.locator("#dialog p.wrong").inner_text().startswith("line 3: 'oops' is no number")
    page.fill("#csv", "x,y,label\n1,2,up\n3,-1,down")
    page.click("#take")
    page.wait_for_selector("#dialog", state="hidden")
    settled(page)
    assert page.locator("#tools [role=radio]").all_inner_texts() == ["■ down", "● up", "✕ erase"]
    assert library(page).setting.names == ["x", "y"]
    page.click("#paste")
    page.fill("#csv", "text,label\na good film,pos\nnot a good film,neg")
    page.check("#pairs")
    page.click("#take")
    page.wait_for_selector("#dialog", state="hidden")
    settled(page)
    assert state(page)["names"] == ["film", "good", "not", "good film", "not good"]


def test_names_are_text_and_never_markup(open_page):
    page = open_page()
    page.click("#paste")
    page.fill("#csv", "<img src=x onerror=alert(1)>,b,label\n1,2,<b>up\n3,-1,</script>")
    page.click("#take")
    page.wait_for_selector("#dialog", state="hidden")
    settled(page)
    to_end(page)
    page.click("#separable")
    assert page.locator("main img, main b, main script").count() == 0
    assert "<b>up" in page.locator("#tools").inner_text()


def test_a_link_brings_everything_back(open_page):
    page = open_page()
    load(page, "phrases, pairs")
    choose(page, "bias", False)
    for _ in range(3):
        page.click("#next")
    page.click("#share")
    link = page.input_value("#dialog-body textarea")
    other = open_page(link[link.index("#") :], new=True)
    assert state(other) == state(page)
    assert other.locator("#formulas").inner_text() == page.locator("#formulas").inner_text()
    assert other.locator("#title").inner_text() == page.locator("#title").inner_text()


def test_a_broken_link_is_said(open_page):
    page = open_page("#%%%")
    assert page.locator("#about").inner_text() == "The link holds nothing that can be read: this is an example instead."
    assert page.locator("#table tbody tr").count() > 0
    before = state(page)
    for text in ("x", "bnVsbA", "e30", "eyJwIjpbWzEsMl1dLCJsIjpbOV19"):
        page.wait_for_load_state("networkidle")  # an answer that is still on its way would hide the problem again
        page.evaluate("text => { location.hash = text; }", text)
        page.wait_for_selector("#problem:not([hidden])")
        assert page.locator("#problem").inner_text() == "The link holds nothing that can be read."
        assert state(page) == before


def linked(**parts):
    text = json.dumps({"p": [[0, 0], [2, 1]], "l": [0, 1], "s": {}, "t": 0} | parts)
    return "#" + base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"n": ["a"]}, "names that do not fit its points"),
        ({"n": ["a", "b" * 41]}, "names that do not fit its points"),
        ({"c": ["only"]}, "names that do not fit its classes"),
        ({"x": ["one"]}, "captions that do not fit its points"),
        ({"g": {"n": "x"}}, "a generator"),
        ({"g": "<b>x"}, "a generator"),
    ],
)
def test_what_does_not_fit_in_a_link_is_left_out_and_said(open_page, parts, said):
    page = open_page(linked(**parts))
    assert f"The link has {said}, which this page does not know" in page.locator("#about").inner_text()
    assert page.locator("#table tbody tr").count() > 0
    assert state(page)["points"] == [[0, 0], [2, 1]]


@pytest.mark.parametrize("points", [[[], []], [[1e308, 0], [0, 1]], [["x", 0], [0, 1]]], ids=["none", "huge", "text"])
def test_points_of_a_link_that_cannot_be_drawn_are_an_example_instead(open_page, points):
    page = open_page(linked(p=points))
    assert page.locator("#about").inner_text() == "The link holds nothing that can be read: this is an example instead."


def test_the_generator_closes_when_other_points_are_chosen(open_page):
    page = open_page()
    page.click("#views summary")
    page.click("#generate")
    page.wait_for_selector("#held-out:not([hidden])")
    load(page, "xor")
    page.wait_for_selector("#generate[aria-pressed=false]", state="attached")
    assert page.locator("#held-out").is_hidden()


# ---- people -------------------------------------------------------------------------------------------------------


def test_by_keyboard_alone(open_page):
    page = open_page()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the picture"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "plane"
    assert page.locator("#plane .cross").count() == 1
    n = len(state(page)["points"])
    page.keyboard.press("1")
    assert page.locator("[data-tool='0']").get_attribute("aria-checked") == "true"
    for key in ("ArrowRight", "ArrowUp", "Shift+ArrowUp"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    settled(page)
    found = state(page)
    assert (len(found["points"]), found["labels"][-1]) == (n + 1, 0)
    page.keyboard.press("Enter")  # picks it up
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    settled(page)
    moved = state(page)["points"][-1]
    assert moved[0] == found["points"][-1][0]
    assert moved[1] < found["points"][-1][1]
    page.keyboard.press("Delete")
    settled(page)
    assert len(state(page)["points"]) == n
    for _ in range(40):
        page.keyboard.press("Shift+ArrowUp")  # to the edge of the plane, and on the grid there too
    cross, snap = page.evaluate(
        "async () => { const { plane } = (await import('/main.js')).page; return [plane.cross, plane.snap]; }"
    )
    assert [value / snap for value in cross] == pytest.approx([round(value / snap) for value in cross])
    page.keyboard.press("]")
    assert "point 0, class −1" in page.locator("#caption").inner_text()
    page.keyboard.press("n")
    page.keyboard.press("n")
    assert page.input_value("#slider") == "2"
    page.keyboard.press("b")
    assert page.input_value("#slider") == "1"
    page.keyboard.press("e")
    page.keyboard.press("c")
    assert page.locator("#separable").get_attribute("aria-pressed") == "true"
    page.keyboard.press("?")
    assert page.locator("#dialog h2").inner_text() == "Help"
    page.keyboard.press("Escape")
    assert not page.locator("#dialog").is_visible()
    page.keyboard.press("0")
    assert page.input_value("#slider") == "0"


def test_shortcuts_can_be_switched_off(open_page):
    page = open_page()
    page.click("#help")
    page.uncheck("#keys-on")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    assert page.input_value("#slider") == "0"


def test_the_tab_key_goes_through_the_page_in_order_and_is_seen(open_page):
    page = open_page()
    page.keyboard.press("n")
    order = []
    for _ in range(60):
        page.keyboard.press("Tab")
        found = page.evaluate("""() => { const at = document.activeElement, style = getComputedStyle(at);
            return at === document.body ? null : [at.id || at.dataset.tool || at.dataset.symbol || at.className,
              style.outlineStyle !== "none"]; }""")
        if found is None:
            break
        order.append(found)
    names = [name for name, _ in order]
    assert all(seen for _, seen in order), order
    wanted = [
        "example",
        "paste",
        "help",
        "set-rule",
        "set-space",
        "1",
        "plane",
        "run",
        "next",
        "slider",
        "separable",
        "s",
        "M",
        "moves",
        "scroll",
    ]
    places = [names.index(name) for name in wanted]
    assert places == sorted(places)


def test_every_symbol_explains_itself_by_pointer_and_by_keyboard(open_page):
    page = open_page()
    load(page, "four points")
    page.click("#next")
    symbols = page.locator("#formulas .symbol, #numbers .symbol")
    for symbol in symbols.all():
        symbol.hover()
        told = page.locator("#tip").inner_text()
        assert len(told) > 15
        assert "undefined" not in told
    page.mouse.move(0, 0)
    page.focus("#formulas .symbol")
    assert page.locator("#tip").inner_text().startswith("s: the score")
    page.keyboard.press("ArrowRight")
    assert page.locator("#tip").inner_text().startswith("w: the weights")
    assert page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "tip"
    page.keyboard.press("Escape")
    assert not page.locator("#tip").is_visible()


def test_every_symbol_of_every_formula_is_in_the_glossary(open_page):
    page = open_page()
    known = set(page.evaluate("async () => Object.keys((await import('/glossary.js')).SYMBOLS)"))
    from rosenblatt.playground import records

    for rule in requests.RULES:
        for space in ("linear", "rbf"):
            for name in ("separable", "three classes"):
                try:
                    problem = requests.problem(examples()[name] | {"settings": {"rule": rule, "space": space}})
                except requests.RequestError:
                    continue
                steps = records.summary(problem)["steps"]
                used = {p[0] for step in steps for _, f in step["formulas"] for p in f if not isinstance(p, str)}
                assert used <= known


def test_names_for_those_who_do_not_see(open_page):
    page = open_page()
    load(page, "four points")
    page.click("#next")
    unnamed = page.evaluate("""() => [...document.querySelectorAll("button, select, input, textarea, [tabindex='0']")]
        .filter(each => each.offsetParent !== null || each.closest("svg"))
        .filter(each => !(each.getAttribute("aria-label") || each.labels?.length || each.textContent.trim()))
        .map(each => each.outerHTML.slice(0, 80))""")
    assert unnamed == []
    assert page.locator("#plane").get_attribute("aria-label") == "Plane with 4 points, step 1 of 32."
    assert page.locator("#caption").get_attribute("aria-live") == "polite"
    assert page.locator("#caption").inner_text() == "Step 1 of 32, pass 1: row 0, class +1, tie, the weights move."
    assert page.locator("#slider").get_attribute("aria-valuetext") == "step 1 of 32"
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("h1").count() == 1


def test_on_a_phone(open_page):
    page = open_page(width=360, height=740, has_touch=True, is_mobile=True)
    for name in ("phrases, pairs", "three classes", "four points"):
        load(page, name)
        page.tap("#next")
        page.tap("#separable")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        boxes = page.evaluate("""() => [...document.querySelectorAll("button:not(.symbol), select, summary")]
            .filter(each => each.checkVisibility() && !each.closest(".scroll"))
            .map(each => [each.id || each.textContent, each.getBoundingClientRect().toJSON()])""")
        assert len(boxes) > 12
        for what, box in boxes:
            assert box["height"] >= 30, what
            assert box["left"] >= 0, what
            assert box["right"] <= 360, what
    page.tap("#separable")
    page.tap("[data-tool='0']")
    page.locator("#plane").scroll_into_view_if_needed()
    page.touchscreen.tap(*place(page, -1, -1))
    settled(page)
    assert state(page)["points"][-1] == [-1, -1]
    page.tap("#settings summary")
    assert page.locator("#set-rule").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1280, 800)])
def test_the_picture_and_its_buttons_are_in_sight_at_once(open_page, width, height):
    page = open_page(width=width, height=height)
    load(page, "four points")
    page.click("#next")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for part in ("#plane", "#run", "#slider", "#formulas", "#numbers", "#separable", "#caption"):
        box = page.locator(part).bounding_box()
        assert box["y"] >= 0, part
        assert box["y"] + box["height"] <= height, part
    if width == 1920:
        row = page.locator("tr[aria-current]").bounding_box()
        assert row["y"] + row["height"] <= height
        assert page.locator("#plane").bounding_box()["height"] > 600


def luminance(page, selector, name):
    numbers = page.locator(selector).first.evaluate(f"each => getComputedStyle(each).{name}")
    r, g, b = (int(v) / 255 for v in re.findall(r"\d+", numbers)[:3])
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in (r, g, b)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_are_legible(open_page, scheme):
    page = open_page(color_scheme=scheme)
    page.click("#next")
    ground = luminance(page, "main > section", "backgroundColor")
    assert (ground > 0.5) == (scheme == "light")
    shapes = [f"#tools .tool-{code} .shape" for code in range(4)]
    for selector in ["#formulas dd", "#formulas dt", "#caption", ".symbol", *shapes]:
        text = luminance(page, selector, "color")
        contrast = (max(text, ground) + 0.05) / (min(text, ground) + 0.05)
        assert contrast >= (3 if "shape" in selector else 4.5), selector
    page.click("#theme")
    assert (luminance(page, "main > section", "backgroundColor") > 0.5) == (scheme == "dark")
    page.reload()
    settled(page)
    assert (luminance(page, "main > section", "backgroundColor") > 0.5) == (scheme == "dark")
