"""The page of benchmarks is what report.py makes of results.json; compare.py tells a change from noise."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "benchmarks"
if not FOLDER.is_dir():
    pytest.skip("benchmarks/ is not part of this source", allow_module_level=True)
sys.path.insert(0, str(FOLDER))
import compare  # noqa: E402
import harness  # noqa: E402
import report  # noqa: E402

sys.path.remove(str(FOLDER))


def made_up(*rows):
    return {
        "rosenblatt": "0", "commit": "abc", "date": "2026-01-01", "processor": "Z80", "cores": 2, "memory": 2**34,
        "system": "CP/M", "python": "3", "versions": {"numpy": "2"}, "repeats": 5, "quick": False, "took": 60.0,
        "rows": list(rows),
    }  # fmt: skip


def raced(name, ratios, **more):
    ours = [1.0] * len(ratios)
    return harness.row(
        more.pop("question", "passes"), name, "a fit", ours=ours, peer=list(ratios), ratios=list(ratios),
        ours_name="Ours", peer_name="peer 1.0", learned="it learned", **more,
    )  # fmt: skip


def results():
    path = FOLDER / "results.json"
    if not path.exists():
        pytest.skip("benchmarks/results.json is not here: `make bench` writes it")
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_page_is_made_of_the_results():
    assert (ROOT / "docs" / "reference" / "benchmarks.md").read_text(encoding="utf-8") == report.page(results())


def test_the_table_of_the_readme_is_made_of_the_results():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert report.between_markers(readme, report.readme_part(results())) == readme


def test_every_plot_of_the_page_is_there():
    page = (ROOT / "docs" / "reference" / "benchmarks.md").read_text(encoding="utf-8")
    for part in page.split("](../images/")[1:]:
        assert (ROOT / "docs" / "images" / part.partition(")")[0]).exists()


def test_results_name_no_place_of_the_machine():
    written = json.dumps(results())
    assert not re.findall(r"(?<![\w.~:/-])/\w[\w.-]*/|\b[A-Z]:\\\\", written)  # /a/b, C:\ as JSON writes it


def test_a_race_runs_in_turns_and_pairs_its_times():
    order = []
    row = harness.race(
        "passes", "x", "y", lambda seed: order.append(("ours", seed)), lambda seed: order.append(("peer", seed)),
        lambda one, other: "both", 4,
    )  # fmt: skip
    assert [side for side, _ in order] == ["ours", "peer", "peer", "ours", "ours", "peer", "peer", "ours"]
    assert [seed for _, seed in order] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert row["ratios"] == [b / a for a, b in zip(row["ours"], row["peer"])]
    assert row["learned"] == "both"


def test_a_race_is_void_when_its_check_fails():
    def check(one, other):
        assert one == other, "work was left out"

    with pytest.raises(AssertionError, match="work was left out"):
        harness.race("passes", "x", "y", lambda _: 1, lambda _: 2, check, 1)


def test_a_row_has_one_shape():
    with pytest.raises(TypeError, match="no speed"):
        harness.row("passes", "x", "y", speed=3)


def test_the_report_says_where_a_peer_is_faster_and_what_is_missing():
    missing = {"question": "files", "name": "absent", "missing": "river is not installed"}
    page = report.page(
        made_up(raced("sparse", [3.0, 3.1, 2.9], reach=2), raced("dense", [0.5, 0.6, 0.55], reach=2), missing)
    )
    assert "3× (2.95–3.05)" in page
    assert "**0.55× (0.525–0.575), the peer is faster**" in page
    faster = page.partition("## Where a peer is faster")[2].partition("## Short")[0]
    assert "`dense`" in faster
    assert "`sparse`" not in faster
    short = page.partition("## Short of what is asked")[2].partition("## Not measured")[0]
    assert "`dense`" in short
    assert "`sparse`" not in short
    assert "- `absent`: river is not installed" in page
    assert "Ours is ahead or level in 1 of 2 rows" in page


def test_limits_are_kept_from_below():
    page = report.page(made_up(raced("m", [1.2], question="memory", reach=1.1, at_most=True)))
    assert "≤ 1.1 **short**" in page
    assert "0 of 1 limits are kept" in page


def test_exponents_are_those_of_the_points():
    assert report.exponent([(n, 3 * n**1.5) for n in (1, 10, 100)]) == pytest.approx(1.5)


def test_accuracy_is_told_with_its_standard_error():
    def scored(side, name, right):
        more = {"data": "imdb", "passes": 5, "n": 2500, "side": side}
        return harness.row(
            "accuracy", name, "words", unit="accuracy", more=more, **{side: [right], f"{side}_name": name}
        )

    page = report.page(made_up(scored("ours", "A", 0.9), scored("peer", "B", 0.901)))
    assert "standard error 0.60 %" in page  # √(0.901 · 0.099 / 2500)
    assert "90.00 % (A) against 90.10 % (B), level, within a standard error" in page
    assert "ahead" in report.page(made_up(scored("ours", "A", 0.92), scored("peer", "B", 0.9)))


@pytest.mark.parametrize("seed", range(5))
def test_compare_tells_a_change_from_noise(seed):
    rng = np.random.default_rng(seed)

    def run(ratio):
        return made_up(raced("sparse", (ratio * np.exp(rng.normal(0, 0.02, 9))).tolist()))

    [(name, _, _, _, verdict)] = compare.compared(run(3.0), run(3.0))
    assert (name, verdict) == ("sparse", "")
    assert compare.compared(run(3.0), run(3.6))[0][-1] == "better"
    assert compare.compared(run(3.0), run(2.4))[0][-1] == "worse"


def test_compare_sees_no_change_within_the_spread_nor_below_five_percent():
    wide, moved = [2.0, 2.5, 3.0, 3.5, 4.0], [2.4, 2.9, 3.4, 3.9, 4.4]
    assert compare.verdict(raced("x", wide), raced("x", moved)) == ""
    assert compare.verdict(raced("x", [3.0] * 5), raced("x", [3.1] * 5)) == ""
    assert compare.verdict(raced("x", [3.0] * 5), raced("x", [3.2] * 5)) == "better"
    assert (
        compare.verdict(raced("x", [3.0, 3.0, 4.0]), raced("x", [3.9, 4.5, 4.5])) == ""
    )  # few runs: their whole range
    smaller = raced("x", [6.0] * 5) | {"what": "a smaller fit"}
    assert compare.verdict(raced("x", [3.0] * 5), smaller) == "not the same work"


def test_compare_knows_that_less_memory_is_better():
    before, after = (made_up(raced("m", [value], question="memory", reach=1, at_most=True)) for value in (0.9, 0.5))
    assert compare.compared(before, after)[0][-1] == "better"
    assert compare.compared(after, before)[0][-1] == "worse"


def test_compare_says_what_else_differs():
    other = made_up() | {"processor": "6502"}
    assert compare.differences(made_up(), other) == ["processor: Z80 and 6502"]
    assert compare.differences(made_up(), made_up()) == []


def test_the_readme_needs_its_markers():
    with pytest.raises(ValueError, match="bench:begin"):
        report.between_markers("no table here", "")
    assert (
        report.between_markers(f"a\n{report.BEGIN}\nold\n{report.END}\nb", "new")
        == f"a\n{report.BEGIN}\nnew\n{report.END}\nb"
    )
