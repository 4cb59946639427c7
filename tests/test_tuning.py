"""Configurations compared on rows: the sample, the metrics, halving, and the rules of what `train` chooses."""

import json
import shlex
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt import cli, estimators, model_files
from rosenblatt.core import labels
from rosenblatt.core.spec import Spec
from rosenblatt.data import Block, Columns
from rosenblatt.data.arrow import Strings, Texts
from rosenblatt.data.csr import Csr
from rosenblatt.data.features import Features
from rosenblatt.text.defaults import default_hashing
from rosenblatt.tuning import choices, grids, halving
from rosenblatt.tuning.choices import Chooser, choose_for_text
from rosenblatt.tuning.halving import BUDGETS, Halving, budget_of
from rosenblatt.tuning.judging import Candidate, Judge, Judged
from rosenblatt.tuning.metrics import METRICS, Measured, Part, metric_of
from rosenblatt.tuning.sample import Sample, drawn

pa = pytest.importorskip("pyarrow")
pa_csv, pq = pytest.importorskip("pyarrow.csv"), pytest.importorskip("pyarrow.parquet")

WORDS = ["good", "bad", "film", "fine", "awful", "plot", "the", "a", "not", "very"]


def reviews(n=300, seed=0, noise=0.1):
    """Texts whose words lean to one of two labels."""
    rng = np.random.default_rng(seed)
    mood = rng.random(n) < 0.5
    texts = []
    for is_good in mood:
        words = rng.choice(WORDS, rng.integers(4, 12))
        words = [w if w not in ("good", "bad") else ("good" if is_good else "bad") for w in words]
        texts.append(" ".join(words))
    flipped = mood ^ (rng.random(n) < noise)
    return np.where(flipped, "pos", "neg"), texts


def text_sample(n=300, seed=0):
    y, texts = reviews(n, seed)
    classes = labels.classes_of(y)
    block = Block(y, np.arange(1, n + 1), (("rows", 0),), columns=pa.table({"text": texts}))
    return Sample(block, labels.encode(y, classes), classes), y, texts


def features(**options):
    return Features.of_table(Columns(label="label", text=("text",)), lambda: default_hashing(22, **options))


SPEC = Spec.of(
    "PassiveAggressiveClassifier", {"average": True, "fit_intercept": False, "max_iter": 5, "random_state": 0}
)


@pytest.mark.parametrize(
    "options",
    [
        {"supervised": True},
        {"supervised": False},
        {"supervised": True, "idf": False, "weighting": "log"},
        {"supervised": False, "idf": False, "weighting": "count"},
        {"supervised": True, "ngrams": 3, "weighting": "log"},
        {"supervised": True, "characters": (2, 5)},
        {"supervised": False, "characters": (2, 3), "norm": None},
        {"supervised": True, "analyzer": "char"},
        {"supervised": True, "analyzer": "char_wb", "ngrams": 4},
    ],
    ids=str,
)
@pytest.mark.parametrize("n", [300, 120])
def test_rows_of_a_sample_are_those_of_the_encoder(options, n):
    """But for the columns, whose numbers are others: the values of each row are the same, and so are their products."""
    sample, y, _ = text_sample()
    learned = np.arange(n)
    found = sample.rows(features(**options), learned).to_scipy()
    made = features(**options)
    block = sample.block
    made.count(made.read(block.taken(learned), learn=True), y[:n])
    expected = made.weigh(made.read(block, learn=False), learn=False).to_scipy()
    np.testing.assert_allclose((found @ found.T).toarray(), (expected @ expected.T).toarray(), rtol=1e-5, atol=2e-6)
    assert found.nnz == expected.nnz


def test_ngrams_are_hashed_once_for_all_configurations(monkeypatch):
    from rosenblatt.core import engine

    calls = []
    real = engine.hash_text
    monkeypatch.setattr(engine, "hash_text", lambda *given: calls.append(given[1]) or real(*given))
    sample, _, _ = text_sample()
    for options in ({"ngrams": 1}, {"ngrams": 2}, {"ngrams": 3}, {"ngrams": 2, "weighting": "log"}, {"ngrams": 3}):
        for n in (100, 200):
            sample.rows(features(supervised=True, **options), np.arange(n))
    assert len(calls) == 3  # words, pairs, triples


def test_numbers_and_categories_are_scaled_by_the_rows_that_are_learned_from():
    rng = np.random.default_rng(0)
    table = pa.table({"a": rng.normal(5, 3, 50), "kind": rng.choice(["x", "y"], 50), "text": ["good film", "bad"] * 25})
    columns = Columns(label="label", text=("text",), numeric=("a",), categorical=("kind",))
    y = np.array(["no", "yes"] * 25)
    block = Block(y, np.arange(50), (("rows", 0),), columns=table)
    sample = Sample(block, labels.encode(y, labels.classes_of(y)), labels.classes_of(y))
    rows = sample.rows(Features.of_table(columns, lambda: default_hashing(12, supervised=True)), np.arange(20))
    a = np.asarray(table["a"])
    np.testing.assert_allclose(rows.to_scipy()[:, 0].toarray()[:, 0], (a - a[:20].mean()) / a[:20].std(), rtol=1e-5)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(1, 200), st.integers(0, 5))
def test_a_sample_is_drawn_from_all_blocks_and_each_row_once(sizes, rows, seed):
    starts = np.cumsum([0, *sizes])
    blocks = [
        Block(np.arange(a, b), np.arange(a, b), (("f", 0),), Csr.of_dense(np.arange(a, b)[:, None] + 1.0))
        for a, b in pairwise(starts)
    ]
    sample = drawn(blocks, rows, 1 << 30, seed)
    assert len(sample) == min(rows, starts[-1])
    assert len(set(sample.labels.tolist())) == len(sample)
    expected = np.random.default_rng(seed).permutation(starts[-1])[: len(sample)]
    np.testing.assert_array_equal(sample.labels, expected)
    np.testing.assert_array_equal(sample.csr.data, expected + 1.0)  # each row with its label


def test_memory_that_a_block_takes_does_not_change_what_is_drawn_from_it():
    _, texts = reviews()
    starts = np.cumsum([0, *map(len, texts)]).astype(np.int32).tobytes()
    columns = [
        pa.table({"text": texts}), pa.table({"text": pa.array(texts, pa.large_string())}),
        Texts({"text": Strings(starts, "".join(texts).encode() + b" " * 9_000)}),
    ]  # fmt: skip
    blocks = [Block(None, np.arange(300), (("f", 0),), columns=table) for table in columns]
    samples = [drawn([block], 300, 4_000, 0).lines.tolist() for block in blocks]
    assert 100 < len(samples[0]) < 200
    assert samples[0] == samples[1] == samples[2]


