"""The playground as files only, in a real browser: its numbers are those of the served page and of the library."""

import base64
import json
import math
import random

import clockless
import pytest
from browsing import launched, needed
from playing import served
from static_pages import builder, built, hosted
from test_without_numpy import taught

import rosenblatt as rb
from rosenblatt.core import exact
from rosenblatt.playground import answers, certificates, requests
from rosenblatt.playground.examples import examples
from rosenblatt.theory.certificates import holds

needed()


def a_link(**fields):
    """A link that holds this."""
    return "#" + base64.urlsafe_b64encode(json.dumps(fields).encode()).decode().rstrip("=")


@pytest.fixture(scope="module")
def addresses(tmp_path_factory):
    """The static page, below a folder of its host, and the served one."""
    folder = tmp_path_factory.mktemp("site")
    built(folder / "docs" / "play")
    with hosted(folder) as static, served() as port:
        yield static + "docs/play/", f"http://127.0.0.1:{port}/"


@pytest.fixture(scope="module")
def browser():
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def pages(browser, addresses):
    """Both pages, open; at the end neither may have logged an error or asked anyone else."""
    faults, opened = [], []
    for address in addresses:
        context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        page = context.new_page()
        page.set_default_timeout(1000 * clockless.GUARD)
        page.on("console", lambda line: faults.append(line.text) if line.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda asks, own=address: None if asks.url.startswith(own) else faults.append(asks.url))
        page.goto(address)
        settled(page)
        opened.append(page)
    yield opened
    for page in opened:
        page.context.close()
    assert faults == []


def settled(page):
    page.wait_for_selector("main[aria-busy='false']", state="attached")


def shown(page):
    """All text that a page shows of a run, and where it stands."""
    return page.evaluate(
        "ids => ids.map(id => document.getElementById(id).innerText)",
        ["caption", "formulas", "numbers", "verdict", "title", "table", "proved", "answer", "summary", "problem"],
    )


def asked(page, kind, question):
    """The answer that the page itself gets."""
    return page.evaluate(
        "async ([kind, question]) => (await import(new URL('api.js', location).href)).ask(kind, question)",
        [kind, question],
    )


def same_answers(pages, question):
    """Run, proof and fields of both pages and of the library's Python; returns the run."""
    static, served_page = pages
    run = json.loads(answers.answer("run", json.dumps(question)))
    at = sorted({0, 1, len(run["steps"]) // 2, len(run["steps"])})
    window = {"window": [-5, 5, -5, 5, 7]}
    for kind, asks in (("run", question), ("separable", question | window), ("field", question | window | {"at": at})):
        expected = json.loads(answers.answer(kind, json.dumps(asks)))
        assert asked(static, kind, asks) == asked(served_page, kind, asks) == expected, (kind, question)
    return run


def question_of(example):
    return {name: example.get(name) for name in ("points", "labels", "names", "classes", "settings")}


def of_library(run, question):
    """A run is the trace that its program makes in Python."""
    space = {}
    exec(run["program"].replace("print(trace)", ""), space)
    trace = space["trace"]
    assert [step["cells"] for step in run["steps"]] == [list(row) for row in trace.table().rows], question
    low, high = (None if math.isinf(bound) else bound for bound in trace.margin_bounds)
    if trace.setting.kernel is None:
        assert run["bounds"] == [low, high], question


def proof_of_library(proof, question):
    """A proof in linear space has the margins of ``separability``, or its certificate holds."""
    settings = question["settings"]
    if settings.get("space", "linear") != "linear":
        return
    expected = rb.separability(question["points"], question["labels"], settings.get("bias", True))
    assert proof["separable"] is expected.separable
    for name in ("margin", "margin_augmented"):
        assert proof[name] == getattr(expected, name), question
    assert proof["bound"] == expected.mistake_bound
    certificate = certificates.answer(requests.problem(question)).certificate
    assert (certificate is None) is bool(proof["separable"])
    if certificate is not None:
        assert holds(exact.rows(question["points"]), question["labels"], certificate, settings.get("bias", True))


#: A few everyday; test_without_numpy.py asks about all of them every day, without a browser.
QUICK = ("four points", "three classes", "phrases, words")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in examples()]
)
def test_each_example_has_the_numbers_of_the_served_page_and_of_the_library(pages, name):
    question = question_of(examples()[name])
    run = same_answers(pages, question)
    of_library(run, question)
    proof_of_library(asked(pages[0], "separable", question), question)


