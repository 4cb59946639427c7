"""Published numbers of the linear family, each with its source and tolerance. They need the real data."""

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

import rosenblatt as rb

# One pass over a1a, mean test accuracy of 10 shuffles (LIBLINEAR: 84.25). The averaged readout is steady (± 0.1 to 0.2
# over shuffles); the last weights are one noisy iterate, so only their being worse is held.
ONE_PASS = [
    (rb.AveragedPerceptron(), 83.7),
    (rb.PassiveAggressiveClassifier(C=1 / 16, average=True), 84.0),
]


@pytest.mark.parametrize(("estimator", "published"), ONE_PASS, ids=["perceptron", "PA-I"])
def test_one_averaged_pass_over_a1a(data_folder, estimator, published):
    X, y = load_svmlight_file(str(data_folder / "a9a" / "a1a.gz"), n_features=123)
    X_test, y_test = load_svmlight_file(str(data_folder / "a9a" / "a1a.t.gz"), n_features=123)
    averaged, last = [], []
    for seed in range(10):
        model = estimator.set_params(max_iter=1, tol=None, random_state=seed).fit(X, y)
        averaged.append(100 * model.score(X_test, y_test))
        last.append(100 * model.with_readout("last").score(X_test, y_test))
    assert np.mean(averaged) == pytest.approx(published, abs=0.3)
    assert np.std(averaged) < np.std(last)
    assert np.mean(last) < np.mean(averaged)
