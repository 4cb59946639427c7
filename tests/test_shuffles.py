"""The shuffles in plain Python are NumPy's."""

import itertools

import numpy as np
import pytest

from rosenblatt.core.shuffles import shuffles


@pytest.mark.parametrize("seed", [0, 1, 7, 999_999, 2**32 - 1, 2**32, 2**70 + 3, 2**200 + 12345])
def test_shuffles_are_those_of_numpy(seed):
    for n in (1, 2, 3, 30, 100, 1000):
        rng = np.random.default_rng(seed)
        for order in itertools.islice(shuffles(seed, n), 5):
            expected = np.arange(n, dtype=np.int32)
            rng.shuffle(expected)
            assert order == expected.tolist()