def test_the_same_rows_are_compared_on_whatever_file_they_come_from(tmp_path, monkeypatch, capsys):
    marks, texts = reviews(1_500)
    table = pa.table({"label": marks, "text": texts})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=400)
    pa_csv.write_csv(table, tmp_path / "a.csv")
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    monkeypatch.setattr(choices, "BYTES", 20_000)  # some 500 of these rows
    models, said = [], []
    for kind in ("csv", "parquet", "jsonl"):
        assert cli.main(["train", str(tmp_path / f"a.{kind}"), "-o", str(tmp_path / kind), "--json"]) == 0
        said.append(json.loads(capsys.readouterr().out)["choices"])
        models.append(rb.load(tmp_path / kind).coef_.tobytes())
    assert said[0] == said[1] == said[2]
    assert models[0] == models[1] == models[2]


def test_a_run_is_judged_as_the_estimator_would_be():
    sample, y, _ = text_sample()
    learned, judged = np.arange(150), np.arange(150, 300)
    candidate = Candidate({}, features(supervised=True), SPEC)
    found = Judge(sample, METRICS["accuracy"], (1, 2, 5)).judge(candidate, learned, judged)
    X = sample.rows(candidate.features, learned).to_scipy()
    for one in found:
        model = rb.PassiveAggressiveClassifier(average=True, fit_intercept=False, max_iter=one.passes, random_state=0)
        model.fit(X[:150], y[:150])
        assert np.array_equal(sample.classes[one.predictions], model.predict(X[150:]))


def test_learners_share_the_rows_of_a_part_and_one_part_is_in_memory(monkeypatch):
    sample, _, _ = text_sample(1600)
    made, plain, most = [], sample.rows, []
    judge = Judge(sample, METRICS["accuracy"], (1,), lambda: most.append(len(judge._made)))

    def rows(own, learned):
        assert not judge._made  # those before are let go of first
        made.append((len(own.encoder.text["text"].hashing.parts), len(learned)))
        return plain(own, learned)

    monkeypatch.setattr(sample, "rows", rows)
    words, more = features(supervised=True), features(supervised=True, characters=(2, 3))
    search = Halving(judge, [Candidate({"C": C}, [words, more][C % 2], SPEC) for C in range(4)], 2)
    search.run()
    parts = [1066, 1067, 1067]
    chosen = {len(trial.candidate.features.encoder.text["text"].hashing.parts) for trial in search.ranked[:2]}
    assert made[:2] == [(1, 400), (2, 400)]  # once for all learners
    assert sorted(made[2:]) == sorted((n, size) for n in chosen for size in parts)
    assert set(most) == {1}
    assert not judge._made


def test_the_halves_of_a_comparison_are_kept_for_its_learners(monkeypatch):
    sample, _, _ = text_sample(400)
    made, plain, own = [], sample.rows, features(supervised=True)
    monkeypatch.setattr(sample, "rows", lambda *which: (made.append(1), plain(*which))[1])
    Chooser(sample, lambda options: Candidate(options, own, SPEC), 1).compare("r", (1.0, 0.3, 0.1))
    assert len(made) == 2


@pytest.mark.parametrize("k", [2, 4])
def test_metrics_are_those_of_scikit_learn(k):
    from sklearn.metrics import accuracy_score, f1_score, mean_absolute_error, roc_auc_score

    rng = np.random.default_rng(k)
    y, predicted, scores = rng.integers(0, k, 90), rng.integers(0, k, 90), rng.integers(0, 9, 90) / 4

    def value(name, *parts):
        return METRICS[name].measure([Part(*part) for part in parts], k).value

    cut = [(y[part], predicted[part], scores[part]) for part in (slice(50), slice(50, 90))]
    assert value("accuracy", *cut) == accuracy_score(y, predicted)
    assert value("f1", *cut) == pytest.approx(f1_score(y, predicted, average="macro"))
    assert value("mae", *((y, scores, scores) for y, _, scores in cut)) == pytest.approx(mean_absolute_error(y, scores))
    if k == 2:
        assert value("auc", (y, predicted, scores)) == pytest.approx(roc_auc_score(y, scores))
        pairs = [np.sum(y == 0) * np.sum(y == 1) for y, _, _ in cut]  # in the same part
        each = [roc_auc_score(y, scores) for y, _, scores in cut]
        assert value("auc", *cut) == pytest.approx(np.average(each, weights=pairs))
        alone = np.zeros(3, int), np.zeros(3, int), np.arange(3.0)  # without a row of one class, so without pairs
        assert value("auc", *cut, alone) == value("auc", *cut)
        assert value("auc", alone) == 0.5


@pytest.mark.parametrize("name", [name for name in METRICS if name != "mae"])
def test_the_influence_of_a_row_is_what_it_moves_when_it_counts_more(name):
    """Its derivative by the weight of the row: of rows that stand N times, one stands once more."""
    rng, k, times = np.random.default_rng(1), 2, 2000
    y, predicted, scores = rng.integers(0, k, 12), rng.integers(0, k, 12), rng.integers(0, 5, 12) * 1.0
    measured = METRICS[name].measure([Part(y, predicted, scores)], k)
    assert measured.influence.mean() == pytest.approx(0, abs=1e-12)
    for row in range(12):
        rows = np.append(np.repeat(np.arange(12), times), row)
        more = METRICS[name].measure([Part(y[rows], predicted[rows], scores[rows])], k).value
        assert (more - measured.value) * 12 * times == pytest.approx(measured.influence[row], abs=0.01)


def test_a_class_that_few_have_counts_once_for_all_parts():
    """The mean of three parts, of which two had no row of the class, was 83 % for never predicting it."""
    y = np.zeros(300, int)
    y[[3, 5]] = 1
    parts = [Part(part, np.zeros(100, int), np.zeros(100)) for part in np.split(y, 3)]
    assert METRICS["f1"].measure(parts, 2).value == pytest.approx(np.mean([2 * 298 / 598, 0]))