def random_question(seed):
    rng = random.Random(seed)
    n, n_classes, digits = rng.randint(4, 30), rng.choice([2, 2, 3, 4]), rng.choice([0, 1, 2, 6])
    points = [[round(rng.gauss(0, 2), digits) for _ in range(2)] for _ in range(n)]
    labels = [i % n_classes for i in range(n)]
    rule = rng.choice(list(answers.RULES))
    settings = {"rule": rule, "passes": rng.randint(1, 12), "bias": rng.random() < 0.7}
    if rule != "batch":
        settings["space"] = rng.choice(["linear", "linear", "rbf", "poly", "sigmoid", "linear-kernel"])
        settings["readout"] = rng.choice(["last", "averaged", "pocket"])
        settings |= {"order": rng.choice(["given", "shuffled"]), "seed": rng.randint(0, 99)}
        settings["ties"] = rng.choice(["mistake", "predict"])
    return {"points": points, "labels": labels, "names": None, "classes": None, "settings": settings}


@pytest.mark.parametrize("seed", [*range(2), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 50))])
def test_random_problems_have_the_numbers_of_the_served_page_and_of_the_library(pages, seed):
    question = random_question(seed)
    run = same_answers(pages, question)
    of_library(run, question)
    proof_of_library(asked(pages[0], "separable", question), question)


def test_what_lessons_generator_and_race_ask_has_the_same_answers(pages):
    for kind, question in taught(slice(None, None, 9)):
        expected = json.loads(answers.answer(kind, json.dumps(question)))
        assert asked(pages[0], kind, question) == asked(pages[1], kind, question) == expected


def test_a_film_is_the_same_page(pages):
    for settings in ({}, {"space": "rbf"}):
        question = question_of(examples()["xor"]) | {"settings": settings}
        film = asked(pages[0], "film", question)
        assert film == asked(pages[1], "film", question) == json.loads(answers.answer("film", json.dumps(question)))


def test_a_link_shows_the_same_on_both_pages(pages):
    points, labels = [[0, 1], [2, 0.5], [1, 1.5], [-1, 0]], [0, 1, 1, 0]
    for fields in (
        {"s": {"rule": "pa"}, "t": 3, "v": {"proof": True}},
        {"s": {"space": "rbf", "readout": "averaged"}, "t": 2},
        {"s": {"exact": True}, "t": 1, "c": ["no", "yes"], "n": ["length", "width"]},
    ):
        link = a_link(p=points, l=labels, **fields)
        for page in pages:
            page.evaluate("hash => { location.hash = hash; }", link)
            clockless.until(lambda page=page: state_of(page)["points"] == points)
            settled(page)
        static, expected = map(shown, pages)
        assert static == expected
        assert f"Step {fields['t']} of" in static[0]
        assert state_of(pages[0]) == state_of(pages[1])


def state_of(page):
    return page.evaluate("async () => (await import(new URL('main.js', location).href)).page.state")


def test_a_link_with_things_unknown_here_is_followed_with_a_message(pages):
    link = a_link(p=[[0, 0], [1, 2]], l=[0, 1], s={"rule": "adaline", "speed": 2, "passes": 1000}, t=1, z=0)
    for page in pages:
        page.evaluate("hash => { location.hash = hash; }", link)
        clockless.until(lambda page=page: len(state_of(page)["points"]) == 2)
        settled(page)
        assert page.inner_text("#about") == (
            "The link has the rule “adaline”, a setting “speed”, the passes “1000”, a field “z”, which this page does "
            "not know: it goes on without."
        )
        assert page.inner_text("#summary") == "Perceptron, last, linear"
        assert page.inner_text("#caption").startswith("Step 1 of")
        assert page.is_hidden("#problem")


