// Sentences as Python sees them: learned from, decoded, and the k best sequences of tags of one.
#include "sequence_bindings.hpp"

#include <algorithm>

#include "learning_instances.hpp"
#include "parallel.hpp"

namespace rosenblatt {
namespace {

bool learn_sentences(const PySentences& sentences, const PyModel& model, const PyRule& rule, nb::object targets,
                     nb::object order, nb::object weight, Index first, nb::object pocket, bool ratchet, PyTally& tally,
                     bool stop, nb::object misread) {
    return model.with_number_type_of([&]<class T>(T) {
        const SentenceRows<T> rows = sentences.view<T>();
        Tagger<T> tagger = model.tagger<T>(rows.n_features, true);
        const auto* const tags = read_only<std::int32_t>(targets, sentences.n_tokens, "tags");
        check_below(tags, sentences.n_tokens, tagger.lattice.tags.n, "codes of tags");
        Examples<TagSequences> examples{TagSequences{tags, rows.sentence}, nullptr,
                                        read_only_or_none<double>(weight, rows.n_rows, "weights"), rows.n_rows, first};
        examples.misread = writable_or_none<Index>(misread, 1, "misread");
        if (!order.is_none()) {
            const auto numbers = array<ReadOnly>(order, "order");
            examples.order = typed<std::int32_t>(numbers, 0, "order");
            examples.count = static_cast<Index>(numbers.size());
        }
        for (Index i = 0; i < rows.n_rows; ++i)
            if (rows.sentence[i] == rows.sentence[i + 1])
                throw std::invalid_argument("a sentence to learn from has tokens");
        return run(rows, tagger, rule, examples, pocket, ratchet, tally, stop);
    });
}

template <class T>
ROSENBLATT_CLONES void decode(const SentenceRows<T>& rows, Tagger<T>& tagger, Index from, Index to, std::int32_t* out,
                              double* scores, std::int32_t* others, double* gaps) {
    for (Index i = from; i < to; ++i) {
        const Sentence<T> x = rows[i];
        if (x.n_tokens == 0) {
            if (scores) scores[i] = 0;
            if (gaps) gaps[i] = std::numeric_limits<double>::infinity();
            continue;
        }
        tagger.look(x);
        std::int32_t* const tags = out + rows.sentence[i];
        const double best = tagger.lattice.trace(nullptr, tags);
        if (scores) scores[i] = best;
        if (best == Lattice::kNever) {  // no sequence may be taken
            std::fill_n(tags, x.n_tokens, 0);
            if (others) std::fill_n(others + rows.sentence[i], x.n_tokens, 0);
            if (gaps) gaps[i] = std::numeric_limits<double>::infinity();
        } else if (others) {
            std::copy_n(tags, x.n_tokens, others + rows.sentence[i]);  // where there is no other
            gaps[i] = best - tagger.lattice.trace(tags, others + rows.sentence[i]);
        }
    }
}

// Tags of the best sequence of every sentence, and its score; where asked for those of the second best, and by how much
// it is behind.
void decode_sentences(const PySentences& sentences, const PyModel& model, nb::object out, nb::object scores,
                      nb::object others, nb::object gaps, Index n_threads) {
    model.with_number_type_of([&]<class T>(T) {
        const SentenceRows<T> rows = sentences.view<T>();
        const Tagger<T> tagger = model.tagger<T>(rows.n_features, false);
        auto* const to = writable<std::int32_t>(out, sentences.n_tokens, "out");
        auto* const sums = writable_or_none<double>(scores, rows.n_rows, "scores");
        auto* const second = writable_or_none<std::int32_t>(others, sentences.n_tokens, "others");
        auto* const behind = writable_or_none<double>(gaps, rows.n_rows, "gaps");
        if (!second != !behind) throw std::invalid_argument("the second best has tags and a gap");
        constexpr Index kPart = 64;
        nb::gil_scoped_release unlocked;
        in_parallel((rows.n_rows + kPart - 1) / kPart, n_threads, [&](Index part) {
            Tagger<T> own = tagger;
            decode(rows, own, part * kPart, std::min(rows.n_rows, (part + 1) * kPart), to, sums, second, behind);
        });
    });
}

// The k best sequences of the one sentence: tags and scores, of which there may be fewer.
Index k_best_of(const PySentences& sentences, const PyModel& model, Index k, nb::object out, nb::object scores) {
    if (sentences.n_rows != 1 || sentences.n_tokens < 1 || k < 1)
        throw std::invalid_argument("one sentence that has tokens has k best sequences");
    return model.with_number_type_of([&]<class T>(T) {
        const SentenceRows<T> rows = sentences.view<T>();
        Tagger<T> tagger = model.tagger<T>(rows.n_features, false);
        auto* const to = writable<std::int32_t>(out, k * sentences.n_tokens, "out");
        auto* const sums = writable<double>(scores, k, "scores");
        nb::gil_scoped_release unlocked;
        tagger.look(rows[0]);
        return tagger.lattice.k_best(k, to, sums);
    });
}

}  // namespace
}  // namespace rosenblatt

using namespace rosenblatt;

void bind_sequences(nb::module_& m) {
    const auto none = nb::none();
    nb::class_<PySentences>(m, "Sentences",
                            "Sentences of tokens, which are rows of features; it keeps the arrays it is made of.")
        .def(nb::init<nb::object, nb::object, nb::object, nb::object, Index>(), nb::arg("sentences"), nb::arg("indptr"),
             nb::arg("indices"), nb::arg("data").none(), nb::arg("n_features"))
        .def_ro("n_rows", &PySentences::n_rows)
        .def_ro("n_tokens", &PySentences::n_tokens)
        .def_ro("n_features", &PySentences::n_features);
    nb::class_<PyLinks>(m, "Links", "Tags, how they follow on each other, and the rows of weights that are of that.")
        .def(nb::init<Index, Index, nb::handle, nb::object, nb::object>(), nb::kw_only(), nb::arg("n_tags"),
             nb::arg("order"), nb::arg("cost"), nb::arg("rows"), nb::arg("allowed") = none);
    m.def("learn_sentences", &learn_sentences, nb::kw_only(), nb::arg("rows"), nb::arg("model"), nb::arg("rule"),
          nb::arg("targets"), nb::arg("order") = none, nb::arg("weight") = none, nb::arg("first") = 0,
          nb::arg("pocket") = none, nb::arg("ratchet") = false, nb::arg("tally"), nb::arg("stop") = false,
          nb::arg("misread") = none, "`learn` of sentences, whose targets are the tags of all tokens.");
    m.def("decode", &decode_sentences, nb::kw_only(), nb::arg("rows"), nb::arg("model"), nb::arg("out"),
          nb::arg("scores") = none, nb::arg("others") = none, nb::arg("gaps") = none, nb::arg("n_threads") = 1,
          "Tags of the best sequence of every sentence and its score; tags of the second best, and how far it is "
          "behind.");
    m.def("k_best", &k_best_of, nb::kw_only(), nb::arg("rows"), nb::arg("model"), nb::arg("k"), nb::arg("out"),
          nb::arg("scores"), "The k best sequences of one sentence, best first, and their scores; how many there are.");
}
