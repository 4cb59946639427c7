"""A tagged sentence as people look at it: spans under its words in a terminal, coloured spans in a notebook."""

from __future__ import annotations

import html
import math
import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..errors import DataError
from ..palette import COLOURS, letters_on, parts
from ..tables import cells, visible
from .phrases import PHRASE_TAG, Phrase, are_phrase_tags, phrases_of

#: So wide a drawing is where no terminal says how wide it is.
WIDTH = 80
#: Of tokens that the runner-up tags otherwise, the sentence names so many.
MOST_NAMED = 3


class _Piece(NamedTuple):
    """Tokens of one phrase that stand on one line: where, how wide, and whether the phrase goes on before or behind."""

    phrase: Phrase
    begin: int
    width: int
    from_before: bool
    to_next: bool


@dataclass(frozen=True)
class TaggedSentence:
    """A sentence with its tags, to be looked at.

    ``print`` draws it in plain characters, `show` in colours where there is a terminal, a notebook as HTML. Tags of
    phrases (see `are_phrase_tags`) are drawn as spans, others below each word.

    Parameters
    ----------
    tokens : list of str
        The words.
    tags : list of str
        The tag of each.
    score : float or None, default=None
        The score of the tags.
    token_scores : list of float or None, default=None
        What each token adds to it: its features with its tag, and the transition to that tag.
    runner_up : list of str or None, default=None
        The second-best tags.
    gap : float or None, default=None
        By how much the score exceeds that of the runner-up.
    tag_set : list of str, default=()
        All tags that there are: a type has the same colour in every sentence. Empty: those of the sentence.

    Examples
    --------
    >>> words = ["The", "cat", "sat", "on", "the", "mat", "."]
    >>> tags = ["B-NP", "I-NP", "B-VP", "B-PP", "B-NP", "I-NP", "O"]
    >>> runner_up = ["B-NP", "I-NP", "B-VP", "B-PRT", "B-NP", "I-NP", "O"]
    >>> print(TaggedSentence(words, tags, score=9.5, runner_up=runner_up, gap=1.25))
    The cat sat on the mat .
    └─NP──┘ VP  PP └─NP──┘
    score 9.5, 1.25 above the runner-up, which tags “on” B-PRT
    """

    tokens: Sequence[str]
    tags: Sequence[str]
    score: float | None = None
    token_scores: Sequence[float] | None = None
    runner_up: Sequence[str] | None = None
    gap: float | None = None
    tag_set: Sequence[str] = ()

    def __post_init__(self) -> None:
        n = len(self.tokens)
        for name in ("tags", "token_scores", "runner_up"):
            values = getattr(self, name)
            if values is not None and len(values) != n:
                raise DataError(f"{n} tokens need as many {name}, got {len(values)}")

    @classmethod
    def of_decoded(
        cls, tokens: Sequence[str], tag_set: Sequence[str], codes: Any, scores: Any, others: Any, gaps: Any
    ) -> TaggedSentence:  # fmt: skip
        """One sentence as a learner decodes it: codes and score, codes of the second best, and how far it is behind."""
        gap = float(gaps[0])
        has_other = gap < math.inf
        return cls(
            tokens, [tag_set[code] for code in codes], score=float(scores[0]),
            runner_up=[tag_set[code] for code in others] if has_other else None, gap=gap if has_other else None,
            tag_set=tuple(tag_set),
        )  # fmt: skip

    @property
    def phrases(self) -> list[Phrase]:
        """The phrases; where tags are not of phrases, one for each token."""
        if self._of_phrases:
            return phrases_of(self.tags)
        return [Phrase(tag, i, i + 1) for i, tag in enumerate(self.tags)]

    @property
    def _of_phrases(self) -> bool:
        return are_phrase_tags([*self.tag_set, *self.tags]) or {*self.tag_set, *self.tags} == {"O"}

    def _colours(self) -> dict[str, str]:
        """The colour of each type, by its place among all in order of the alphabet."""
        tags = [*self.tag_set, *self.tags]
        types = {tag: tag for tag in tags}
        if self._of_phrases:
            matches = ((tag, PHRASE_TAG.fullmatch(tag)) for tag in types)
            types = {tag: phrases_of([tag])[0].type for tag, match in matches if match is not None and match[1]}
        return {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(sorted(set(types.values())))}

    # ---- a terminal --------------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        return self.text()

    def show(self, width: int | None = None, colour: bool | None = None) -> None:
        """Print the drawing.

        Parameters
        ----------
        width : int or None, default=None
            Columns of the terminal; None: as it says.
        colour : bool or None, default=None
            Whether in colours; None: where standard output is a terminal that has some, and ``NO_COLOR`` is not set.
        """
        print(self.text(width, _has_colours() if colour is None else colour))

    def text(self, width: int | None = None, colour: bool = False) -> str:
        """The drawing, wrapped at ``width`` (None: that of the terminal), with or without colours."""
        width = width or shutil.get_terminal_size((WIDTH, 24)).columns
        words = [visible(token) for token in self.tokens]
        colours = self._colours() if colour else {}
        lines = []
        for spaced, pieces in self._laid_out(words, max(width, 1)):
            lines.append("".join(word + " " * (room - cells(word)) for word, room in spaced).rstrip())
            below, at = "", 0
            for piece in pieces:
                band = _band(piece, self._of_phrases, colour)
                below += " " * (piece.begin - at) + (_coloured(band, colours[piece.phrase.type]) if colour else band)
                at = piece.begin + piece.width
            lines.append(below.rstrip() if not colour else below)
        return "\n".join([*lines, *textwrap.wrap(self.caption(), max(width, WIDTH // 2))]).rstrip("\n")

    def _laid_out(self, words: list[str], width: int) -> list[tuple[list[tuple[str, int]], list[_Piece]]]:
        """Each line: its words with the room that each takes, and the pieces of phrases below them."""
        phrase_of = {i: phrase for phrase in self.phrases for i in range(phrase.begin, phrase.end)}
        rooms = [cells(word) for word in words]
        for phrase in self.phrases:  # a label that is wider than its words spreads the last of them
            own = sum(rooms[phrase.begin : phrase.end]) + phrase.end - phrase.begin - 1
            rooms[phrase.end - 1] += max(0, cells(visible(phrase.type)) - own)
        while True:
            drawn = []
            for line in _wrapped(rooms, width):
                spaced = [(words[i], rooms[i] + 1) for i in line]
                begins = [sum(room for _, room in spaced[:k]) for k in range(len(line))]
                drawn.append((spaced, _pieces(line, begins, rooms, phrase_of)))
            widest: dict[Phrase, int] = {}
            for piece in (piece for _, pieces in drawn for piece in pieces):
                widest[piece.phrase] = max(widest.get(piece.phrase, 0), piece.width)
            hidden = [phrase for phrase, room in widest.items() if room < cells(visible(phrase.type))]
            if not hidden:
                return drawn
            for phrase in hidden:  # broken between lines into pieces too small for its label
                rooms[phrase.end - 1] = cells(visible(phrase.type))

    # ---- in words ----------------------------------------------------------------------------------------------------

    def caption(self) -> str:
        """The score, and how far it is above the runner-up's, which differs where; nothing where none is known."""
        words = [] if self.score is None else [f"score {self.score:.4g}"]
        if self.runner_up is not None:
            above = "before the runner-up" if self.gap is None else f"{self.gap:.4g} above the runner-up"
            others = [
                f"“{visible(token)}” {visible(other)}"
                for token, tag, other in zip(self.tokens, self.tags, self.runner_up)
                if tag != other
            ]
            more = f" and {len(others) - MOST_NAMED} more otherwise" if len(others) > MOST_NAMED else ""
            words.append(f"{above}, which tags {', '.join(others[:MOST_NAMED])}{more}" if others else above)
        elif self.gap is not None:
            words.append(f"{self.gap:.4g} above the runner-up")
        return ", ".join(words)

    # ---- a notebook --------------------------------------------------------------------------------------------------

    def _repr_html_(self) -> str:
        """Spans in colours that stand on light and on dark pages; a title says the tag and score of each word."""
        colours, out, at = self._colours(), [], 0
        for phrase in self.phrases:
            out += [self._word(i) for i in range(at, phrase.begin)]
            out.append(_span(" ".join(map(self._word, range(*phrase[1:]))), phrase.type, colours[phrase.type]))
            at = phrase.end
        out += [self._word(i) for i in range(at, len(self.tokens))]
        caption = f'<div style="opacity:.75;font-size:.85em;line-height:1.4">{html.escape(self.caption())}</div>'
        return f'<div style="line-height:2.3;max-width:60em">{" ".join(out)}{caption if self.caption() else ""}</div>'

    def _word(self, i: int) -> str:
        """One word, its tag in its title, underlined where the runner-up has another."""
        title = [self.tags[i]]
        if self.token_scores is not None:
            title.append(f"adds {self.token_scores[i]:+.4g}")
        differs = self.runner_up is not None and self.runner_up[i] != self.tags[i]
        if self.runner_up is not None and differs:
            title.append(f"the runner-up has {self.runner_up[i]}")
        mark = ' style="text-decoration:underline dotted 2px;text-underline-offset:.25em"' if differs else ""
        return f'<span title="{html.escape("; ".join(title))}"{mark}>{html.escape(visible(self.tokens[i]))}</span>'


def _wrapped(rooms: list[int], width: int) -> list[list[int]]:
    """The words on each line, by number; one that is wider than a line has one of its own."""
    lines: list[list[int]] = [[]]
    used = 0
    for i, room in enumerate(rooms):
        if lines[-1] and used + room > width:
            lines.append([])
            used = 0
        lines[-1].append(i)
        used += room + 1
    return lines


def _pieces(line: list[int], begins: list[int], rooms: list[int], phrase_of: dict[int, Phrase]) -> list[_Piece]:
    """What stands of each phrase on a line."""
    pieces: list[_Piece] = []
    for i, begin in zip(line, begins):
        phrase = phrase_of.get(i)
        if phrase is None:
            continue
        if pieces and pieces[-1].phrase is phrase:
            first = pieces.pop()
            pieces.append(first._replace(width=begin + rooms[i] - first.begin, to_next=i + 1 < phrase.end))
        else:
            pieces.append(_Piece(phrase, begin, rooms[i], i > phrase.begin, i + 1 < phrase.end))
    return pieces


def _band(piece: _Piece, of_phrases: bool, colour: bool) -> str:
    """The label of a phrase as wide as its words: on a ground of colour, or in brackets, open where it goes on."""
    label, width = visible(piece.phrase.type), piece.width
    if cells(label) > width:  # only where a phrase is broken between lines
        label = ""
    room = width - cells(label)
    if colour:
        return " " * (room // 2) + label + " " * (room - room // 2)
    if not label:
        return "─" * width
    if not of_phrases or room < 2 or (room < 4 and piece.phrase.end - piece.phrase.begin == 1):
        return label + " " * room
    left = (room - 2) // 2
    ends = "─" if piece.from_before else "└", "─" if piece.to_next else "┘"
    return ends[0] + "─" * left + label + "─" * (room - 2 - left) + ends[1]


def _coloured(text: str, colour: str) -> str:
    """Text on a ground of this colour, of the 256 that terminals share: it reads on light and on dark ones."""
    ground = [round(part / 255 * 5) for part in parts(colour)]
    letters = 16 if letters_on(colour) == "#000000" else 231
    return f"\x1b[48;5;{16 + 36 * ground[0] + 6 * ground[1] + ground[2]};38;5;{letters}m{text}\x1b[0m"


def _span(words: str, label: str, colour: str) -> str:
    red, green, blue = parts(colour)
    chip = (
        f"background:{colour};color:{letters_on(colour)};font-size:.7em;font-weight:bold;line-height:1;"
        "border-radius:.3em;padding:.15em .4em;margin-left:.45em;vertical-align:.1em"
    )
    style = (
        f"background:rgba({red},{green},{blue},.22);border-bottom:2px solid {colour};border-radius:.3em;"
        "padding:.2em .35em;box-decoration-break:clone;-webkit-box-decoration-break:clone"
    )
    return f'<span style="{style}">{words}<span style="{chip}">{html.escape(visible(label))}</span></span>'


def _has_colours() -> bool:
    """Whether standard output is a terminal with colours that nobody has forbidden (https://no-color.org)."""
    terminal = getattr(sys.stdout, "isatty", lambda: False)()
    return terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