def test_metrics_that_labels_do_not_allow_are_refused():
    for name, n, words in (("auc", 3, "two classes, and there are 3"), ("mae", 2, "the labels are 2 classes")):
        with pytest.raises(ValueError, match=words):
            metric_of(name, n)
    for name in ("accuracy", "f1", "auc"):
        with pytest.raises(ValueError, match="labels are numbers; choose mae"):
            metric_of(name, None)
    with pytest.raises(ValueError, match="must be one of accuracy, f1, auc, mae"):
        metric_of("speed", 2)


class Oracle:
    """A judge whose values are known; ``wrong``: the rows of the sample that each candidate gets wrong."""

    passes = (1,)

    def __init__(self, values, n, wrong=None):
        self.metric = METRICS["f1" if wrong is None else "accuracy"]
        self.values, self.sample, self.asked, self.wrong = values, range(n), [], wrong

    def forget_rows(self):
        """It keeps none."""

    def judge(self, candidate, learned, judged, after):
        assert not set(learned.tolist()) & set(judged.tolist())  # what is judged was not learned from
        i = candidate.options["i"]
        self.asked.append((i, len(learned)))
        return [Judged(1, np.full(len(judged), i), np.empty(0))]

    def measure(self, results):
        i, judged = results[0][0].predictions[0], np.concatenate([rows for _, rows in results])
        right = np.full(len(judged), self.values[i]) if self.wrong is None else self.is_right(i, judged)
        return Measured(right.mean(), right - right.mean())

    def is_right(self, i, judged):
        return ~np.isin(judged, self.wrong[i]) * 1.0


def candidates_of(n):
    return [Candidate({"i": i}, None, SPEC) for i in range(n)]


@given(
    st.lists(st.integers(0, 1000), min_size=2, max_size=40, unique=True),
    st.sampled_from([40, 160, 1000, 8000]), st.sampled_from([1, 2]),
)  # fmt: skip
def test_halving_finds_the_best_where_values_do_not_change(values, n, cuts):
    search = Halving(Oracle(values, n), candidates_of(len(values)), 3, cuts)
    search.run()
    assert search.ranked[0].value == pytest.approx(max(values))
    assert search.done == search.all == sum(learned for _, learned in search.judge.asked)
    assert sorted(trial.number for trial in search.ranked) == list(range(len(values)))
    last = max(trial.rung for trial in search.trials)
    for trial in search.trials:
        if trial.rung == last:  # each part of the rows by a model of the others
            assert trial.judged == n
            learned = [size for i, size in search.judge.asked if i == trial.number][-halving.FOLDS * cuts :]
            assert sum(learned) == cuts * (halving.FOLDS - 1) * n


def test_of_few_rows_each_is_judged_as_often_as_they_are_cut_and_counts_by_its_mean():
    class Moody(Oracle):
        """Wrong in every row the first time, and right from then on."""

        seen = frozenset()

        def is_right(self, i, judged):
            again = np.array([row in self.seen for row in judged.tolist()])
            self.seen = self.seen | set(judged.tolist())
            return again * (1.0 + judged)

    for n, share in ((80, 0.5), (halving.FEW_ROWS, 0.5), (halving.FEW_ROWS + 1, 0.0)):
        search = Halving(judge := Moody(None, n, [[], []]), candidates_of(1), 1, 2)
        search.run()
        assert search.trials[0].judged == n
        measured = search.trials[0].measured
        np.testing.assert_allclose(measured.value + measured.influence, share * (1.0 + np.arange(n)), atol=1e-9)
        assert judge.seen == set(range(n))


@pytest.mark.parametrize(
    ("n", "rungs", "expected"),
    [
        (8000, 4, [(500, 2000, 48), (1000, 2000, 24), (2000, 2000, 12), (5333, 8000, 6)]),
        (1600, 4, [(400, 1200, 48), (1066, 1600, 6)]),  # not from 100 rows, nor from 200
        (1600, 3, [(400, 1200, 12), (1066, 1600, 3)]),
        (400, 3, [(100, 300, 12), (266, 400, 3)]),
        (40, 3, [(26, 40, 12)]),
    ],
)
def test_no_rung_learns_from_few_rows_or_judges_on_few(n, rungs, expected):
    judge = Oracle(np.linspace(0, 1, 48), n)
    search = Halving(judge, candidates_of(expected[0][2]), rungs)
    search.run()
    found = [[trial for trial in search.trials if trial.rung >= rung] for rung in range(len(expected))]
    assert [len(trials) for trials in found] == [count for _, _, count in expected]
    for rung, (learned, judged, _) in enumerate(expected):
        for trial in search.trials:
            assert trial.rung != rung or (trial.learned, trial.judged) == (learned, judged)


@pytest.mark.parametrize(
    ("wrong", "chosen"),
    [
        (range(196), 1),  # 4 of 1,000 fewer, and right wherever the default is: better by two standard errors of this
        (range(200, 390), 0),  # 10 fewer, but others: chance
        (range(200, 365), 0),  # 35 fewer: 1.8 standard errors
        (range(200, 340), 1),  # 60 fewer: √(0.34/1000) = 1.8 %, of which this is more than three
        (range(200), 0),
    ],
)
def test_the_default_stays_unless_another_is_better_by_more_than_two_standard_errors_of_the_difference(wrong, chosen):
    rows = [np.arange(200), np.asarray(wrong), *(np.arange(500 - 10 * i) for i in range(10))]
    search = Halving(Oracle(None, 1000, rows), candidates_of(12), 3)
    search.run()
    assert search.best.number == chosen
    rows[0] = np.arange(900)  # the default goes through all rungs, however bad it is
    worse = Halving(Oracle(None, 1000, rows), candidates_of(12), 3)
    worse.run()
    assert worse.trials[0].rung == max(trial.rung for trial in worse.trials)
    assert worse.done == worse.all
    assert worse.best.value == max(1 - len(one) / 1000 for one in rows)


@pytest.mark.parametrize(
    ("wrong", "passes"), [({5: 100, 3: 100, 10: 100, 2: 100}, 5), ({5: 100, 3: 100, 10: 60, 2: 90}, 10)]
)
def test_the_usual_number_of_passes_stays_unless_another_is_better(wrong, passes):
    """A run that ended early, as it separates the rows, is the same after all of them."""

    class Passes(Oracle):
        passes = grids.PASSES

        def judge(self, candidate, learned, judged, after):
            assert after == ((3,) if len(learned) == 250 else self.passes)  # the last round alone tries all
            return [Judged(n, np.full(len(judged), n), np.empty(0)) for n in sorted(after)]

        def is_right(self, passes, judged):
            return (judged >= wrong[passes]) * 1.0

    search = Halving(Passes(None, 1000, []), candidates_of(2), 3)
    search.run()
    assert search.best.passes == passes


