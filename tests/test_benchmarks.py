"""The page of benchmarks is what report.py makes of results.json; compare.py tells a change from noise."""

import json
import os
import re
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "benchmarks"
if not FOLDER.is_dir():
    pytest.skip("benchmarks/ is not part of this source", allow_module_level=True)
sys.path.insert(0, str(FOLDER))
import compare  # noqa: E402
import files  # noqa: E402
import harness  # noqa: E402
import models_of_files  # noqa: E402
import models_page  # noqa: E402
import nbsvm  # noqa: E402
import processes  # noqa: E402
import report  # noqa: E402
import wabbit_script  # noqa: E402

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


def results(name="results.json", made_by="make bench"):
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"benchmarks/{name} is not here: `{made_by}` writes it")
    return json.loads(path.read_text(encoding="utf-8"))


def results_of_models():
    return results("results_models.json", "make bench-models")


def test_the_page_is_made_of_the_results():
    assert (ROOT / "docs" / "reference" / "benchmarks.md").read_text(encoding="utf-8") == report.page(results())


def test_the_table_of_the_readme_is_made_of_the_results():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert report.between_markers(readme, report.readme_part(results())) == readme


def test_the_page_of_models_is_made_of_the_results():
    expected = models_page.page(results_of_models())
    assert (ROOT / "docs" / "reference" / "models-of-files.md").read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("name", ["benchmarks.md", "models-of-files.md"])
def test_every_plot_of_the_page_is_there(name):
    page = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
    for part in page.split("](../images/")[1:]:
        assert (ROOT / "docs" / "images" / part.partition(")")[0]).exists()


@pytest.mark.parametrize("rows_of", [results, results_of_models])
def test_results_name_no_place_of_the_machine(rows_of):
    written = json.dumps(rows_of())
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


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot pin a process to cores")
def test_processes_are_pinned_for_a_while():
    before = os.sched_getaffinity(0)
    count = processes.python("import os; print(len(os.sched_getaffinity(0)))")
    with processes.pinned(1) as is_pinned:
        assert is_pinned
        assert processes.done(count).strip() == "1"
    assert os.sched_getaffinity(0) == before
    with pytest.raises(harness.Missing, match=r"\d+ cores are asked for"), processes.pinned(len(before) + 1):
        pass


def test_the_command_is_raced_on_each_number_of_cores(monkeypatch, tmp_path):
    pinned_to = []

    @contextmanager
    def pinned(cores):
        pinned_to.append(cores)
        yield True

    for name, fake in {
        "available_cores": lambda: 16, "pinned": pinned, "peer": lambda *words: " ".join(words),
        "reviews": lambda *_: tmp_path / "train4.csv", "race": lambda *_, **more: (_[1], more.get("reach")),
    }.items():  # fmt: skip
        monkeypatch.setattr(files, name, fake)
    monkeypatch.setattr(os, "sched_setaffinity", None, raising=False)
    asked = list(files.text_command(harness.Setting(1, False, tmp_path)))
    raced = [("train-text-1", 1.0), ("train-text-2", 1.0), ("train-text-4", 2.0), ("train-text", 3.0)]
    assert asked == [*raced, ("train-text-chosen", None)]  # the last with the features that it chooses
    assert pinned_to == [1, 2, 4, 16]
    assert list(files.text_command(harness.Setting(1, True, tmp_path))) == [("train-text", 3.0)]  # the quick run


def file_of(folder, name, rows):
    path = folder / name
    path.write_text("label,text\n" + "".join(f"{label},{text}\n" for label, text in rows), encoding="utf-8")
    return path


def copying(accuracies, **more):
    """A recipe whose model is the training file; the accuracy of each file of unseen rows is made up."""
    code = "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])"
    return models_of_files.Recipe(
        "copy", more.pop("name", lambda: "copier 1.0"), more.pop("family", "LinearSVC"),
        lambda train, model, _: processes.python(more.get("code", code), train, model),
        lambda model, test: accuracies[test.name] * model.exists(), lambda _: True,
    )  # fmt: skip


def measured_model(folder, recipe):
    few, many = file_of(folder, "few.csv", [("a", "x")]), file_of(folder, "many.csv", [("a", "x"), ("b", "y")] * 2)
    data = models_of_files.DataSet("letters", "letters", True, lambda _: [(few, many), (many, few)])
    head = {"commit": "abc", "date": "2026-01-01"}
    return models_of_files.measured(data, recipe, 0, harness.Setting(3, False, folder), head)


@pytest.fixture
def any_cores(monkeypatch):
    monkeypatch.setattr(models_of_files, "CORES", 1)


@pytest.mark.usefixtures("any_cores")
def test_a_model_is_judged_by_the_rows_of_all_folds(tmp_path):
    row = measured_model(tmp_path, copying({"many.csv": 0.5, "few.csv": 1.0}))
    assert row["more"]["accuracy"] == pytest.approx((4 * 0.5 + 1 * 1.0) / 5)
    assert (row["more"]["n"], row["more"]["rows"], len(row["peer"]), len(row["more"]["cpu"])) == (5, 1, 2, 2)


