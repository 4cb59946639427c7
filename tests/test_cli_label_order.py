"""Rows in the order of their labels: that is found out and said, and large files are shuffled as far as memory goes."""

import json

import numpy as np
import pytest

import rosenblatt as rb
from rosenblatt import cli
from rosenblatt.cli.label_order import LEVEL, LabelOrder
from rosenblatt.core.labels import counts_of


def order_of(*blocks, regression=False):
    order = LabelOrder()
    for block in blocks:
        order.add(np.asarray(block), None if regression else counts_of(np.asarray(block)))
    return order


def test_runs_are_those_of_all_blocks_together():
    order = order_of(["a", "a", "b"], [], ["b"], ["a", "c"])
    assert (order.runs, order.counts) == (4, {"a": 3, "b": 2, "c": 1})


def test_mean_and_chance_are_those_of_all_orders():
    rng, labels = np.random.default_rng(0), np.repeat([0, 1, 2], [30, 50, 7])
    orders = [order_of(rng.permutation(labels)) for _ in range(3000)]
    runs = np.array([order.runs for order in orders])
    assert abs(runs.mean() - orders[0].expected) < 0.3
    for few in (40, 44, 48):
        order = orders[0]
        order.runs = few
        assert abs(np.mean(runs <= few) - order.chance) < 0.06  # of whole numbers, by a normal


@pytest.mark.parametrize("labels", [[1], [1, 1, 1], [1, 2], list(range(50)), [1, 2] * 500])
def test_what_says_nothing_is_random(labels):
    assert order_of(labels).is_random
    assert 0 <= order_of(labels).chance <= 1


def test_chance_decides_and_little_drift_does_not():
    rng = np.random.default_rng(1)
    assert all(order_of(rng.integers(3, size=500)).chance > LEVEL for _ in range(200))
    drifting = rng.random(200_000) < np.repeat([0.4, 0.6], 100_000)  # which is significant, and harms nothing
    assert order_of(drifting).chance < LEVEL
    assert order_of(drifting).is_random
    assert not order_of(np.sort(rng.random(1000)), regression=True).is_random
    assert order_of(rng.random(1000), regression=True).is_random


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """Rows sorted by their labels, which say nothing of them."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((2000, 3)).round(3), np.repeat(["neg", "pos"], 1000)
    lines = [f"{label},{','.join(map(str, x))}\n" for x, label in zip(X.tolist(), y)]
    (tmp_path / "sorted.csv").write_text("label,a,b,c\n" + "".join(lines))
    (tmp_path / "shuffled.csv").write_text("label,a,b,c\n" + "".join(rng.permutation(lines)))
    return X, y


def trained(capsys, *arguments):
    assert cli.main(["train", *arguments, "-o", "m"]) == 0
    return capsys.readouterr()


def test_a_progressive_figure_of_sorted_rows_is_said_to_mean_nothing(rows, capsys):
    said = "the labels come in 2 runs, and in random order they would in about 1,001;\n"
    out = trained(capsys, "sorted.csv", "--passes", "1").out
    assert said in out
    assert "shuffle the rows of the files first, or say --shuffle-buffer 2000\n" in out
    assert "the progressive figure means nothing then" in out
    out = trained(capsys, "sorted.csv", "--no-shuffle").out
    assert said in out
    assert "leave out --no-shuffle" in out
    for how in (["sorted.csv"], ["sorted.csv", "--shuffle-buffer", "2000"], ["shuffled.csv", "--passes", "1"]):
        assert "means nothing" not in trained(capsys, *how).out
    order = json.loads(trained(capsys, "sorted.csv", "--stream", "--json").out)["label_order"]
    assert order == {"runs": 2, "expected_runs": 1001.0, "random": False}
    assert cli.main(["inspect", "m"]) == 0


def test_files_over_the_memory_are_shuffled_as_far_as_it_goes(rows, capsys, monkeypatch):
    monkeypatch.setattr("rosenblatt.cli.inputs.IN_MEMORY", 1000)
    for how, within in ([], 2000), (["--stream"], None):
        record = json.loads(trained(capsys, "sorted.csv", "--json", *how).out)
        assert (record["how"], record["shuffled_within"]) == ("block by block", within)
        assert record["label_order"]["random"] == (within == 2000)
    assert "shuffled within 2,000 rows, 1 pass" in trained(capsys, "sorted.csv", "--passes", "1").out


def test_a_buffer_of_all_rows_gives_the_bits_of_blocks_that_are_shuffled(rows, capsys, monkeypatch):
    trained(capsys, "sorted.csv", "--shuffle-buffer", "2000", "--passes", "2")
    expected = rb.load("m").coef_
    monkeypatch.setattr("rosenblatt.cli.inputs.IN_MEMORY", 1000)
    trained(capsys, "sorted.csv", "--block-rows", "77", "--passes", "2")
    np.testing.assert_array_equal(rb.load("m").coef_, expected)


def test_no_more_is_gathered_than_the_memory_holds(rows, capsys, monkeypatch):
    monkeypatch.setattr("rosenblatt.cli.inputs.IN_MEMORY", 1000)
    monkeypatch.setattr("rosenblatt.cli.train.parse_limit", lambda limit: 100_000)
    record = json.loads(trained(capsys, "sorted.csv", "--json", "--block-rows", "100").out)
    assert 100 < record["shuffled_within"] < 1500
    assert not record["label_order"]["random"]