def test_of_rows_that_are_separated_early_the_model_is_that_of_train():
    """All configurations are right, and after all passes: nothing is better than the default after the usual ones."""
    y = np.arange(200) % 2
    found = rb.tune(np.column_stack((2 * y - 1, np.sin(np.arange(200)) / 9)), y)
    assert found.value == 1
    assert found.options == {"fit_intercept": True, **grids.LEARNERS["numbers"][0], "passes": 5}


def test_an_interrupted_search_has_the_best_of_its_last_rung():
    judge, calls = Oracle([5, 1, 2, 9, 3, 4, 8, 0], 4000), []

    def report(search):
        calls.append(search)
        if len(calls) == 10:  # all of the first rung, two of the second
            raise KeyboardInterrupt

    search = Halving(judge, candidates_of(8), 3, progress=report)
    with pytest.raises(KeyboardInterrupt):
        search.run()
    assert search.ranked[0].rung == 1
    assert len(search.ranked) == 8


@pytest.mark.parametrize("kind", [*grids.FEATURES])
@pytest.mark.parametrize("grid", grids.GRIDS)
def test_grids_begin_with_the_default_and_repeat_nothing(kind, grid):
    found = grids.configurations(kind, grid, {}, {}, {}, 10_000)
    keys = [json.dumps(options, sort_keys=True) for options in found]
    assert len(set(keys)) == len(keys)
    assert found[0] == {
        **{name: values[0] for name, values in grids.FEATURES[kind].items()},
        **grids.LEARNERS[kind][0],
    }
    few = grids.configurations(kind, grid, {}, {}, {}, 5)
    assert few == found[:5]  # a larger budget tries what a smaller one does, and more


def test_what_is_asked_for_is_not_searched():
    asked = {"weighting": "log", "C": 0.3}
    found = grids.configurations("text", "all", asked, {}, {"characters": "none", "fit_intercept": None}, 1000)
    assert {options["algorithm"] for options in found} == {"pa1", "pa2"}  # the others have no C
    for options in found:
        assert not {"weighting", "C", "fit_intercept"} & options.keys()
        assert options["characters"] == "none"
    first = {"weighting": "log", "C": 0.1}
    for options in grids.configurations("text", "learners", {}, first, {}, 1000):
        assert options["weighting"] == "log"  # what is judged is what ships
    for options in grids.configurations("text", "features", {}, first, {}, 1000):
        assert (options["algorithm"], options["C"]) == ("pa1", 0.1)


@pytest.mark.parametrize(("begin", "tried"), [(2, {2, 3}), (3, {3}), (1, {1, 2, 3})])
def test_on_a_part_of_the_rows_no_shorter_ngrams_are_tried(begin, tried):
    """From few rows single words look better than pairs that are worth more once all rows are learned from."""
    found = grids.configurations("text", "all", {}, {"ngrams": begin}, {}, 10_000, no_shorter=True)
    assert {options["ngrams"] for options in found} == tried
    assert found[0]["ngrams"] == begin
    every = grids.configurations("text", "all", {}, {"ngrams": begin}, {}, 10_000)
    assert {options["ngrams"] for options in every} == {1, 2, 3}
    grids.configurations("text", "all", {"ngrams": 1}, {}, {}, 10, no_shorter=True)  # which is asked for


def test_the_first_configuration_is_the_one_that_train_chooses():
    first = {"weighting": "log", "C": 0.1, "characters": (2, 5)}
    found = grids.configurations("text", "all", {}, first, {}, 12)
    assert {name: found[0][name] for name in first} == first


def test_budgets():
    assert [budget.candidates for budget in BUDGETS.values()] == sorted(
        budget.candidates for budget in BUDGETS.values()
    )
    assert BUDGETS["large"].candidates == 40  # more take longer than ten fits
    assert budget_of("30").candidates == 30
    with pytest.raises(ValueError, match="small, medium, large or a number"):
        budget_of("huge")


class Fixed:
    """A sample of so many rows whose losses are known for each value."""

    def __init__(self, losses):
        self.losses, self.classes, self.targets = losses, np.array([0, 1]), np.zeros(len(losses["none"]), int)

    def __len__(self):
        return len(self.targets)


def of_losses(losses):
    right = 1 - losses
    return Measured(right.mean(), right - right.mean())


@pytest.mark.parametrize(("wrong", "chosen"), [(40, (2, 5)), (42, (2, 5)), (60, "none")])
def test_what_is_within_chance_stays_as_it_is(wrong, chosen, monkeypatch):
    """40 of 200 are wrong without characters: 60 with them is worse, and 42, others among them, is within chance."""
    base, other = np.zeros(200), np.zeros(200)
    base[:40], other[100 : 100 + wrong] = 1, 1
    chooser = Chooser(Fixed({"none": base}), lambda options: options, 5)

    def measured(options):
        return of_losses(base if options["characters"] == "none" else other)

    monkeypatch.setattr(chooser, "_measured", measured)
    choices = choose_for_text(chooser, {"characters"}, 100, 200)
    assert choices.options["characters"] == chosen
    assert choices.comparisons[0].values == {"none": pytest.approx(0.8), (2, 5): pytest.approx(1 - wrong / 200)}


def test_characters_wait_until_the_other_options_are_chosen(monkeypatch):
    """They make rows several times as long, so that nothing else is compared with them."""
    asked = []
    chooser = Chooser(Fixed({"none": np.zeros(200)}), lambda options: options, 5)

    def measured(options):
        asked.append(dict(options))
        return of_losses(np.zeros(200))

    monkeypatch.setattr(chooser, "_measured", measured)
    choices = choose_for_text(chooser, {"characters", "weighting", "C"}, 100, 200)
    assert [options["characters"] for options in asked].count((2, 5)) == 1
    assert choices.options == {"weighting": "binary", "C": 1.0, "characters": (2, 5)}


def test_long_texts_get_no_characters_and_it_is_said():
    chooser = Chooser(Fixed({"none": np.zeros(4)}), lambda options: options, 5)
    choices = choose_for_text(chooser, {"characters"}, 5000, 200)
    assert choices.options == {"characters": "none"}
    assert choices.reasons == ["no n-grams of characters, as texts have 5,000 characters on average"]


