"""The page for those who come from scikit-learn names every parameter, attribute and method there, and those here."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn import linear_model

import rosenblatt as rb

PAGE = (Path(__file__).parent.parent / "docs" / "how-to" / "scikit-learn.md").read_text(encoding="utf-8")
PROSE = re.sub(r"```.*?```", "", PAGE, flags=re.S)
NAMED = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", PROSE))))
THEIRS = ["Perceptron", "PassiveAggressiveClassifier", "PassiveAggressiveRegressor"]
ROUTING = {"get_metadata_routing", "set_score_request", "set_partial_fit_request"}  # of scikit-learn's base class


@pytest.mark.filterwarnings("ignore")  # scikit-learn takes leave of its own
@pytest.mark.parametrize("name", THEIRS)
def test_all_of_theirs_is_named(name):
    theirs = getattr(linear_model, name)
    assert set(inspect.signature(theirs).parameters) <= NAMED
    model = theirs().fit(np.array([[0.0], [1.0]]), [0, 1])
    members = {member for member in dir(model) if not member.startswith("_")} - ROUTING
    assert {member for member in members if member.endswith("_") or callable(getattr(model, member))} <= NAMED


@pytest.mark.parametrize("kind", [rb.AveragedPerceptron, *(getattr(rb, name) for name in THEIRS)])
def test_every_parameter_here_is_named(kind):
    assert set(inspect.signature(kind).parameters) <= NAMED
