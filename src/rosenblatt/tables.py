"""Tables of text: aligned for a terminal, Markdown, LaTeX or HTML.

>>> table = Table(("n", "what"), [("1", "one"), ("10", "ten"), ("100", "a hundred")], align="rl")
>>> print(table)
  n  what
──────────────
  1  one
 10  ten
100  a hundred
>>> print(table.text(limit=2))
  n  what
──────────────
  1  one
… 1 more row …
100  a hundred
"""

from __future__ import annotations

import html
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

#: How wide notes may be in plain text.
WIDTH = 100

#: What would break a line: shown escaped.
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")

#: The characters of this package that LaTeX needs spelled out, as mathematics.
MATHS = {
    **{letter: "\\" + name for letter, name in zip("αβγδεηθλμξπρστφΣΔ", (
        "alpha", "beta", "gamma", "delta", "varepsilon", "eta", "theta", "lambda", "mu", "xi", "pi", "rho", "sigma",
        "tau", "varphi", "Sigma", "Delta"))},
    "ℓ": "\\ell", "‖": "\\|", "·": "\\cdot", "×": "\\times", "√": "\\surd", "∞": "\\infty", "±": "\\pm", "−": "-",
    "≤": "\\le", "≥": "\\ge", "≠": "\\ne", "≈": "\\approx", "∈": "\\in", "→": "\\to", "←": "\\leftarrow",
    **{power: f"^{{{digit}}}" for digit, power in enumerate("²³⁴⁵⁶⁷⁸⁹", 2)}, "₀": "_{0}", "ŵ": "\\hat w",
    "<": "<", ">": ">", "|": "|",
}  # fmt: skip
ESCAPES = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "…": r"\dots{}",
    "“": "``", "”": "''", "’": "'", "–": "--", "—": "---", "[": "{[}", "]": "{]}", "*": "{*}",
    **{char: "\\" + char for char in "&%$#_{}"},
}  # fmt: skip
#: Words that stand for a quantity, in mathematics too.
QUANTITIES = frozenset([*"bmsuvwxyzMRT", "s_y", "s_r", "u_y", "u_r"])
_WORD = re.compile(f"[^\\W{re.escape(''.join(MATHS))}]+")
#: Words, roots together with what they are of, and other characters one by one.
_TOKEN = re.compile(rf"√\([^)]*\)|√?{_WORD.pattern}|.", re.DOTALL)
#: What makes one word of two: x-ray, b.c, w's.
_JOINTS = frozenset(".-'’\\")


