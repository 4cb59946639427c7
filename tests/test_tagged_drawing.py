"""A drawing of a tagged sentence says what its tags are, within its width, and lets nothing out of its marks."""

import itertools
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import palette
from rosenblatt.errors import DataError
from rosenblatt.sequences import TaggedSentence, phrases_of
from rosenblatt.tables import cells, visible

WORDS = ["The", "cat", "sat", "on", "the", "mat", "."]
TAGS = ["B-NP", "I-NP", "B-VP", "B-PP", "B-NP", "I-NP", "O"]
ESCAPE = re.compile(r"\x1b\[[\d;]*m")


def sentences(tags):
    word = st.text(st.characters(exclude_categories=["Cs", "Mn", "Me"]), min_size=1, max_size=8)
    return st.lists(st.tuples(word, st.sampled_from(tags)), min_size=1, max_size=12).map(lambda drawn: [*zip(*drawn)])


def test_phrases_stand_below_their_words():
    assert TaggedSentence(WORDS, TAGS).text(80).splitlines() == ["The cat sat on the mat .", "└─NP──┘ VP  PP └─NP──┘"]


def test_other_tags_stand_below_each_word():
    drawn = TaggedSentence(["I", "saw", "it"], ["PRON", "VERB", "PRON"]).text(80)
    assert drawn.splitlines() == ["I    saw  it", "PRON VERB PRON"]


def test_a_phrase_that_goes_on_in_the_next_line_is_open_there():
    drawn = TaggedSentence(["New", "York", "City", "sleeps"], ["B-LOC", "I-LOC", "I-LOC", "O"]).text(9)
    assert drawn.splitlines() == ["New York", "└─LOC───", "City", "LOC", "sleeps"]


@given(sentences(["B-NP", "I-NP", "O", "B-LONGTYPE", "S-X"]), st.integers(1, 60))
def test_every_line_fits_and_labels_stand_below_their_words(drawn, width):
    words, tags = drawn
    rows = TaggedSentence(words, tags).text(width).split("\n")
    above, below = rows[::2], rows[1::2]
    widest = max(max(map(cells, map(visible, words))), len("LONGTYPE"))
    assert all(cells(row) <= max(width, widest) for row in rows)
    assert "".join("".join(above).split()) == "".join("".join(map(visible, words)).split())
    shown = runs(re.findall(r"[A-Z]+", " ".join(below)))  # of a phrase on two lines perhaps twice
    expected = runs(phrase.type for phrase in phrases_of(tags))
    assert [name for name, _ in shown] == [name for name, _ in expected]
    assert all(n >= least for (_, n), (_, least) in zip(shown, expected))


def runs(names):
    return [(name, len([*equal])) for name, equal in itertools.groupby(names)]


@given(sentences(["B-NP", "I-NP", "O", "B-VP"]), st.integers(1, 60))
def test_colours_change_no_place(drawn, width):
    words, tags = drawn
    plain = TaggedSentence(words, tags).text(width).split("\n")
    coloured = ESCAPE.sub("", TaggedSentence(words, tags).text(width, colour=True)).split("\n")
    assert coloured[::2] == plain[::2]
    labels = [re.findall("[A-Z]+", row) for row in coloured[1::2]]
    assert labels[: len(plain[1::2])] == [re.findall("[A-Z]+", row) for row in plain[1::2]]


def test_a_type_has_its_colour_in_every_sentence():
    every = ["B-NP", "I-NP", "B-VP", "B-ADJP", "O"]
    one, other = (TaggedSentence(["w"], [tag], tag_set=every).text(9, colour=True) for tag in ("B-VP", "B-NP"))
    both = TaggedSentence(["v", "w"], ["B-VP", "B-NP"], tag_set=every).text(9, colour=True)
    grounds = [re.findall(r"48;5;(\d+)", text) for text in (one, other, both)]
    assert grounds[0] + grounds[1] == grounds[2]
    assert grounds[0] != grounds[1]
    assert TaggedSentence(["w"], ["O"], tag_set=every).text(9) == "w"  # of phrases, though it has none


def test_letters_are_read_on_their_ground():
    """WCAG 2 asks for a contrast of 4.5 between letters and ground."""

    def light(colour):
        shares = (part / 255 for part in palette.parts(colour))
        linear = [share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for colour in palette.COLOURS:
        lights = sorted((light(colour), light(palette.letters_on(colour))))
        assert (lights[1] + 0.05) / (lights[0] + 0.05) > 4.5, colour


@pytest.mark.parametrize(
    ("terminal", "environment", "coloured"),
    [
        (True, {}, True),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
        (False, {}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(capsys, monkeypatch, terminal, environment, coloured):
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    TaggedSentence(WORDS, TAGS).show(width=80)
    shown = capsys.readouterr().out
    assert ("\x1b[" in shown) == coloured
    TaggedSentence(WORDS, TAGS).show(width=80, colour=True)
    assert "\x1b[" in capsys.readouterr().out


def test_the_runner_up_is_told():
    second = ["B-NP", "I-NP", "B-VP", "B-PRT", "O", "O", "B-X"]
    tagged = TaggedSentence(WORDS, TAGS, score=12.5, gap=0.25, runner_up=second)
    sentence = "score 12.5, 0.25 above the runner-up, which tags “on” B-PRT, “the” O, “mat” O and 1 more otherwise"
    assert tagged.caption() == sentence
    assert " ".join(tagged.text(44).splitlines()[-3:]) == sentence
    assert TaggedSentence(WORDS, TAGS, gap=2.0).caption() == "2 above the runner-up"
    assert TaggedSentence(WORDS, TAGS, runner_up=second[:3] + TAGS[3:6] + ["O"]).caption() == "before the runner-up"
    assert TaggedSentence(WORDS, TAGS).caption() == ""


class Page(HTMLParser):
    """Text, titles and elements of a page; every element is closed."""

    def __init__(self, text):
        super().__init__()
        self.text, self.titles, self.elements, self.open = "", [], set(), []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.elements.add(tag)
        self.open.append(tag)
        self.titles += [value for name, value in attributes if name == "title"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@given(sentences(["B-NP", "I-NP", "O", "B-<x>", 'I-"&amp;']))
def test_html_holds_every_word_and_nothing_else_of_them(drawn):
    words, tags = drawn
    page = Page(
        TaggedSentence(words, tags, token_scores=[0.5] * len(words), runner_up=["O"] * len(words))._repr_html_()
    )
    assert page.elements == {"div", "span"}
    others = ["; the runner-up has O" * (tag != "O") for tag in tags]
    assert page.titles == [f"{tag}; adds +0.5{other}" for tag, other in zip(tags, others)]
    place = 0
    for word in words:  # in order
        place = page.text.index(visible(word), place) + len(visible(word))


def test_what_does_not_fit_is_refused():
    with pytest.raises(DataError, match="2 tokens need as many tags, got 1"):
        TaggedSentence(["a", "b"], ["O"])
    with pytest.raises(DataError, match="1 tokens need as many runner_up, got 0"):
        TaggedSentence(["a"], ["O"], runner_up=[])


def test_an_empty_sentence_is_drawn_as_nothing():
    assert TaggedSentence([], []).text(80).strip() == ""
    assert "span" not in TaggedSentence([], [])._repr_html_()