@pytest.mark.usefixtures("any_cores")
def test_what_cannot_be_measured_says_why_in_one_sentence(tmp_path):
    def absent():
        raise harness.Missing("copier is not installed")

    assert measured_model(tmp_path, copying({}, name=absent))["missing"] == "copier is not installed"
    fails = "import sys; raise ValueError('no time to train once, in ' + sys.argv[1])"
    assert measured_model(tmp_path, copying({}, code=fails))["missing"] == "no time to train once, in …/few.csv"


def test_a_search_of_a_peer_takes_as_long_as_ours():
    [data] = [one for one in models_of_files.SETS if one.name == "mr"]
    train = harness.row("models", "mr/train", "", ours=[0.41, 0.5, 9.0])
    tune = harness.row("models", "mr/tune-large", "", ours=[7.2])
    assert models_of_files.time_to_search({"mr/train": train}, data) == 5
    assert models_of_files.time_to_search({"mr/train": train, "mr/tune-large": tune}, data) == 8
    with pytest.raises(harness.Missing, match="measure --recipes ours first"):
        models_of_files.time_to_search({}, data)


def test_our_recipes_are_chosen_by_one_word():
    chosen = [recipe.key for recipe in models_of_files.chosen_recipes(["ours"])]
    assert chosen == ["train", "tune-small", "tune-medium", "tune-large"]
    both = models_of_files.chosen_recipes(["ours", "vw-1"])
    assert [recipe.key for recipe in both] == [*chosen, "vw-1"]
    assert models_of_files.chosen_recipes(None) == list(models_of_files.RECIPES)
    with pytest.raises(SystemExit, match="no recipe is called vw"):
        models_of_files.chosen_recipes(["vw"])


def model_row(data, key, side, right, seconds):
    more = {
        "data": data, "key": key, "family": "rosenblatt train" if side == "ours" else "NBSVM", "side": side, "n": 100,
        "rows": 300, "accuracy": right, "cpu": [seconds], "commit": "abc", "date": "2026-01-01",
    }  # fmt: skip
    return harness.row("models", f"{data}/{key}", "x", more=more, **{side: [seconds], f"{side}_name": f"by {key}"})


def test_the_page_of_models_has_means_of_those_that_have_all_texts(tmp_path):
    rows = [model_row("imdb", "train", "ours", 0.9, 1.0), model_row("mr", "train", "ours", 0.8, 4.0),
            model_row("imdb", "nbsvm-pairs", "peer", 0.92, 9.0), model_row("a9a", "train", "ours", 0.85, 0.5),
            {"question": "models", "name": "mr/nbsvm-pairs", "missing": "no memory"}]  # fmt: skip
    page = models_page.page(made_up(*rows))
    assert "| **by train** | 90.00 | **80.00** | **85.00** | **85.00** |" in page
    assert "| by nbsvm-pairs | **92.00** |  |  |  |" in page
    assert "| **by train** | **1** | **4** | **2** | **0.5** |" in page  # √(1 · 4)
    assert "- `mr/nbsvm-pairs`: no memory" in page
    assert models_page.centre(rows[:2]) == pytest.approx((2.0, 15.0))
    models_page.draw(made_up(*rows), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"bench-models.svg", "bench-models-mean.svg"}
    assert models_page.page(made_up()) == ""


def test_nbsvm_weighs_by_the_ratios_of_the_paper():
    X = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [0, 0, 1]])
    y = np.array(["pos", "pos", "neg", "neg"])
    [(r, w)] = nbsvm.NBSVM(beta=0).fit(X, y).learned_
    p, q = np.array([3, 2, 2]), np.array([1, 2, 3])  # 1 + counts of pos and of neg
    assert r == pytest.approx(np.log((p / 7) / (q / 6)))
    assert len(set(w)) == 1  # nothing of the SVM's own: naive Bayes
    [(_, own)] = nbsvm.NBSVM(beta=1).fit(X, y).learned_
    [(_, mixed)] = nbsvm.NBSVM().fit(X, y).learned_
    assert mixed == pytest.approx(0.75 * np.abs(own).mean() + 0.25 * own)
    assert nbsvm.NBSVM().fit(X, y).predict(X).tolist() == y.tolist()
    three = np.array(["a", "b", "c", "c"])
    assert nbsvm.NBSVM(beta=1, unit=True, C=100).fit(X, three).predict(X).tolist() == three.tolist()


def test_rows_in_the_format_of_vowpal_wabbit(tmp_path):
    text = file_of(tmp_path, "text.csv", [("pos", "A Good film: 9|10"), ("neg", "bad")])
    assert wabbit_script.examples(str(text)) == (["pos", "neg"], ["good film 10", "bad"], True)
    table = tmp_path / "table.csv"
    table.write_text("x,y,kind\n1.5,0,7\n0,-2,3\n")
    assert wabbit_script.examples(str(table)) == (["7", "3"], ["0:1.5", "1:-2"], False)
    rows = tmp_path / "rows.svm"
    rows.write_text("+1 3:1 7:1 \n-1 2:0.5\n")
    assert wabbit_script.examples(str(rows)) == (["+1", "-1"], ["3:1 7:1", "2:0.5"], False)
