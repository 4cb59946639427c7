// All sequences of tags of a sentence at once: the best one, the best one other than a given one, the k best.
//
// A sequence scores Σ_t (emission of its tag at token t, then the link from the tags before), and the link to the end.
// A link is what the tags before are: the last one (order 1) or the last two (order 2), of which the start is one; its
// weights are numbers by the tag that comes next, or, of those to the end, by the last tag. Sums go over the tokens
// from the first to the last, emission before link, in double precision. Rounding never changes an order, so that the
// search over states finds the largest of all these rounded sums, and not almost. Among equals it takes the lowest tag,
// decided from the last token back. core/spaces/sequences/reference.py is the same by plain Python.
//
// A state is the tag of a token and, of order 2, what came before: the start, 0, or 1 + its tag ("middle").
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "rows.hpp"

namespace rosenblatt {

struct Tags {
    Index n, order;

    // Links are numbered so that one tag more leaves those that are there where they are.
    Index n_links() const { return order == 1 ? n + 2 : (n + 1) * (n + 2); }
    Index middles() const { return order == 1 ? 1 : n + 1; }
    Index end(Index middle) const { return order == 1 ? 0 : middle * (middle + 1); }
    Index start() const { return order == 1 ? 1 : pair(0, 0); }
    static Index pair(Index a, Index b) {
        const Index shell = std::max(a, b);
        return shell * (shell + 1) + 1 + (a == shell ? b : shell + 1 + a);
    }
    // The middle of token t's state in a sequence, and the link into it.
    template <class Tag>
    Index middle_of(const Tag* y, Index t) const {
        return order == 1 || t == 0 ? 0 : 1 + y[t - 1];
    }
    template <class Tag>
    Index link_of(const Tag* y, Index t) const {
        if (t == 0) return start();
        return order == 1 ? 2 + y[t - 1] : pair(t == 1 ? 0 : 1 + y[t - 2], 1 + y[t - 1]);
    }
};

class Lattice {
  public:
    Tags tags;
    Index stride;
    std::vector<double> emissions;  // of each token, `stride` numbers

    Lattice(Tags which, Index numbers)
        : tags(which),
          stride(numbers),
          links_(static_cast<std::size_t>(which.n_links() * numbers)),
          before_(static_cast<std::size_t>(numbers)),
          sums_(static_cast<std::size_t>(std::max(numbers, which.n + 1))),  // of order 2 the start is a source too
          into_(which.order == 1 ? static_cast<std::size_t>(numbers * numbers) : 0, kNever) {}

    // The weight of a link with the tag that follows; −∞: it may not.
    double link(Index number, Index tag) const { return links_[static_cast<std::size_t>(number * stride + tag)]; }
    void set_link(Index number, Index tag, double weight) {
        links_[static_cast<std::size_t>(number * stride + tag)] = weight;
        if (tags.order == 1 && number >= 2) into_[static_cast<std::size_t>(tag * stride + number - 2)] = weight;
    }

    void resize(Index n) {
        emissions.resize(static_cast<std::size_t>(n * stride));
        best_.resize(static_cast<std::size_t>(n * tags.middles() * stride));
        stray_.resize(static_cast<std::size_t>(n));
        n_ = n;
    }
    double* emission(Index t) { return emissions.data() + t * stride; }

    // The best scores of all states, from the first token on.
    void forward() {
        for (Index t = 0; t < n_; ++t)
            for (Index m = 0; m < tags.middles(); ++m) {
                if (tags.order == 2 && (t == 0) != (m == 0))
                    std::fill_n(state(t, m), stride, kNever);
                else
                    enter(t, m);
            }
    }

    // The score of a sequence.
    double score(const std::int32_t* y) const {
        double sum = 0;
        for (Index t = 0; t < n_; ++t)
            sum = (sum + emissions[static_cast<std::size_t>(t * stride + y[t])]) + link(tags.link_of(y, t), y[t]);
        return sum + link(tags.end(tags.middle_of(y, n_ - 1)), y[n_ - 1]);
    }