def test_arrays_are_tuned_to_an_estimator_that_is_reproducible():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 6))
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(400) > 0, "yes", "no")
    first, second = rb.tune(X, y, budget=6), rb.tune(X, y, budget=6)
    assert first.tried == second.tried
    assert first.options == second.options
    np.testing.assert_array_equal(first.estimator.coef_, second.estimator.coef_)
    assert first.estimator.max_iter == first.options["passes"]
    assert set(first.estimator.predict(X)) == {"no", "yes"}
    assert len(first.tried) == 6
    again = eval(first.command, vars(estimators)).fit(X, y)
    np.testing.assert_array_equal(again.coef_, first.estimator.coef_)
    sparse = rb.tune(Csr.of_dense(X).to_scipy(), y, budget=6)
    np.testing.assert_array_equal(sparse.estimator.coef_, first.estimator.coef_)


def test_sparse_matrices_are_tuned_as_sparse_rows_and_on_the_share_of_the_budget(monkeypatch):
    rng = np.random.default_rng(0)
    X = sp.random(600, 100, density=0.05, format="csr", random_state=rng)
    y = np.asarray(X.sum(axis=1)).ravel() > 2.4
    found = rb.tune(X, y)
    assert found.tried[0]["options"].keys() <= {"fit_intercept", "algorithm", "C", "r"}
    expected = grids.configurations("sparse", "all", {}, {}, {"norm": None}, 12)
    assert sorted(json.dumps(trial["options"]) for trial in found.tried) == sorted(map(json.dumps, expected))
    assert found.record["tuning"]["rows"] == 600
    monkeypatch.setattr(halving, "FEW_ROWS", 500)
    monkeypatch.setattr(halving, "ROWS", 200)
    rows = {name: rb.tune(X, y, budget=name).record["tuning"]["rows"] for name in BUDGETS}
    assert rows == {"small": 200, "medium": 300, "large": 600}


def test_numbers_are_tuned_by_their_mean_error():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 4))
    found = rb.tune(X, X @ [1.0, -2, 0, 3] + 0.1 * rng.standard_normal(300), budget=4)
    assert found.metric == "mae"
    assert found.value == min(one["value"] for one in found.tried if one["judged"] == 300)
    assert found.tried[0]["options"].items() <= found.options.items()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"budget": 1}, "the budget is one configuration, and at least two are compared"),
        ({"budget": "huge"}, "small, medium, large"),
        ({"metric": "auc"}, "auc is the area under the curve of two classes"),
        ({"metric": "speed"}, "metric must be one of"),
        ({"grid": "everything"}, "grid must be one of"),
    ],
)
def test_what_cannot_be_tuned_is_refused_in_a_sentence(options, words):
    X, y = np.arange(120.0).reshape(60, 2), np.arange(60) % 3
    with pytest.raises(ValueError, match=words):
        rb.tune(X, y, **options)
    with pytest.raises(ValueError, match="at least 40 rows, and there are 6"):
        rb.tune(X[:6], y[:6])
    with pytest.raises(ValueError, match="60 rows and 59 labels"):
        rb.tune(X, y[:59])
    with pytest.raises(TypeError, match="label is an option for files"):
        rb.tune(X, y, label="y")


# ---- the command ---------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, seed in (("train", 0), ("test", 1)):
        y, texts = reviews(400, seed)
        rows = "".join(f"{label},{text}\n" for label, text in zip(y, texts))
        (tmp_path / f"{name}.csv").write_text("label,text\n" + rows)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 5)).round(3)
    rb.data.write_svmlight(tmp_path / "rows.svm", X, np.where(X[:, 0] > 0, 1, -1))
    y, texts = reviews(300)
    (tmp_path / "long.csv").write_text(
        "label,text\n" + "".join(f"{label},{' '.join([text] * 9)}\n" for label, text in zip(y, texts))
    )
    (tmp_path / "text_numbers.csv").write_text(
        "y,text\n" + "".join(f"{text.count('good') - 0.25},{text}\n" for text in texts)
    )
    lines = [f"{x[0] * 3 - x[1] + 0.25},{','.join(map(str, x))}\n" for x in X.tolist()]
    (tmp_path / "numbers.csv").write_text("y,a,b,c,d,e\n" + "".join(lines))
    return tmp_path


def tuned(capsys, *words):
    assert cli.main(["tune", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    "words",
    [
        ["train.csv"],
        pytest.param(["train.csv", "--metric", "f1", "--ngrams", "1", "--seed", "3"], marks=pytest.mark.slow),
        ["train.csv", "--held-out", "0.2", "--budget=6"],
        ["train.csv", "--grid", "learners", "--passes", "1"],
        pytest.param(["train.csv", "--grid", "learners"], marks=pytest.mark.slow),
        ["train.csv", "--block-rows", "50", "--held-out", "0.2", "-C", "0.5"],
        ["long.csv", "--block-rows", "50", "--budget", "4"],
        ["text_numbers.csv", "--label", "y", "--text", "text", "--budget", "4"],
        pytest.param(["rows.svm", "--budget", "6"], marks=pytest.mark.slow),
        ["rows.svm", "--metric", "auc"],
        ["numbers.csv", "--label", "y", "--budget", "5"],
    ],
    ids=" ".join,
)
def test_the_command_that_is_named_trains_the_same_model_to_the_bit(words, files, capsys):
    record = tuned(capsys, *words, "-o", "tuned")
    command = record["tuning"]["command"].split()
    assert command[:2] == ["rosenblatt", "train"]
    again = [word if word != "tuned" else "again" for word in command[1:]]
    assert not {"--budget", "--metric", "--grid", "--json"} & {word.partition("=")[0] for word in again}
    assert cli.main([*again, "--quiet"]) == 0
    first, second = rb.load("tuned"), rb.load("again")
    np.testing.assert_array_equal(first.coef_, second.coef_)
    np.testing.assert_array_equal(first.intercept_, second.intercept_)
    assert first.get_params() == second.get_params()
    (plain, arrays), (own_plain, own_arrays) = (one._extras["features"] for one in (first, second))
    assert plain == own_plain
    assert all(np.array_equal(arrays[name], own_arrays[name]) for name in arrays)


def test_a_second_run_tries_the_same_with_the_same_values(files, capsys):
    first, second = (tuned(capsys, "train.csv", "-o", "m")["tuning"] for _ in range(2))
    assert first == second


def test_a_model_of_rb_tune_takes_what_the_command_takes(files):
    found = rb.tune("train.csv", budget=4, label="label", held_out="test.csv")
    texts = ["a good film", "bad"]
    assert found.estimator.predict(texts).tolist() == ["pos", "neg"]
    assert "held_out" in found.record
    assert found.command.startswith("rosenblatt train train.csv")
    assert str(found.table()).count("\n") >= 4
    frame = pa.table(dict(zip(("label", "text"), reviews(200))))
    assert rb.tune(frame, budget=3).estimator.predict(texts).tolist() == ["pos", "neg"]
    with pytest.raises(TypeError, match="files or a frame"):
        rb.tune(3)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["train.csv", "--metric", "mae"], "mae measures predictions of numbers, and the labels are 2 classes"),
        (
            ["numbers.csv", "--label", "y", "--metric", "f1"],
            "f1 measures predictions of classes, and the labels are numbers",
        ),
        (["train.csv", "--budget", "1"], "the budget is one configuration, and at least two are compared"),
        (["train.csv", "--grid", "wide"], "unknown value 'wide'"),
        (["train.csv", "--budget", "tiny"], "neither small, medium or large nor a number"),
        (["few.csv"], "compared on at least 40 rows, and there are 3"),
        (["rows.svm", "-a", "averaged", "--intercept", "--norm", "none"], "no two configurations are left to compare"),
        (["one.csv"], "all labels are the same"),
    ],
)
def test_bad_input_gets_one_sentence_and_nothing_is_written(words, sentence, files, capsys):
    (files / "few.csv").write_text("label,text\npos,good film\nneg,bad film\npos,fine film\n")
    (files / "one.csv").write_text("label,text\n" + "pos,good film\n" * 60)
    code = cli.main(["tune", *words, "-o", "m"])
    error = capsys.readouterr().err
    assert code in (1, 2)
    assert sentence in " ".join(error.split())
    assert error.strip().count("\n") == 0
    assert not (files / "m").exists()


