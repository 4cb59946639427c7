"""Tables of text: aligned, abbreviated, and safe in Markdown, LaTeX, HTML and rich."""

import re
from html.parser import HTMLParser

import pytest

from rosenblatt.tables import ESCAPES, MATHS, Table, cells, latex

NUMBERS = Table(
    ("n", "what", "‖w‖²"),
    [("1", "a|b", "√2"), ("10", "<b> & 50 %", "3"), ("100", "x_1 [red]", "−1/2")],
    align="rlr",
    title="Some *rows*",
    notes=["Σ λ·y·x = 0, so $5 ≤ γ²."],
    noun=("step", "steps"),
    strong={1},
    breaks={2},
)


def test_text():
    assert str(NUMBERS).splitlines() == [
        "Some *rows*",
        "",
        "  n  what        ‖w‖²",
        "─────────────────────",
        "  1  a|b           √2",
        " 10  <b> & 50 %     3",
        "┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈┈",
        "100  x_1 [red]   −1/2",
        "",
        "Σ λ·y·x = 0, so $5 ≤ γ².",
    ]


@pytest.mark.parametrize("limit", [2, 3, 4, 9, 10, 11, None])
def test_the_middle_is_left_out(limit):
    table = Table(("i",), [(str(i),) for i in range(10)], noun=("step", "steps"))
    shown = re.findall(r"^\d+$", table.text(limit), re.MULTILINE)
    kept = 10 if limit is None or limit >= 10 else limit
    assert len(shown) == kept
    assert shown == sorted(shown)
    assert (shown[0], shown[-1]) == ("0", "9")
    left_out = "" if kept == 10 else f"… {10 - kept} more step{'s' * (kept < 9)} …"
    assert left_out in table.text(limit)
    assert ("…" in table.text(limit)) == bool(left_out)
    for form in (table.markdown, table.html):
        assert left_out in form(limit)
    assert latex(left_out) in table.latex(limit)


def test_thousands_and_short_limits():
    table = Table(("i",), [(str(i),) for i in range(4000)])
    assert "… 3,998 more rows …" in table.text(0)
    assert Table(("i",), []).text(5).splitlines() == ["i", "─"]


def test_wide_and_combining_characters_keep_the_columns_straight():
    assert [cells(text) for text in ("é", "e\u0301", "感動", "w₀")] == [1, 1, 4, 2]
    lines = Table(("語", "x"), [("感動", "1"), ("e\u0301", "2")]).text().splitlines()
    assert [cells(line) for line in lines[2:]] == [cells(lines[1])] * 2


def test_markdown():
    lines = NUMBERS.markdown().splitlines()
    assert lines[:4] == ["**Some \\*rows\\***", "", "| n | what | ‖w‖² |", "| --: | :-- | --: |"]
    assert lines[4] == "| 1 | a\\|b | √2 |"
    assert lines[5] == "| 10 | \\<b\\> & 50 % | 3 |"
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 4 for line in lines[2:7])


def test_latex():
    told = NUMBERS.latex()
    assert "\\begin{tabular}{rlr}" in told
    assert "n & what & $\\|w\\|^{2}$ \\\\" in told
    assert "10 & $<b>$ \\& 50 \\% & 3 \\\\" in told
    assert "x\\_1 {[}red{]}" in told
    assert "$\\Sigma$ $\\lambda\\cdot y\\cdot x$ = 0, so \\$5 $\\le$ $\\gamma^{2}$." in told
    assert told.count("\\begin") == told.count("\\end") == 1
    assert told.isascii()


def test_latex_escapes_every_special_character():
    told = latex("\\ & % $ # _ { } ~ ^ | < >")
    bare = re.sub(r"\\[&%$#_{}]|\\text\w+\{\}|\$[^$]*\$", "", told)
    assert not set(bare) & set("\\&%$#_{}~^|<>")
    for char, maths in MATHS.items():
        assert latex(char) == f"${maths}$"
        assert maths.isascii()
    for spelled in ESCAPES.values():
        assert spelled.isascii()
    assert latex("‖w‖²") == "$\\|w\\|^{2}$"  # neighbours are one formula: $$ would be a display


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("√34", r"$\sqrt{34}$"),
        ("1/(4√5)", r"1/(4$\sqrt{5}$)"),
        ("3√(2/23)", r"3$\sqrt{2/23}$"),
        ("τ²R² + 2τm", r"$\tau^{2}R^{2}$ + 2$\tau m$"),
        ("u·(w − w₀)", r"$u\cdot$($w$ $-$ $w_{0}$)"),
        ("s_y − s_r", r"$s_{y}$ $-$ $s_{r}$"),
        ("‖w − αŵ‖²", r"$\|w$ $-$ $\alpha\hat w\|^{2}$"),  # two dollars together would begin a display
        ("√(1 + γ²)", r"$\sqrt{1 + \gamma^{2}}$"),
        ("√ (x)", r"$\surd$ ($x$)"),
        ("x_1, u_max, x-ray, b.c, w's", r"x\_1, u\_max, x-ray, b.c, w's"),
    ],
)
def test_latex_formulas(text, told):
    assert latex(text) == told


def test_what_would_break_a_line_is_shown_escaped():
    table = Table(("a\nb", "c"), [("x\ty", "1"), ("\u2028\x00", "2")], title="t\nu", notes=["n\r"])
    assert table.text().splitlines() == [
        "t\\nu",
        "",
        "a\\nb        c",
        "─────────────",
        "x\\ty        1",
        "\\u2028\\x00  2",
        "",
        "n\\r",
    ]
    for told in (table.markdown(), table.latex(), table.html()):
        assert not set(told) & set("\t\r\u2028\x00")
    assert "a\\nb" in table.html()


class Seen(HTMLParser):
    """Collects the tags that are open and the text."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.tags = [], [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_html():
    seen = Seen()
    seen.feed(NUMBERS.html(limit=2))
    assert seen.open == []
    assert {"a|b", "x_1 [red]", "… 1 more step …", "Some *rows*"} <= set(seen.text)
    assert "<b> &" not in NUMBERS.html()
    assert "&lt;b&gt; &amp; 50 %" in NUMBERS.html()
    styles = " ".join(attrs.get("style", "") for _, attrs in seen.tags)
    assert not re.search(r"color:\s*#|black|white(?!-space)", styles)  # a notebook may be light or dark
    assert "font-weight:bold" in NUMBERS.html()


def test_a_wide_table_is_folded():
    table = Table(("step", "a", "b", "c"), [("1", "x" * 10, "y" * 10, "z" * 30)], title="T", notes=["N"])
    for width, parts in ((100, ["step a b c"]), (32, ["step a b", "step c"]), (20, ["step a", "step b", "step c"])):
        folded = table.folded(width)
        assert [" ".join(part.headings) for part in folded] == parts
        assert [part.title for part in folded] == ["T"] + [""] * (len(parts) - 1)
        assert [list(part.notes) for part in folded] == [[]] * (len(parts) - 1) + [["N"]]


def test_in_a_terminal_a_table_is_folded_to_its_width(monkeypatch, capsys):
    table = Table(("step", "a", "b", "c"), [("1", "x" * 10, "y" * 10, "z" * 30)])
    table.show()
    assert capsys.readouterr().out == f"{table}\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    table.show()
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 40
    assert lines[-1].endswith("z" * 30)