    // The best sequence, or the best one other than `right`, after `forward`: its tags and score; −∞: there is none.
    double trace(const std::int32_t* right, std::int32_t* out) {
        if (right) stray(right);
        Index m = 0, c = 0;
        double top = kNever;
        for (Index tag = 0; tag < tags.n; ++tag)
            for (Index middle = 0; middle < tags.middles(); ++middle) {
                const double sum = held(right, n_ - 1, middle, tag) + link(tags.end(middle), tag);
                if (sum > top) top = sum, m = middle, c = tag;
            }
        if (top == kNever) return top;
        for (Index t = n_ - 1;; --t) {
            out[t] = static_cast<std::int32_t>(c);
            if (t == 0) return top;
            if (right && !is_right(right, t, m, c)) right = nullptr;  // it has left the right one: any way goes on
            arrive(right, t, m, c);
            // Of order 2 the start is what came before the first token alone, also where weights are no numbers.
            const Index first = tags.order == 2 && t > 1 ? 1 : 0, end = tags.order == 2 && t == 1 ? 1 : sources();
            const Index from = std::max_element(sums_.begin() + first, sums_.begin() + end) - sums_.begin();
            c = tags.order == 1 ? from : m - 1;
            m = tags.order == 1 ? 0 : from;
        }
    }