def interrupt_search(monkeypatch):
    """As by Ctrl-C after three configurations."""
    real = Halving._best_passes

    def interrupted(self, results):
        if sum(one.rung >= 0 for one in self.trials) == 3:
            raise KeyboardInterrupt
        return real(self, results)

    monkeypatch.setattr(Halving, "_best_passes", interrupted)


def test_ctrl_c_saves_the_best_so_far_with_its_command(files, capsys, monkeypatch):
    interrupt_search(monkeypatch)
    assert cli.main(["tune", "train.csv", "-o", "m"]) == 130
    out, err = capsys.readouterr()
    assert "interrupted; the best so far was trained, the model is in m, and the same again by: rosenblatt train" in err
    assert "3 configurations on" in out
    assert rb.load("m").predict(["a good film"]).tolist() == ["pos"]


def interrupt_training(monkeypatch, after):
    """As by Ctrl-C after so many passes of the final training."""
    from rosenblatt.cli import training

    shown = training.show_progress

    def interrupted(run, number, *rest):
        shown(run, number, *rest)
        if number == after:
            run.interrupt._asked = True

    monkeypatch.setattr(training, "show_progress", interrupted)


@pytest.mark.parametrize("quiet", [True, False])
def test_an_interrupted_training_says_that_the_command_makes_all_of_it(files, capsys, monkeypatch, quiet):
    interrupt_training(monkeypatch, 2)
    assert cli.main(["tune", "train.csv", "-o", "m", "--budget", "2", *["-q"][: int(quiet)]]) == 130
    out, err = capsys.readouterr()
    assert "interrupted after 800 examples; the model so far is in m, and all of it is made by: rosenblatt train" in err
    assert "the same" not in out
    assert quiet or "all of it  rosenblatt train train.csv" in out
    assert rb.load("m").n_iter_ == 2


def test_a_second_interrupt_in_training_writes_nothing(files, capsys, monkeypatch):
    interrupt_search(monkeypatch)
    interrupt_training(monkeypatch, 2)
    assert cli.main(["tune", "train.csv", "-o", "m"]) == 130
    assert "interrupted; nothing was written; the best so far: rosenblatt train" in capsys.readouterr().err
    assert not Path("m").exists()