@dataclass(frozen=True)
class Table:
    """Cells of text under headings.

    Parameters
    ----------
    headings : sequence of str
        One for each column.
    rows : sequence of sequences of str
        The cells.
    align : str, default=""
        One letter for each column, l, r or c; columns beyond it stand left.
    title : str, default=""
        A line above the table.
    notes : sequence of str, default=()
        Sentences below it.
    noun : (str, str), default=("row", "rows")
        What one row is, and several, for the line that stands for those left out.
    strong : collection of int, default=()
        Rows to stand out in HTML.
    breaks : collection of int, default=()
        Rows before which something new begins.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    align: str = ""
    title: str = ""
    notes: Sequence[str] = ()
    noun: tuple[str, str] = ("row", "rows")
    strong: Collection[int] = ()
    breaks: Collection[int] = ()

    def __post_init__(self) -> None:
        for name, value in (
            ("title", visible(self.title)),
            ("headings", [visible(cell) for cell in self.headings]),
            ("rows", [[visible(cell) for cell in row] for row in self.rows]),
            ("notes", [visible(note) for note in self.notes]),
        ):
            object.__setattr__(self, name, value)

    def __str__(self) -> str:
        return self.text()

    def text(self, limit: int | None = None, width: int = WIDTH) -> str:
        """Aligned plain text; of more than ``limit`` rows the middle is left out. Notes wrap at ``width``."""
        widths, middle = self._widths(limit), self._left_out(limit)
        across = max(sum(widths) + 2 * (len(widths) - 1), cells(middle))
        lines = [*textwrap.wrap(self.title, width), ""] if self.title else []
        lines += [self._line(self.headings, widths), "─" * across]
        for number, (i, row) in enumerate(self._kept(limit)):
            if number and i in self.breaks:
                lines.append("┈" * across)
            lines.append(self._line(row, widths) if row else middle.center(across).rstrip())
        for note in self.notes:
            lines += ["", *textwrap.wrap(note, width, subsequent_indent="  ", break_long_words=False)]
        return "\n".join(lines)

    def markdown(self, limit: int | None = None) -> str:
        """A table in the Markdown that GitHub and notebooks read."""
        rule = {"l": ":--", "r": "--:", "c": ":-:"}
        blank = [""] * (len(self.headings) - 1)
        lines = [f"**{_markdown(self.title)}**", ""] if self.title else []
        lines.append(_bars(map(_markdown, self.headings)))
        lines.append(_bars(rule[self._side(j)] for j in range(len(self.headings))))
        for _, row in self._kept(limit):
            lines.append(_bars(map(_markdown, row or (self._left_out(limit), *blank))))
        for note in self.notes:
            lines += ["", _markdown(note)]
        return "\n".join(lines)

    def latex(self, limit: int | None = None) -> str:
        """A ``tabular`` that needs no package, with the title above it and the notes below."""
        columns = "".join(self._side(j) for j in range(len(self.headings)))
        lines = [r"\noindent\textbf{" + latex(self.title) + r"}\par\medskip"] if self.title else []
        lines.append(r"\noindent\begin{tabular}{" + columns + "}")
        lines += [" & ".join(map(latex, self.headings)) + r" \\", r"\hline"]
        for number, (i, row) in enumerate(self._kept(limit)):
            if number and i in self.breaks:
                lines.append(r"\hline")
            if not row:
                lines.append(rf"\multicolumn{{{len(columns)}}}{{c}}{{{latex(self._left_out(limit))}}} \\")
                continue
            lines.append(" & ".join(map(latex, row)) + r" \\")
        lines.append(r"\end{tabular}")
        for note in self.notes:
            lines += ["", r"\medskip\noindent " + latex(note)]
        return "\n".join(lines)

    def html(self, limit: int | None = None) -> str:
        """A table for a notebook: it takes its colours from there, light or dark."""
        thin, clear = "1px solid rgba(128,128,128,.35)", "background:transparent;color:inherit"
        sides = {"l": "left", "r": "right", "c": "center"}
        cell = "padding:.15em .6em;white-space:nowrap;border:0;"

        def line(tag: str, row: Sequence[str], style: str) -> str:
            columns = (
                f'<{tag} style="text-align:{sides[self._side(j)]};{cell}">{html.escape(value)}</{tag}>'
                for j, value in enumerate(row)
            )
            return f'<tr style="{clear};{style}">' + "".join(columns) + "</tr>"

        body = []
        for number, (i, row) in enumerate(self._kept(limit)):
            style = f"border-top:{thin}" if number and i in self.breaks else "border:0"
            if i in self.strong:
                style += ";font-weight:bold"
            if row:
                body.append(line("td", row, style))
            else:
                spread = f'<td colspan="{len(self.headings)}" style="text-align:center;opacity:.7;{cell}">'
                body.append(f'<tr style="{clear}">{spread}{html.escape(self._left_out(limit))}</td></tr>')
        title = f'<p style="margin:.3em 0"><b>{html.escape(self.title)}</b></p>' if self.title else ""
        notes = "".join(f'<p style="margin:.3em 0;max-width:60em">{html.escape(note)}</p>' for note in self.notes)
        head = line("th", self.headings, "border-bottom:1px solid currentColor")
        return (
            f'<div>{title}<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:.3em 0;{clear}">'
            f"<thead>{head}</thead><tbody>{''.join(body)}</tbody></table></div>{notes}</div>"
        )

    def show(self, limit: int | None = None) -> None:
        """Print it, in a terminal folded to its width."""
        if sys.stdout.isatty():
            width = shutil.get_terminal_size().columns
            print("\n\n".join(part.text(limit, width) for part in self.folded(width, limit)))
        else:
            print(self.text(limit))

    def folded(self, width: int, limit: int | None = None) -> list[Table]:
        """Tables that are no wider, each of them begun by the first column; one column is never cut."""
        widths = self._widths(limit)
        parts, room = [[0]], width - widths[0]
        for j in range(1, len(widths)):
            if room < widths[j] + 2 and len(parts[-1]) > 1:
                parts.append([0])
                room = width - widths[0]
            parts[-1].append(j)
            room -= widths[j] + 2
        return [
            replace(
                self,
                headings=[self.headings[j] for j in part],
                rows=[[row[j] for j in part] for row in self.rows],
                align="".join(self._side(j) for j in part),
                title=self.title if part is parts[0] else "",
                notes=self.notes if part is parts[-1] else (),
            )
            for part in parts
        ]

    def _kept(self, limit: int | None) -> Iterator[tuple[int, Sequence[str]]]:
        """The rows to show with their numbers; (−1, ()) stands for those left out."""
        n = len(self.rows)
        if limit is None or n <= max(limit, 2):
            yield from enumerate(self.rows)
            return
        head = -(-max(limit, 2) // 2)
        tail = max(limit, 2) - head
        yield from enumerate(self.rows[:head])
        yield -1, ()
        yield from enumerate(self.rows[n - tail :], n - tail)

    def _left_out(self, limit: int | None) -> str:
        more = 0 if limit is None else len(self.rows) - max(limit, 2)
        return f"… {more:,} more {self.noun[more != 1]} …" if more > 0 else ""

    def _widths(self, limit: int | None) -> list[int]:
        shown = (row for _, row in self._kept(limit) if row)
        return [max(map(cells, column)) for column in zip(self.headings, *shown)]

    def _side(self, j: int) -> str:
        return self.align[j] if j < len(self.align) else "l"

    def _line(self, row: Sequence[str], widths: Sequence[int]) -> str:
        columns = []
        for j, (cell, width) in enumerate(zip(row, widths)):
            room = width - cells(cell)
            left = {"l": 0, "r": room, "c": room // 2}[self._side(j)]
            columns.append(" " * left + cell + " " * (room - left))
        return "  ".join(columns).rstrip()


def signed(number: float) -> str:
    """A number with its sign and four decimals, and without a minus where these are 0.

    >>> signed(0.25), signed(-0.00001)
    ('+0.2500', '+0.0000')
    """
    return f"{number:+.4f}".replace("-0.0000", "+0.0000")


def cells(text: str) -> int:
    """How many places a text takes in a terminal: accents that combine take none, wide characters two."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def visible(text: str) -> str:
    """A text on one line: control characters are shown escaped."""
    return CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def latex(text: str) -> str:
    """A text for LaTeX: special characters escaped; signs, roots and quantities in mathematics mode."""
    tokens = ["", *_TOKEN.findall(text), "", ""]
    out, formula = "", ""  # the formula that out ends with, so far
    for before, token, after, next_one in zip(tokens, tokens[1:], tokens[2:], tokens[3:]):
        is_part = before in _JOINTS or (after in _JOINTS and _WORD.match(next_one))
        if token in MATHS or token[0] == "√" or (token in QUANTITIES and not is_part):
            piece = _formula(token)
            formula += " " * (piece[0].isalpha() and formula[-1:].isalpha()) + piece  # or a command's name would go on
        else:
            out += f"${formula}$" * bool(formula) + "".join(ESCAPES.get(char, char) for char in token)
            formula = ""
    return out + f"${formula}$" * bool(formula)


def _formula(token: str) -> str:
    if token[0] == "√" and token[1:]:
        return rf"\sqrt{{{''.join(MATHS.get(char, ESCAPES.get(char, char)) for char in token[1:].strip('()'))}}}"
    name, _, index = token.partition("_")
    return f"{name}_{{{index}}}" if index else MATHS.get(token, token)


def _markdown(text: str) -> str:
    for char in "\\`*_|[]<>":
        text = text.replace(char, "\\" + char)
    return text


def _bars(row: Any) -> str:
    return "| " + " | ".join(row) + " |"
