"""What a scikit-learn user would write: from a file to a model on disk, by one of some recipes.

``python benchmarks/sklearn_script.py RECIPE TRAIN MODEL`` trains; ``… score MODEL TEST`` prints the accuracy.
"""

import csv
import pickle
import sys


def table(path):
    csv.field_size_limit(sys.maxsize)
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        labels, texts = zip(*rows)
    return list(texts), list(labels)


def numbers(path):
    """A table of numbers, the label in the last column."""
    import pandas

    frame = pandas.read_csv(path)
    return frame.iloc[:, :-1].to_numpy("float64"), frame.iloc[:, -1].to_numpy()


def read(path):
    if path.endswith(".csv"):
        with open(path, encoding="utf-8", newline="") as file:
            columns = next(csv.reader(file))
        return table(path) if columns == ["label", "text"] else numbers(path)
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(path, n_features=123)
    X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")  # its own learners take no others
    return X, y


def recipe(name):
    """A pipeline; the name is features-learner-passes."""
    from sklearn.pipeline import make_pipeline

    features, learner, passes = name.split("-")
    steps = []
    if features == "hashing":
        from sklearn.feature_extraction.text import HashingVectorizer

        steps.append(HashingVectorizer(ngram_range=(1, 2)))
    elif features == "tfidf":
        from sklearn.feature_extraction.text import TfidfVectorizer

        steps.append(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True))
    elif features == "tfidfwords":
        from sklearn.feature_extraction.text import TfidfVectorizer

        steps.append(TfidfVectorizer(sublinear_tf=True))
    elif features in ("standard", "scaled"):
        from sklearn.preprocessing import StandardScaler

        steps.append(StandardScaler(with_mean=features == "standard"))  # sparse rows are scaled alone
    elif features in ("pairs", "triples"):
        from sklearn.feature_extraction.text import CountVectorizer

        longest = {"pairs": 2, "triples": 3}[features]
        words = r"\w+|[^\w\s]"  # symbols too, as the paper's tokens have them
        steps.append(CountVectorizer(ngram_range=(1, longest), binary=True, token_pattern=words, dtype="float64"))
    if learner == "svc":
        from sklearn.svm import LinearSVC

        steps.append(LinearSVC(random_state=0))
    elif learner in ("nbsvm", "unitnbsvm"):
        from nbsvm import NBSVM

        steps.append(NBSVM() if learner == "nbsvm" else NBSVM(beta=1, unit=True))
    elif learner == "sgd":
        from sklearn.linear_model import SGDClassifier

        steps.append(SGDClassifier(random_state=0, n_jobs=2))
    else:
        from sklearn.linear_model import SGDClassifier

        kinds = {
            "averaged": {"loss": "perceptron", "learning_rate": "constant", "eta0": 1, "average": True},
            "pa1": {"loss": "hinge", "learning_rate": "pa1", "eta0": 1.0, "average": True},
            "hinge": {"loss": "hinge", "alpha": 1e-5, "penalty": "l2"},
        }
        options = {"penalty": None, "max_iter": int(passes), "tol": None, "random_state": 0} | kinds[learner]
        steps.append(SGDClassifier(**options))
    return make_pipeline(*steps)


def train(name, path):
    X, y = read(path)
    return recipe(name).fit(X, y)


def score(model, path):
    X, y = read(path)
    return model.score(X, y)


if __name__ == "__main__":
    what, first, second = sys.argv[1:]
    if what == "score":
        with open(first, "rb") as file:
            print(score(pickle.load(file), second))
    else:
        model = train(what, first)
        with open(second, "wb") as file:
            pickle.dump(model, file, protocol=5)
