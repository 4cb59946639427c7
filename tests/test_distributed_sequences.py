"""Taggers on shards: the bits of the reference and of one machine, bounds and theorem, kinds of data, refusals."""

import itertools
import warnings

import mixing_twin
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from identity import same_bits
from problems import best_margin, radius2
from test_distributed import StopHereError, cluster_of, here, stopping, timeless
from test_mixing import orders_of, shard_edges

import rosenblatt as rb
from rosenblatt.core import mixing, rules
from rosenblatt.core.spaces.sequences import following, reference
from rosenblatt.distributed import fit
from rosenblatt.model_files import learners
from rosenblatt.sequences import Sentences, TokenEncoder

bag = pytest.importorskip("dask.bag")

SEED = 5
TAGS = ("B-X", "I-X", "O")
RULES = [rules.Perceptron(), rules.Perceptron(eta0=0.3, margin=0.7), rules.PA(), rules.PA1(0.2), rules.PA2(0.5)]
RULES += [rules.MIRA(), rules.MIRA(0.1)]


def corpus(seed, n=24, longest=4, n_words=7, noise=0.3, n_tags=3):
    """Sentences of words, whose tags depend on the word and, now and then, on nothing."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        words = rng.integers(n_words, size=rng.integers(1, longest + 1))
        X.append([f"w{word}" for word in words])
        y.append([TAGS[rng.integers(n_tags) if rng.random() < noise else word % n_tags] for word in words])
    return X, y


def as_numbers(X, seed):
    """The same words as dicts of features that are no whole numbers."""
    rng = np.random.default_rng(seed)
    return [[{word: float(rng.normal()), "bias": 0.5} for word in sentence] for sentence in X]


def tagger(**options):
    return rb.SequenceTagger(
        **{"features": "U:%x[0,0]\nU1:%x[-1,0]", "random_state": SEED, "max_iter": 3, "bits": 6, **options}
    )


def same_tagger(found, expected):
    """All that the runs have come to, to the bit."""
    (plain, arrays), (plain_, arrays_) = (learners.to_state(one._learner) for one in (found, expected))
    assert plain == plain_
    assert arrays.keys() == arrays_.keys()
    for name in arrays:
        same_bits(arrays[name], arrays_[name])
    assert found.classes_.tolist() == expected.classes_.tolist()
    assert (found.verdict_, found.margin_bounds_) == (expected.verdict_, expected.margin_bounds_)
    assert found._encoder.to_state() == expected._encoder.to_state()


def tokens_of(model, X):
    """Sentences as the reference takes them."""
    rows = TokenEncoder(model.features, model.bits).encode(X)
    values = np.ones(len(rows.indices), np.float32) if rows.data is None else rows.data
    tokens = [dict(zip(rows.indices[a:b].tolist(), values[a:b])) for a, b in itertools.pairwise(rows.indptr.tolist())]
    return [tokens[a:b] for a, b in itertools.pairwise(rows.starts.tolist())]


# ---- the reference -------------------------------------------------------------------------------------------------


def check_against_reference(model, X, y, shards, mix):
    """A run on shards and the same in plain Python, weight by weight and sum by sum."""
    here(model, X, y, shards=shards, mix=mix)
    tags = sorted({tag for one in y for tag in one})
    codes, averaged = [[tags.index(tag) for tag in one] for one in y], model.readout == "averaged"
    allowed = None
    if model.constraints:
        starts = np.cumsum([0, *map(len, codes)])
        allowed = following.seen(np.concatenate(codes).astype(np.int64), starts, len(tags), model.order)
    expected = reference.Tagger(2**6, len(tags), model.order, cost=model.cost, number=np.float32, allowed=allowed)
    tokens, edges = tokens_of(model, X), shard_edges(len(X), shards)
    parts = [(tokens[a:b], codes[a:b]) for a, b in edges]
    orders = orders_of(None, edges, model.shuffle)
    for record, mistakes in zip(model.distributed_, model.mistakes_):
        passed = mixing_twin.mixed_tagger_pass(expected, model.rule, parts, next(orders), mix, averaged)
        assert sum(passed.mistakes) == mistakes
        assert tuple(passed.shares) == record.shares
    learner = model._learner
    assert learner.visited == expected.visited
    rows = [("column", j) for j in range(2**6)] + [("link", j) for j in range(learner.n_links)]
    for row, tag in itertools.product(range(len(rows)), range(len(tags))):
        key = (*rows[row], tag)
        same_bits(learner.active[1 + row, tag], np.float32(expected.w.get(key, 0)))
        if averaged:
            same_bits(learner.total[1 + row, tag], np.float64(expected.total.get(key, 0)))


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1), mix=st.sampled_from(mixing.MIXES), shards=st.integers(1, 6), whole=st.booleans(),
    n_tags=st.integers(2, 3),
    options=st.fixed_dictionaries({
        "rule": st.sampled_from(RULES), "readout": st.sampled_from(("last", "averaged")), "shuffle": st.booleans(),
        "order": st.sampled_from((1, 2)), "cost": st.sampled_from(("hamming", "sqrt", "one")),
        "constraints": st.sampled_from((None, "seen")),
    }),
)  # fmt: skip
def test_shards_give_the_bits_of_the_reference(seed, mix, shards, whole, n_tags, options):
    X, y = corpus(seed, n=7, longest=3, n_tags=n_tags)
    X, y = [*X, ["w0", "w1"]], [*y, ["B-X", "I-X"]]
    if whole:
        check_against_reference(tagger(**options), X, y, shards, mix)
    else:
        check_against_reference(tagger(features=None, **options), as_numbers(X, seed), y, shards, mix)


def test_links_alone_give_the_bits_of_the_reference():
    """Most have a weight of one tag alone after the first pass, and so travel as lists of tags, of two tags as well."""
    y = [["Q", "P"], ["P", "P", "P"], ["Q", "P", "Q", "Q", "P"]]
    X, options = [[[] for _ in one] for one in y], {"features": None, "order": 2, "rule": rules.Perceptron()}
    first = here(tagger(max_iter=1, **options), X, y, shards=2)
    assert "weight_lists" in learners.to_state(first._learner)[1]
    check_against_reference(tagger(**options), X, y, 2, "uniform")


# ---- one machine ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("constraints", [None, "seen", "bio"])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("bits", [6, 24])
def test_one_shard_is_the_local_fit(bits, order, constraints):
    X, y = corpus(1)
    y = [[tag.replace("I", "B") if "B-X" not in one[:i][-1:] else tag for i, tag in enumerate(one)] for one in y]
    options = {"order": order, "constraints": constraints, "bits": bits, "tol": 0.3, "max_iter": 12}
    for rule, readout in ((None, "averaged"), (rules.Perceptron(), "last")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = tagger(rule=rule, readout=readout, **options).fit(X, y)
            found = here(tagger(rule=rule, readout=readout, **options), X, y, shards=1)
        same_tagger(found, expected)
        assert found.predict(X) == expected.predict(X)


def test_one_shard_of_numbers_that_are_not_whole_is_the_local_fit():
    X, y = corpus(2)
    X = as_numbers(X, 2)
    expected = tagger(features=None).fit(X, y)
    assert expected._learner.evidence.slack > 0
    same_tagger(here(tagger(features=None), X, y, shards=1), expected)
    mixed = here(tagger(features=None), X, y, shards=4)
    slacks = [tagger(features=None).fit(X[a:b], y[a:b])._learner.evidence.slack for a, b in shard_edges(len(X), 4)]
    assert mixed._learner.evidence.slack == max(slacks)


def test_few_of_very_many_columns_have_weights():
    """2²⁴ columns of 3 tags would be 800 MB with their sums; only those that moved have rows."""
    X, y = corpus(3)
    found = here(tagger(bits=24), X, y, shards=4)
    learner = found._learner
    assert learner.places is not None
    assert len(learner.weights) < 1000
    assert found.distributed_[0].weights_bytes < 200
    assert 0 < found.distributed_[-1].weights_bytes < 10_000
    same_tagger(here(tagger(bits=24), X, y, shards=4), found)


# ---- any workers, any kind of data ---------------------------------------------------------------------------------


def test_any_cluster_and_kind_of_data_give_the_bits_of_one_process(tmp_path):
    X, y = corpus(4, n=30)
    options = {"constraints": "seen", "order": 2, "bits": 12}
    expected = here(tagger(**options), X, y, shards=5, mix="updates")
    edges = shard_edges(len(X), 5)
    for i, (a, b) in enumerate(edges):
        rb.data.write_sentences(tmp_path / f"{i}.conll", X[a:b], y[a:b])
    examples = bag.from_delayed([_delayed(list(zip(X[a:b], y[a:b]))) for a, b in edges])
    with cluster_of(2) as client:
        for data in (((X, y), {"shards": 5}), ((examples,), {}), ((str(tmp_path / "*.conll"),), {})):
            found = fit(tagger(**options), *data[0], **data[1], mix="updates", client=client, progress=False)
            same_tagger(found, expected)
            assert timeless(found.distributed_) == timeless(expected.distributed_)
    same_tagger(here(tagger(**options), (Sentences.of_words(X), y), shards=5, mix="updates"), expected)
    same_tagger(here(tagger(**options), examples, mix="updates"), expected)
    examples = bag.from_sequence(list(zip(X, y)), npartitions=10)
    same_tagger(here(tagger(**options), examples, shards=5, mix="updates"), expected)


def _delayed(part):
    import dask

    return dask.delayed(part)


def test_what_may_follow_is_what_did_in_any_shard():
    X, y = [["a", "b"], ["b", "c"], ["c", "a"], ["a", "c"]], [["P", "Q"], ["Q", "R"], ["R", "P"], ["P", "R"]]
    for order in (1, 2):
        local = tagger(constraints="seen", order=order).fit(X, y)
        found = here(tagger(constraints="seen", order=order), X, y, shards=4)
        assert np.array_equal(found._learner.allowed, local._learner.allowed)
        assert not found._learner.allowed.all()


# ---- what is proved ------------------------------------------------------------------------------------------------


def differences(model, X, y):
    """Φ(y) − Φ(z) of every sentence and wrong sequence z, as rows."""
    tags = model.classes_.tolist()
    plain = reference.Tagger(2**model.bits, len(tags), model.order)
    found = []
    for sentence, right in zip(tokens_of(model, X), y):
        codes = [tags.index(tag) for tag in right]
        own = plain.phi(sentence, codes)
        for wrong in itertools.product(range(len(tags)), repeat=len(codes)):
            if list(wrong) != codes:
                other = plain.phi(sentence, wrong)
                found.append({key: float(own.get(key, 0)) - float(other.get(key, 0)) for key in own.keys() | other})
    places = {key: i for i, key in enumerate(sorted(set().union(*found)))}
    Z = np.zeros((len(found), len(places)))
    for row, one in zip(Z, found):
        for key, value in one.items():
            row[places[key]] = value
    return Z


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), shards=st.integers(2, 5), mix=st.sampled_from(mixing.MIXES))
def test_the_convergence_theorem(seed, shards, mix):
    """McDonald et al. (2010), theorem 3, for what it was written for: Σ_n Σ_i μ_{i,n}·k_{i,n} ≤ R²/γ²."""
    X, y = corpus(seed, n=6, longest=3, noise=0)
    if len({tag for one in y for tag in one}) < 2:
        return
    model = here(tagger(rule=rules.Perceptron(), readout="last", max_iter=1000, bits=8), X, y, shards=shards, mix=mix)
    Z = differences(model, X, y)
    low, high = best_margin(Z)
    assert model.verdict_ == "separated"
    assert model.predict(X) == y
    assert model.distributed_[-1].weighted_mistakes <= radius2(Z) / low**2 * (1 + 1e-9)
    lower, upper = model.margin_bounds_
    assert 0 <= lower <= high * (1 + 1e-9)  # 0: by less than rounding may be
    assert upper >= low * (1 - 1e-9)


@settings(max_examples=15)
@given(
    seed=st.integers(0, 2**32 - 1), shards=st.integers(2, 5), rule=st.sampled_from(RULES), whole=st.booleans(),
    noise=st.sampled_from((0, 0.1, 0.5)), order=st.sampled_from((1, 2)),
)  # fmt: skip
def test_the_bounds_of_a_mixed_run_hold(seed, shards, rule, whole, noise, order):
    """γ* lies between them, whether the sentences can be separated or not."""
    X, y = corpus(seed, n=6, longest=3, noise=noise)
    if len({tag for one in y for tag in one}) < 2:
        return
    X = X if whole else as_numbers(X, seed)
    model = tagger(rule=rule, order=order, max_iter=30, tol=1e-3, **({} if whole else {"features": None}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        here(model, X, y, shards=shards, mix="updates")
    low, high = best_margin(differences(model, X, y))
    lower, upper = model.margin_bounds_
    assert upper >= low * (1 - 1e-6)
    if low > -np.inf:
        assert lower <= high * (1 + 1e-6)


def test_equal_sentences_of_different_shards_prove_that_there_is_no_margin():
    X, y = corpus(6, n=20, longest=6, n_words=40, noise=0)
    X, y = [*X, X[9]], [*y, [*y[9][:-1], "I-X" if y[9][-1] == "O" else "O"]]
    local = tagger(tol=1e-4, max_iter=1000, bits=10).fit(X, y)
    assert (local.verdict_, local.equal_rows_) == ("no margin", (9, 20))
    for X_, options in ((X, {}), ([[[word] for word in one] for one in X], {"features": None})):
        for shards in (1, 3, 21):
            found = here(tagger(tol=1e-4, max_iter=1000, bits=10, **options), X_, y, shards=shards)
            assert (found.verdict_, found.equal_rows_) == ("no margin", (9, 20))


# ---- stops, what is held out ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [6, 24])
def test_a_run_goes_on_as_if_it_had_never_stopped(bits, tmp_path):
    X, y = corpus(7)
    path, options = tmp_path / "run.model", {"constraints": "seen", "bits": bits, "max_iter": 4}
    expected = here(tagger(**options), X, y, shards=3)
    model = tagger(**options)
    with pytest.raises(StopHereError):
        here(model, X, y, shards=3, checkpoint=path, progress=stopping(2))
    assert (model.n_iter_, rb.load(path).n_iter_) == (2, 2)
    found = here(tagger(**options), X, y, shards=3, checkpoint=path, resume=True)
    same_tagger(found, expected)
    assert timeless(found.distributed_) == timeless(expected.distributed_)
    same_tagger(rb.load(path), expected)
    assert rb.load(path).predict(X) == expected.predict(X)
    longer = here(tagger(**options), X, y, shards=3, checkpoint=path, resume=True, passes=6)
    same_tagger(longer, here(tagger(**options | {"max_iter": 6}), X, y, shards=3))
    with pytest.raises(ValueError, match=r"run over 3 shards of 24 rows, and these are 4 of 24; go on with the same"):
        here(tagger(**options), X, y, shards=4, checkpoint=path, resume=True)


def test_the_mixed_readout_is_judged_on_held_out_sentences():
    X, y = corpus(8)
    held_out, truth = corpus(9)
    truth = [["?" if tag == "O" else tag for tag in one] for one in truth]  # a tag that was never met is not found
    found = here(tagger(), X, y, shards=3, held_out=(held_out, truth))
    for record in found.distributed_:
        right = here(tagger(max_iter=record.number), X, y, shards=3).score(held_out, truth)
        assert record.held_out == pytest.approx(right)
        assert 0 < right < 1


def test_a_mixed_tagger_is_one_like_any_other(tmp_path):
    X, y = corpus(10)
    model = here(tagger(), X, y, shards=3)
    model.save(tmp_path / "a.model")
    same_tagger(rb.load(tmp_path / "a.model"), model)
    more, tags = corpus(11)
    other = rb.load(tmp_path / "a.model").partial_fit(more, tags)
    same_tagger(model.partial_fit(more, tags), other)
    assert model.with_readout("last").predict(X)


# ---- refusals ------------------------------------------------------------------------------------------------------

GOOD = [["a", "b"], ["b"], ["a"], ["b", "a"]]
TAGGED = [["P", "Q"], ["Q"], ["P"], ["Q", "P"]]


@pytest.mark.parametrize(
    ("parameters", "data", "options", "sentence"),
    [
        ({"rule": rules.AROW()}, (GOOD, TAGGED), {}, "AROW keeps how sure it is of each weight"),
        ({"readout": "pocket"}, (GOOD, TAGGED), {}, "the pocket holds one weight vector"),
        ({}, (GOOD, TAGGED), {"shards": None}, "say into how many shards the sentences are to be cut"),
        ({}, (GOOD, TAGGED), {"shards": 5}, "4 sentences cannot be cut into 5 shards; ask for fewer"),
        ({}, (GOOD,), {}, "there are no tags: give"),
        ({}, (GOOD, TAGGED[1:]), {}, "there are tags of 3 sentences for 4 sentences; give a list of tags for each"),
        ({}, (GOOD, [*TAGGED[:3], ["Q"]]), {}, "shard 1: a sentence has 2 tokens and 1 tag at sentence 1;"),
        ({}, ([*GOOD[:3], []], [*TAGGED[:3], []]), {}, "shard 1: a sentence has no tokens at sentence 1;"),
        ({}, (np.ones((4, 2)), TAGGED), {}, "a tagger learns from lists of sentences .* got ndarray"),
        ({}, ([*GOOD[:2], [("a", "x")], [("b", "y")]], [["P", "Q"], ["Q"], ["P"], ["Q"]]), {"features": "words"},
         "a tagger takes no features=…"),
        ({"features": "words"}, ([*GOOD[:2], [("a", "x")], [("b", "y")]], [["P", "Q"], ["Q"], ["P"], ["Q"]]), {},
         "shard 1: tokens have 2 columns, and those of shard 0 have 1; give every token the same columns"),
        ({}, (GOOD, TAGGED), {"classes": ["P", "R"]}, r"shard 0: the tag 'Q' is not among .* at sentence 0, token 1"),
        ({}, (GOOD, [["P"] * len(one) for one in GOOD]), {}, "all labels are the same, 'P'"),
        ({"constraints": "bio"}, (GOOD, [["I-X", "O"], ["O"], ["O"], ["B-X", "I-Y"]]), {},
         "shard 0: the tag I-X at the start of a sentence breaks the scheme BIO at sentence 0, token 0"),
        ({}, (GOOD, TAGGED), {"sample_weight": [1, 1, 1, 1]}, "a tagger takes no sample_weight=…"),
        ({}, (GOOD, TAGGED), {"in_memory": False}, "sentences are held in the workers' memory"),
        ({}, ("no-such-file.conll",), {"shards": 1}, "no-such-file.conll"),
    ],
)  # fmt: skip
def test_what_shards_refuse(parameters, data, options, sentence):
    model = tagger(**parameters)
    with pytest.raises((ValueError, TypeError, OSError), match=sentence):
        here(model, *data, **{"shards": 2, **options})
    assert not hasattr(model, "classes_")


def test_what_a_bag_and_files_refuse(tmp_path):
    with pytest.raises(TypeError, match=r"shard 0: example 0 must be \(sentence, tags\), got \['a'\]"):
        here(tagger(), bag.from_sequence([["a"]], npartitions=1))
    with pytest.raises(ValueError, match="a bag holds the tags of the sentences as well: leave y out"):
        here(tagger(), bag.from_sequence([(["a"], ["P"])], npartitions=1), [["P"]])
    path = tmp_path / "a.conll"
    path.write_text("a B-X\nb O\n\na I-X\n")
    with pytest.raises(ValueError, match=r"shard 0 \(.*\): .*a\.conll, line 4: the tag I-X at the start"):
        here(tagger(constraints="bio"), str(path))