    // The k best sequences, best first, of equals as `trace` would take them: tags one after the other, and scores; how
    // many there are, where these are fewer than k.
    Index k_best(Index k, std::int32_t* out, double* scores) const {
        const std::vector<std::vector<Way>> ways = best_ways(k);
        const auto at = [&](Index t, Index m, Index c) -> const std::vector<Way>& { return ways[number(t, m, c)]; };
        struct End {
            double sum;
            Index m, c, rank;
        };
        std::vector<End> ends;
        for (Index c = 0; c < tags.n; ++c)
            for (Index m = 0; m < tags.middles(); ++m) {
                const auto& list = at(n_ - 1, m, c);
                for (std::size_t r = 0; r < list.size(); ++r) {
                    const double sum = list[r].sum + link(tags.end(m), c);
                    if (sum != kNever) ends.push_back({sum, m, c, static_cast<Index>(r)});
                }
            }
        std::stable_sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.sum > b.sum; });
        const Index found = std::min(k, static_cast<Index>(ends.size()));
        for (Index i = 0; i < found; ++i) {
            auto [sum, m, c, rank] = ends[static_cast<std::size_t>(i)];
            scores[i] = sum;
            for (Index t = n_ - 1; t >= 0; --t) {
                out[i * n_ + t] = static_cast<std::int32_t>(c);
                const Way& way = at(t, m, c)[static_cast<std::size_t>(rank)];
                c = tags.order == 1 ? way.source : m - 1;
                m = tags.order == 1 ? 0 : way.source;
                rank = way.rank;
            }
        }
        return found;
    }

    static constexpr double kNever = -std::numeric_limits<double>::infinity();

  private:
    // A way to a state: from which source, and by which of the ways to that.
    struct Way {
        double sum;
        Index source, rank;
    };

    std::vector<double> best_;           // of each state
    std::vector<double> stray_;          // of each state of the right sequence, the best that came there another way
    std::vector<double> links_;          // one row of `stride` for each
    std::vector<double> before_, sums_;  // room for one number of each source
    std::vector<double> into_;           // of order 1: by tag, the weights of the tags before
    Index n_ = 0;

    double* state(Index t, Index m) { return best_.data() + (t * tags.middles() + m) * stride; }
    // A state of middle m is entered from the states of the token before, one for each source: its tag, or its middle.
    Index sources() const { return tags.order == 1 ? tags.n : tags.n + 1; }
    Index link_into(Index t, Index m, Index source) const {
        return t == 0 ? tags.start() : tags.order == 1 ? 2 + source : Tags::pair(source, m);
    }
    double from(Index t, Index m, Index source) {
        return tags.order == 1 ? state(t - 1, 0)[source] : state(t - 1, source)[m - 1];
    }

    bool is_right(const std::int32_t* y, Index t, Index m, Index c) const {
        return c == y[t] && m == tags.middle_of(y, t);
    }
    // The best score of a state, of the right one by another way than the right one.
    double held(const std::int32_t* right, Index t, Index m, Index c) {
        return right && is_right(right, t, m, c) ? stray_[static_cast<std::size_t>(t)] : state(t, m)[c];
    }
    // sums_ = the scores of a state by every source.
    void arrive(const std::int32_t* right, Index t, Index m, Index c) {
        const double e = emissions[static_cast<std::size_t>(t * stride + c)];
        if (tags.order == 2) {
            for (Index s = 0; s < sources(); ++s)
                sums_[static_cast<std::size_t>(s)] = (held(right, t - 1, s, m - 1) + e) + link(Tags::pair(s, m), c);
            return;
        }
        std::copy_n(state(t - 1, 0), stride, before_.data());
        if (right) before_[static_cast<std::size_t>(right[t - 1])] = stray_[static_cast<std::size_t>(t - 1)];
        const double* const into = into_.data() + c * stride;
        for (Index s = 0; s < stride; ++s)
            sums_[static_cast<std::size_t>(s)] = (before_[static_cast<std::size_t>(s)] + e) + into[s];
    }
    void stray(const std::int32_t* y) {
        stray_[0] = kNever;
        for (Index t = 1; t < n_; ++t) {
            arrive(y, t, tags.middle_of(y, t), y[t]);
            stray_[static_cast<std::size_t>(t)] = *std::max_element(sums_.begin(), sums_.begin() + sources());
        }
    }

    std::size_t number(Index t, Index m, Index c) const {
        return static_cast<std::size_t>((t * tags.middles() + m) * stride + c);
    }
    // The k best ways to every state, best first, of equals those of the lowest source. The ways to a source are in
    // order, and stay so with the same numbers added: the lists of all sources are merged.
    std::vector<std::vector<Way>> best_ways(Index k) const {
        std::vector<std::vector<Way>> ways(static_cast<std::size_t>(n_ * tags.middles() * stride));
        std::vector<Way> next;  // the best way of each source that was not taken yet: a heap
        const auto worse = [](const Way& a, const Way& b) {
            return a.sum != b.sum ? a.sum < b.sum : a.source > b.source;
        };
        for (Index c = 0; c < tags.n; ++c)
            if (link(tags.start(), c) != kNever)
                ways[number(0, 0, c)].push_back(
                    {(0 + emissions[static_cast<std::size_t>(c)]) + link(tags.start(), c), 0, 0});
        const auto enter = [&](Index t, Index m, Index c) {
            const double e = emissions[static_cast<std::size_t>(t * stride + c)];
            const auto before = [&](Index s) -> const std::vector<Way>& {
                return ways[tags.order == 1 ? number(t - 1, 0, s) : number(t - 1, s, m - 1)];
            };
            const auto way = [&](Index s, Index rank) -> Way {
                return {(before(s)[static_cast<std::size_t>(rank)].sum + e) + link(link_into(t, m, s), c), s, rank};
            };
            next.clear();
            for (Index s = 0; s < sources(); ++s)
                if (!before(s).empty() && link(link_into(t, m, s), c) != kNever) next.push_back(way(s, 0));
            std::make_heap(next.begin(), next.end(), worse);
            std::vector<Way>& list = ways[number(t, m, c)];
            while (!next.empty() && static_cast<Index>(list.size()) < k) {
                std::pop_heap(next.begin(), next.end(), worse);
                const auto [sum, s, rank] = list.emplace_back(next.back());
                next.pop_back();
                if (rank + 1 == static_cast<Index>(before(s).size())) continue;
                next.push_back(way(s, rank + 1));
                std::push_heap(next.begin(), next.end(), worse);
            }
        };
        for (Index t = 1; t < n_; ++t)
            for (Index m = tags.order == 1 ? 0 : 1; m < tags.middles(); ++m)
                for (Index c = 0; c < tags.n; ++c) enter(t, m, c);
        return ways;
    }

    // The states of middle m, several tags at a time: four by four, as wider ones are slow where registers hold four.
    void enter(Index t, Index m) {
        if (stride == 4) return enter_some<4, 1>(t, m, 0);
        Index c = 0;
        for (; c + 24 <= stride; c += 24) enter_some<4, 6>(t, m, c);
        for (; c + 16 <= stride; c += 16) enter_some<4, 4>(t, m, c);
        for (; c < stride; c += 8) enter_some<4, 2>(t, m, c);
    }
    template <int N, int B>
    void enter_some(Index t, Index m, Index c) {
        Pack<double, N> most[B], e[B];
        for (int b = 0; b < B; ++b) {
            most[b] = Pack<double, N>::all(kNever);
            e[b] = Pack<double, N>::at(emission(t) + c + b * N);
        }
        const Index n = t == 0 ? 1 : sources();
        for (Index s = 0; s < n; ++s) {
            const auto before = Pack<double, N>::all(t == 0 ? 0 : from(t, m, s));
            const double* const row = links_.data() + link_into(t, m, s) * stride + c;
            for (int b = 0; b < B; ++b) {
                auto sum = before;
                sum.add(e[b]);
                sum.add(Pack<double, N>::at(row + b * N));
                most[b].raise(sum);
            }
        }
        for (int b = 0; b < B; ++b) most[b].store(state(t, m) + c + b * N);
    }
};

}  // namespace rosenblatt