def test_back_and_forward_go_from_one_choice_to_the_next(pages):
    for page in pages:
        page.goto(page.url.partition("#")[0] + "?again")
        settled(page)
        page.select_option("#example", "xor")
        settled(page)
        clockless.until(lambda page=page: in_address(page) == state_of(page)["points"])
        page.click("#next")
        page.click("#next")
        page.select_option("#set-rule", "pa")
        settled(page)
        clockless.until(lambda page=page: "pa" in str(in_address(page, "s")))
        page.go_back()
        clockless.until(lambda page=page: state_of(page)["settings"]["rule"] == "perceptron")
        settled(page)
        assert page.input_value("#example") == "xor"
        assert state_of(page)["step"] == 2  # steps are no entries of their own
        page.go_back()
        clockless.until(lambda page=page: len(state_of(page)["points"]) == 16)
        page.go_forward()
        clockless.until(lambda page=page: len(state_of(page)["points"]) == 4)
        settled(page)


def in_address(page, field="p"):
    text = page.url.partition("#")[2]
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))).get(field) if text else None


def test_the_first_picture_does_not_wait_for_python(browser, addresses):
    page = browser.new_page()
    page.set_default_timeout(1000 * clockless.GUARD)
    page.route("**/runtime/*", lambda route: None)  # which never comes
    page.goto(addresses[0])
    settled(page)
    assert page.is_visible("#starting")
    page.click("#next")
    assert page.inner_text("#caption") == "Step 1 of 32, pass 1: row 0, class −1, tie, the weights move."
    page.close()


def test_a_runtime_that_does_not_start_is_said_and_can_be_tried_again(browser, addresses):
    page = browser.new_page()
    page.set_default_timeout(1000 * clockless.GUARD)
    page.route("**/rosenblatt.zip", lambda route: route.abort())
    page.goto(addresses[0])
    settled(page)
    page.select_option("#example", "xor")
    page.wait_for_selector("#retry")
    assert page.inner_text("#problem").startswith("Python could not be started in this browser: ")
    page.unroute("**/rosenblatt.zip")
    page.click("#retry")
    clockless.until(lambda: page.is_hidden("#problem") and page.is_enabled("#next"))
    page.close()


def test_the_files_hold_what_is_needed_and_nothing_else(tmp_path):
    module = builder()
    names = {path.relative_to(module.SOURCE).as_posix() for path in module.python_files()}
    assert "rosenblatt/core/reference.py" in names
    assert not any(name.startswith(("rosenblatt/estimators", "rosenblatt/cli", "rosenblatt/data")) for name in names)
    assert module.archive() == module.archive()


def test_what_cannot_be_fetched_is_said(tmp_path, monkeypatch, capsys):
    module = builder()
    monkeypatch.setattr(module, "KEPT", tmp_path)
    monkeypatch.setattr(module.shutil, "which", lambda name: None)
    monkeypatch.setattr("sys.argv", ["static_playground.py", "--out", str(tmp_path / "out")])
    assert module.main() == 1
    assert "npm, which fetches it, is not installed" in capsys.readouterr().err
    (tmp_path / f"pyodide-{module.VERSION}.tgz").write_bytes(b"something else")
    assert module.main() == 1
    assert "is not the package of Pyodide" in capsys.readouterr().err


def test_exports_need_no_server(pages, tmp_path):
    files = []
    for page in pages:
        page.select_option("#example", "xor")
        settled(page)
        page.select_option("#set-space", "rbf")
        settled(page)
        page.click("#export")
        made = {}
        for kind in ("html", "svg", "png", "gif", "py"):
            with page.expect_download() as download:
                page.click(f"#save-{kind}")
            download.value.save_as(tmp_path / kind)
            made[kind] = (tmp_path / kind).read_bytes()
        page.keyboard.press("Escape")
        files.append(made)
    assert files[0] == files[1]
    assert all(len(content) > 100 for content in files[0].values())
