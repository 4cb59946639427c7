"""NBSVM (Wang & Manning 2012, "Baselines and bigrams"): a linear SVM on n-grams weighed by naive Bayes.

A peer of ``models_of_files.py``, written here since no package has it.
"""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC


class NBSVM(ClassifierMixin, BaseEstimator):
    """One SVM for each class against the rest, on rows x∘r, interpolated with naive Bayes.

    r = log((p/‖p‖₁) / (q/‖q‖₁)), where p = α + Σ x over the rows of the class, q = α + Σ x over the others; then
    w' = (1 − β)·mean|w| + β·w (section 2.3 of the paper, which takes β = 0.25, α = 1, C = 1). There is no bias, as by
    LIBLINEAR's own default: one that is not interpolated would outweigh the weights that are.

    Parameters
    ----------
    alpha : float
        What is added to each count.
    beta : float
        The share of the SVM's own weights.
    C : float
        LIBLINEAR's C.
    unit : bool
        Whether each row x∘r is divided by its length, so that long texts weigh no more than short ones. Not in the
        paper.
    """

    def __init__(self, alpha=1.0, beta=0.25, C=1.0, unit=False):
        self.alpha = alpha
        self.beta = beta
        self.C = C
        self.unit = unit

    def weighed(self, X, r):
        """The rows x∘r."""
        rows = sparse.csr_matrix((X.data * r[X.indices], X.indices, X.indptr), shape=X.shape)
        return normalize(rows, copy=False) if self.unit else rows

    def one_class(self, X, own):
        """Ratios and weights of one class against the rest."""
        p = self.alpha + np.asarray(X[own].sum(axis=0)).ravel()
        q = self.alpha + np.asarray(X[~own].sum(axis=0)).ravel()
        r = np.log(p / p.sum()) - np.log(q / q.sum())
        svm = LinearSVC(C=self.C, fit_intercept=False, random_state=0).fit(self.weighed(X, r), own)
        w = svm.coef_.ravel()
        return r, (1 - self.beta) * np.abs(w).mean() + self.beta * w

    def fit(self, X, y):
        """Learn from the rows of X, which hold 1 where an n-gram occurs."""
        X, y = sparse.csr_matrix(X, dtype=np.float64), np.asarray(y)
        self.classes_ = np.unique(y)
        chosen = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        self.learned_ = [self.one_class(X, y == label) for label in chosen]
        return self

    def predict(self, X):
        """The class of the highest score."""
        X = sparse.csr_matrix(X)
        scores = np.stack([self.weighed(X, r) @ w for r, w in self.learned_], axis=1)
        codes = (scores[:, 0] > 0).astype(int) if len(self.classes_) == 2 else scores.argmax(axis=1)
        return self.classes_[codes]