@pytest.mark.parametrize(
    ("words", "algorithms"),
    [(["-C", "0.3"], {"pa1", "pa2"}), (["--last"], {"pa1", "pa2", "arow"}), (["--eta0", "0.5"], {"averaged"})],
)
def test_learners_that_do_not_take_what_is_named_are_not_tried(words, algorithms, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    x = np.random.default_rng(0).normal(size=(80, 2))
    rows = "".join(f"{'yes' if a + b > 0 else 'no'},{a:.3f},{b:.3f}\n" for a, b in x)
    Path("table.csv").write_text("label,a,b\n" + rows)
    assert cli.main(["tune", "table.csv", "-o", "m", "--budget", "8", "--json", *words]) == 0
    record = json.loads(capsys.readouterr().out)["tuning"]
    assert {trial["options"]["algorithm"] for trial in record["tried"]} <= algorithms
    assert cli.main([*shlex.split(record["command"])[1:], "-o", "again", "-q"]) == 0
    assert rb.load("m").coef_.tobytes() == rb.load("again").coef_.tobytes()
    assert cli.main(["tune", "table.csv", "-o", "m", "--beta", "0.1"]) == 1  # no learner of the grid has one
    assert "--beta does not go with" in capsys.readouterr().err


def test_a_weight_by_class_leaves_no_progressive_figure(files, capsys):
    for words, there in (["--no-supervised"], True), ([], False):
        for how in ([], ["--stream"]):
            assert cli.main(["train", "train.csv", "-o", "m", "--json", *how, *words]) == 0
            assert (json.loads(capsys.readouterr().out)["progressive_accuracy"] is not None) == there


def test_rows_that_are_held_out_are_not_looked_at(files, capsys, monkeypatch):
    from rosenblatt.tuning import sample

    seen = []
    real = sample.drawn
    monkeypatch.setattr(sample, "drawn", lambda blocks, *rest: seen.extend(blocks) or real(blocks, *rest))
    assert cli.main(["train", "train.csv", "-o", "m", "--held-out", "0.25", "-q"]) == 0
    assert sum(map(len, seen)) == 300


def test_chinese_is_read_as_characters(tmp_path, capsys):
    rows = [("体育", "球队赢得了比赛"), ("财经", "股票市场下跌了")] * 150
    (tmp_path / "a.csv").write_text("label,text\n" + "".join(f"{a},{b}{i}\n" for i, (a, b) in enumerate(rows)))
    command = ["train", str(tmp_path / "a.csv"), "-o", str(tmp_path / "m"), "--text", "text"]
    assert cli.main(command) == 0
    out = capsys.readouterr().out
    assert "100% of the letters are of scripts without spaces between words" in out
    assert "n-grams of 1 to 3 characters" in out
    assert cli.main([*command, "--analyzer", "word"]) == 0
    assert "n-grams of 1 to 2 words and symbols" in capsys.readouterr().out


def test_the_parts_of_a_weight_are_explained(files, capsys):
    """idf × weight by class, both by hand, make the values of a row but for its norm."""
    assert cli.main(["train", "train.csv", "-o", "m", "-q", "--characters", "none", "--weighting", "binary"]) == 0
    capsys.readouterr()
    assert cli.main(["explain", "m", "a good film", "--json", "--top", "99"]) == 0
    parts = {part["feature"]: part for part in json.loads(capsys.readouterr().out)["features"]}
    y, texts = reviews(400)
    words = [set(text.split()) for text in texts]
    for word in ("a", "good", "film"):
        has = np.array([word in own for own in words])
        idf = np.log((1 + 400) / (1 + has.sum())) + 1
        inside, n = (has & (y == "pos")).sum(), (y == "pos").sum()
        ratio = np.log((inside + 1) / (n + 1)) - np.log((has.sum() - inside + 1) / (400 - n + 1))
        assert parts[word]["idf"] == pytest.approx(idf, rel=1e-5)
        assert parts[word]["by_class"] == pytest.approx(np.sqrt(abs(ratio)), rel=1e-5)
    scale = {name: part["value"] / (part["idf"] * part["by_class"]) for name, part in parts.items()}
    assert max(scale.values()) == pytest.approx(min(scale.values()), rel=1e-5)
    assert cli.main(["explain", "m", "a good film"]) == 0
    assert "idf" in capsys.readouterr().out


# ---- what strangers do ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["train.csv", "--budget", "3", "--analyzer", "char"], "--analyzer char"),
        (["train.csv", "--budget", "3", "--analyzer", "char_wb", "--ngrams", "2"], "--ngrams 2"),
        (["--budget", "2", "--", "-odd name.csv"], "-- '-odd name.csv'"),
        (["--budget", "2", "--", "--json"], "-- --json"),
        (["train.csv", "--no-average"], "--no-average"),
    ],
    ids=str,
)
def test_odd_options_are_kept_and_the_command_has_them(words, kept, files, capsys):
    for name in ("-odd name.csv", "--json"):
        (files / name).write_text((files / "train.csv").read_text())
    assert cli.main(["tune", "-o", "tuned", *words]) == 0
    command = capsys.readouterr().out.splitlines()[-1].partition("  ")[2].strip()
    assert kept in command
    again = [word if word != "tuned" else "again" for word in shlex.split(command)[1:]]
    assert cli.main(again) == 0
    first, second = rb.load("tuned"), rb.load("again")
    np.testing.assert_array_equal(first.coef_, second.coef_)
    assert first.get_params() == second.get_params()


def test_files_that_are_named_twice_or_held_out_too_are_told(files, capsys):
    assert (
        cli.main(["tune", "train.csv", "train.csv", "--held-out", "train.csv", "-o", "m", "--budget", "2", "-q"]) == 0
    )
    err = capsys.readouterr().err
    assert "train.csv is named twice: its rows count twice" in err
    assert "train.csv is trained on, too" in err


