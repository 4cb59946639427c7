"""Labels: weights of classes, and what can be learned from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.class_weight import compute_class_weight

from rosenblatt.core import labels
from rosenblatt.data.moments import Moments
from rosenblatt.errors import DataError


@given(st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f", "g"]), min_size=1, max_size=60))
def test_balanced_class_weights_are_scikit_learns_to_the_bit(y):
    y = np.array(y)
    classes = np.unique(y)
    counts = np.bincount(labels.encode(y, classes))
    expected = compute_class_weight("balanced", classes=classes, y=y)
    assert labels.class_weights("balanced", classes, counts).tobytes() == expected.tobytes()


def test_class_weights():
    classes = np.array(["a", "b"])
    assert labels.class_weights({"b": 3}, classes).tolist() == [1, 3]
    assert labels.class_weights({"c": 3}, classes, stream=True).tolist() == [1, 1]
    with pytest.raises(ValueError, match=r"names \['c'\], none of which is a class: \['a', 'b'\]"):
        labels.class_weights({"c": 3}, classes)
    with pytest.raises(ValueError, match="needs all of y"):
        labels.class_weights("balanced", classes, np.array([1, 2]), stream=True)


@pytest.mark.parametrize(
    ("y", "regression", "sentence"),
    [
        ([1.0, np.nan], False, "the label is missing at row 1"),
        ([1.0, -np.inf], True, "labels must be finite, got -inf at row 1"),
        ([1.0, 2.5], False, "classes are whole numbers or words, got the label 2.5 at row 1; use a regressor"),
        (["1", "x"], True, "a regression needs numbers, got the label 'x' at row 1; for classes use"),
    ],
)
def test_labels_that_cannot_be_learned_from(y, regression, sentence):
    with pytest.raises(DataError) as caught:
        labels.targets(np.array(y), regression)
    assert str(caught.value).startswith(sentence)
    assert caught.value.row == 1


def test_labels_to_learn_from():
    words = np.array(["a", "b"])
    assert labels.targets(words, regression=False) is words
    for numbers in ([1, 2], ["1", "2"], np.array([1, "2"], object)):
        found = labels.targets(np.array(numbers), regression=True)
        assert (found.dtype, found.tolist()) == (np.float64, [1, 2])


def test_moments_of_parts_are_those_of_the_whole():
    values = np.random.default_rng(0).normal(3, 2, 101)
    parts = [Moments.of(part) for part in np.split(values, [1, 40])]
    n, mean, squares = Moments().joined(parts[0]).joined(parts[1]).joined(parts[2])
    assert n == 101
    np.testing.assert_allclose((mean, squares), (values.mean(), 101 * values.var()), rtol=1e-13)


@given(
    st.lists(st.sampled_from(["", "a", "ab", "b", "ü", "z"]), max_size=40),
    st.sets(st.sampled_from(["", "a", "ab", "b", "ü", *"cdefghij"])),
)
def test_few_classes_are_compared_and_many_looked_up_to_the_same_codes(y, classes):
    known = sorted(classes)
    codes = labels.encode(np.array(y, "U3"), np.array(known, "U3"))
    assert codes.tolist() == [known.index(label) if label in classes else -1 for label in y]
    counts = {label: y.count(label) for label in set(y)}
    assert labels.counts_of(np.array(y, "U3")) == counts
    if not counts.keys() - classes:
        assert labels.counts_of_codes(codes, np.array(known, "U3")) == counts
