"""A sentence on the page: its run is that of the library; it is stepped through, written and refused in a browser."""

import json

import pytest
from browsing import executable
from test_playground_browser import address, browser, open_page, pages, usual_page

from rosenblatt.playground import answers, lattices
from rosenblatt.playground.requests import RequestError
from rosenblatt.tracing import wording

__all__ = ["address", "browser", "open_page", "pages", "usual_page"]  # fixtures

INSEPARABLE = "a/X b/Y\nb/X a/Y\na/Y b/X"


def library(told):
    """The trace that the page's own Python program makes."""
    space = {}
    exec(told["program"].replace("print(trace)", ""), space)
    return space["trace"]


@pytest.mark.parametrize("rule", lattices.RULES)
@pytest.mark.parametrize("text", [lattices.TOY, INSEPARABLE, "a/X a/Y\nb/Y b/X"])
def test_the_page_shows_the_trace_of_a_tagger(text, rule):
    told = json.loads(answers.answer("lattice", json.dumps({"sentences": text, "rule": rule})))
    trace = library(told)
    assert len(told["steps"]) == len(trace)
    assert (told["verdict"], told["proved"], told["tags"]) == (trace.verdict, trace.proved, list(trace.tags))
    for shown, step in zip(told["steps"], trace):
        assert shown["score"] == wording.number(step.score)
        assert shown["margin"] == wording.number(step.margin)
        assert (shown["right"], shown["rival"]) == (list(step.codes), list(step.rival_codes))
        assert {each["name"]: each["after"] for each in shown["changes"]} == {
            each.name: wording.number(each.after) for each in step.changes if each.difference
        }
        assert wording.number(step.tau) in shown["told"] or not step.moved
        for codes, score in ((step.codes, step.score), (step.rival_codes, step.rival_score)):
            ways = [
                shown["links"][1 + codes[t - 1] if t else 0][codes[t] if t < len(codes) else -1]
                for t in range(len(codes) + 1)
            ]
            added = [shown["emissions"][t][code] for t, code in enumerate(codes)] + ways
            if rule == "perceptron":  # whose numbers are whole
                assert sum(int(value.replace("−", "-")) for value in added) == score


def test_the_toy_is_a_garden_path_of_five_words():
    told = lattices.summary({})
    assert told["steps"][0]["words"] == ["the", "old", "man", "the", "boats"]
    assert (told["verdict"], told["updates"]) == ("separated", 4)
    assert lattices.summary({"sentences": INSEPARABLE})["verdict"] == "no margin"


@pytest.mark.parametrize(("request_", "sentence"), [
    ({"sentences": 3}, "sentences must be text of at most 1,000 characters"),
    ({"sentences": "x" * 1001}, "sentences must be text of at most 1,000 characters"),
    ({"sentences": ""}, "there must be 1 to 6 sentences, a line each; got 0"),
    ({"sentences": "a/X b/Y\n" * 7}, "there must be 1 to 6 sentences, a line each; got 7"),
    ({"sentences": "a/X b"}, "line 1: write each word with its tag, as old/NOUN; got b"),
    ({"sentences": "a/X\n/Y"}, "line 2: write each word with its tag, as old/NOUN; got /Y"),
    ({"sentences": "a/X b/"}, "line 1: write each word with its tag, as old/NOUN; got b/"),
    ({"sentences": "a/X " * 9}, "line 1: a sentence may have 8 words, got 9"),
    ({"sentences": "a/X b/X"}, "there must be 2 to 6 different tags; got 1"),
    ({"rule": ["pa"]}, "rule must be one of perceptron, pa; got ['pa']"),
])  # fmt: skip
def test_what_cannot_be_shown_is_said_in_a_sentence(request_, sentence):
    with pytest.raises(RequestError) as refused:
        lattices.summary(request_)
    assert str(refused.value) == sentence


# ---- in a browser ----------------------------------------------------------------------------------------------------

in_browser = pytest.mark.skipif(executable() is None, reason="no browser is installed: apt install chromium (Debian)")


def sentence_view(page):
    page.click("#views summary")
    page.click("#lattice-view")
    page.wait_for_selector("#lattice-picture svg")


def cells(page):
    return [row.locator("th, td").all_text_contents() for row in page.locator("#lattice-changes tbody tr").all()]


@in_browser
def test_a_sentence_is_stepped_through_by_keys_and_buttons(open_page):
    page = open_page()
    sentence_view(page)
    assert not page.locator("#plane").is_visible()
    steps = lattices.summary({})["steps"]
    for at, step in enumerate(steps):
        assert page.locator("#lattice-caption").text_content().startswith(f"Step {at + 1} of {len(steps)}, pass")
        assert step["told"] in page.locator("#lattice-caption").text_content()
        names = ("name", "difference", "before", *(["after"] if step["moved"] else []))
        assert [row[: len(names)] for row in cells(page)] == [
            [each[name] for name in names] for each in step["changes"]
        ]
        circles = [node.text_content() for node in page.locator("#lattice .node text").all()]
        assert circles == [value for row in step["emissions"] for value in row]
        assert page.locator("#lattice .node.right").count() == len(step["words"])
        assert page.locator("#lattice .path.rival").count() == len(step["words"]) + 1
        page.keyboard.press(["n", "ArrowRight", "PageDown"][at % 3])
    assert page.locator("#lattice-next").is_disabled()
    page.click("#lattice-first")
    assert page.input_value("#lattice-slider") == "1"
    page.keyboard.press("e")
    page.keyboard.press("b")
    assert page.input_value("#lattice-slider") == str(len(steps) - 1)
    page.click("#views summary")
    page.click("#lattice-view")
    assert page.locator("#plane").is_visible()


@in_browser
def test_sentences_are_written_and_refused_and_other_views_give_way(open_page):
    page = open_page()
    sentence_view(page)
    page.fill("#lattice-lines", INSEPARABLE)
    page.wait_for_selector("#lattice-proved:has-text('So no weights get every sentence right.')")
    page.fill("#lattice-lines", "a/X b")
    page.wait_for_selector("#lattice .wrong:text-is('line 1: write each word with its tag, as old/NOUN; got b')")
    page.fill("#lattice-lines", "a/X b/Y")
    page.select_option("#lattice-rule", "pa")
    page.wait_for_selector("#lattice-changes caption:has-text('τ = 1/6')")
    assert page.locator("#lattice .wrong").text_content() == ""
    page.click("#views summary")
    page.click("#race-view")
    assert not page.locator("#lattice").is_visible()
    assert page.locator("#race").is_visible()


@in_browser
def test_on_a_phone_the_lattice_scrolls_and_the_page_does_not(open_page):
    page = open_page(width=390, height=844, color_scheme="dark")
    sentence_view(page)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert page.evaluate("(frame => frame.scrollWidth > frame.clientWidth)(document.getElementById('lattice-picture'))")
    page.click("#lattice-next")
    assert page.input_value("#lattice-slider") == "2"