def test_rows_of_weight_0_are_not_compared_on(files, capsys):
    y, texts = reviews(300)
    rows = [f"{label},{text},1\n" for label, text in zip(y, texts)]
    (files / "plain.csv").write_text("label,text,weight\n" + "".join(rows))
    (files / "zeros.csv").write_text("label,text,weight\n" + "".join(rows) + "other,odd words,0\n" * 300)
    words = ["--weight", "weight", "--text", "text", "-o", "m", "--budget", "3"]
    record = tuned(capsys, "zeros.csv", *words)["tuning"]
    assert record["rows"] == 300
    assert tuned(capsys, "zeros.csv", *words, "--metric", "auc")["tuning"]["metric"] == "auc"  # of the two classes
    few = "".join(row.replace(",1\n", ",0\n") if i > 20 else row for i, row in enumerate(rows))
    (files / "few.csv").write_text("label,text,weight\n" + few)
    assert cli.main(["tune", "few.csv", *words]) == 1
    assert "at least 40 rows, and there are 21" in capsys.readouterr().err
    assert cli.main(["train", "zeros.csv", *words[:-2], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["choices"]["rows"] == 300


@pytest.mark.parametrize("command", ["train", "tune"])
@pytest.mark.parametrize("words", [["--ngrams", "2"], ["--analyzer", "char"], ["--no-idf"], ["--no-supervised"]])
def test_options_of_text_are_refused_where_there_is_none(command, words, files, capsys):
    for name in ("rows.svm", "numbers.csv"):
        more = ["--label", "y"] if name == "numbers.csv" else []
        assert cli.main([command, name, "-o", "m", *more, *words]) == 1
        err = capsys.readouterr().err
        assert f"{name}: {words[0]} is of text, and no column is text; " in err


def test_weights_of_unknown_classes_are_refused_before_the_search(files, capsys, monkeypatch):
    monkeypatch.setattr(Halving, "run", lambda search: pytest.fail("it has begun"))
    assert cli.main(["tune", "train.csv", "-o", "m", "--class-weight", "bad=2"]) == 1
    assert "--class-weight names bad, which is not among the labels; the classes are " in capsys.readouterr().err
    assert not Path("m").exists()


def test_a_column_of_labels_is_named_as_an_option():
    with pytest.raises(TypeError, match="name the column that holds them by label='mood'"):
        rb.tune("reviews.csv", "mood")


def some_rows(n=120):
    X = np.random.default_rng(0).standard_normal((n, 3))
    return X, X[:, 0] > 0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda X, y: (np.where(np.arange(360).reshape(120, 3) == 13, np.nan, X), y), "NaN at row 4, column 1"),
        (lambda X, y: (sp.csr_matrix(np.where(np.arange(360).reshape(120, 3) == 13, np.inf, X)), y), "row 4, column 1"),
        (lambda X, y: (X + 1j, y), "X holds complex numbers"),
        (lambda X, y: (sp.csr_matrix(X + 1j), y), "omplex"),
        (lambda X, y: (X[:, 0], y), "Expected 2D array, got 1D array"),
        (lambda X, y: (X[:, :, None], y), "dim 3"),
        (lambda X, y: (["a text"] * 120, y), "give texts in a frame, with their labels in a column"),
        (lambda X, y: (X, 5), "there are 120 rows, and y is no list of labels: it has 0 dimensions"),
        (lambda X, y: (X, np.c_[y, y]), "it has 2 dimensions"),
        (lambda X, y: (X, [None, *y[1:].tolist()]), "labels of several types"),
        (lambda X, y: (X, np.array([np.nan, *np.where(y[1:], "a", "b")], object)), "Input y contains NaN at row 0"),
        (lambda X, y: (X, np.array([1, *np.where(y[1:], "a", "b")], object)), "labels of several types"),
        (lambda X, y: (X, np.where(np.arange(120) == 3, np.inf, X[:, 0])), "Input y contains infinity at row 3"),
        (lambda X, y: (X, np.zeros(120)), "y holds only one class"),
        (lambda X, y: (X, np.arange(120)), "each of the 120 rows has a label of its own"),
    ],
)  # fmt: skip
def test_arrays_that_cannot_be_tuned_are_refused_as_fit_does(change, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        rb.tune(*change(*some_rows()), budget=2)


def test_labels_that_are_missing_in_a_series_are_refused_with_their_row():
    pd = pytest.importorskip("pandas")
    X, y = some_rows()
    named = pd.Series(np.where(y, "a", "b"), dtype="string")
    named[7] = pd.NA
    for fit in (lambda: rb.tune(X, named, budget=2), lambda: rb.Perceptron().fit(X, named)):
        with pytest.raises(ValueError, match="Input y contains NA at row 7; remove or impute"):
            fit()


@pytest.mark.parametrize(
    ("options", "kind", "sentence"),
    [
        ({"seed": -1}, ValueError, "seed must be a whole number >= 0, got -1"),
        ({"seed": None}, ValueError, "seed must be a whole number >= 0, got None"),
        ({"seed": 1.5}, ValueError, "seed must be a whole number >= 0, got 1.5"),
        ({"budget": 2.5}, ValueError, "budget must be small, medium, large or a number of configurations; got 2.5"),
        ({"budget": True}, ValueError, "budget must be small, medium, large or a number"),
        ({"grid": 3}, ValueError, "grid must be one of all, features, learners; got 3"),
        ({"metric": 3}, ValueError, "metric must be one of accuracy, f1, auc, mae; got 3"),
    ],
)
def test_parameters_are_refused_in_words_of_python_whatever_the_data(options, kind, sentence):
    frame = pa.table(dict(zip(("label", "text"), reviews(60))))
    for data in ((*some_rows(),), (frame,)):
        with pytest.raises(kind, match=sentence):
            rb.tune(*data, **{"budget": 2, **options})


def test_what_is_wrong_with_a_frame_is_told_of_it_and_of_no_file():
    y, texts = reviews(60)
    with pytest.raises(ValueError, match=r"^data, row 6, column 'text': the value is missing"):
        rb.tune(pa.table({"label": y, "text": [None if i == 5 else text for i, text in enumerate(texts)]}), budget=2)
    with pytest.raises(ValueError, match=r"^data: all labels are the same, 'a'"):
        rb.tune(pa.table({"label": ["a"] * 60, "text": texts}), budget=2)
    with pytest.raises(ValueError, match=r"^data: there is no column 'mood'"):
        rb.tune(pa.table({"label": y, "text": texts}), budget=2, label="mood")
    pd = pytest.importorskip("pandas")
    for column in ([1 + 2j] * 60, [object()] * 60, [1, "a"] * 30):
        with pytest.raises((ValueError, TypeError), match=r"^data: column 'odd' cannot be read as an Arrow column"):
            rb.tune(pd.DataFrame({"label": y, "text": texts, "odd": column}), budget=2)


def test_frames_and_options_of_python_are_taken_as_they_are(files):
    y, texts = reviews(60)
    table = pa.table({"label": y, "text": texts, "also": texts[::-1]})
    usual = rb.tune(table, budget=2, text=["text", "also"])
    batch = pa.RecordBatch.from_pydict(table.to_pydict())
    for data, named in ((batch, ["text", "also"]), (table, ("text", "also"))):
        found = rb.tune(data, budget=2, text=named)
        assert np.array_equal(found.estimator.coef_, usual.estimator.coef_)
    weighted = rb.tune(table, budget=2, class_weight={"pos": 2.0, "neg": 0.5})
    assert "--class-weight pos=2.0,neg=0.5" in weighted.command
    (files / "-odd.csv").write_text((files / "train.csv").read_text())
    found = rb.tune("-odd.csv", budget=2, output="-odd.model")
    assert found.command.startswith("rosenblatt train ./-odd.csv -o ./-odd.model ")
    assert rb.load("-odd.model").predict(["a good film"]).tolist() == ["pos"]
    with pytest.raises(TypeError, match="help is no option of tune in Python"):
        rb.tune(table, help=True)


@pytest.mark.parametrize(
    ("text", "options", "characters"),
    [
        ("good", (), (2, 5)),
        ("good", ("--characters", "none"), None),
        ("good", ("--analyzer", "char"), None),
        ("good " * 100, (), None),  # not short
        ("很好的电影", (), None),  # of characters anyway
    ],
)
def test_of_few_rows_the_first_values_stand(text, options, characters, tmp_path):
    """Nothing is compared: short texts are read as words and characters, unless options say otherwise."""
    path = tmp_path / "few.csv"
    path.write_text("label,text\n" + "".join(f"{'ab'[i % 2]},{'not ' * (i % 2)}{text} {i}\n" for i in range(60)))
    assert cli.main(["train", str(path), "-o", str(tmp_path / "m"), "--text", "text", "-q", *options]) == 0
    section = model_files.read(tmp_path / "m").extras["features"][0]
    kept = section["table"]["text"]["text"]["hashing"]
    assert kept["characters"] == characters


def test_a_first_block_of_one_class_has_the_first_values_too(tmp_path):
    path = tmp_path / "sorted.csv"
    path.write_text("label,text\n" + "".join(f"{'ab'[i >= 300]},{'not ' * (i >= 300)}good {i}\n" for i in range(600)))
    words = ["train", str(path), "-o", str(tmp_path / "m"), "--text", "text", "-q", "--stream", "--block-rows", "250"]
    assert cli.main(words) == 0
    section = model_files.read(tmp_path / "m").extras["features"][0]
    assert section["table"]["text"]["text"]["hashing"]["characters"] == (2, 5)
