// How many documents of each class have each column, and the weight of a column that follows from it:
//   √(max over classes j of |r_j|), times idf where it is asked for,
//   r_j = ln((c_j + 1)/(N_j + 1)) − ln((d − c_j + 1)/(N − N_j + 1)),
// where c_j of the N_j documents of class j have the column, and d of all N: Wang and Manning's log-count ratio (2012)
// of each class against the others, tempered by the root. Of the classes that do not have the column only the largest
// is asked, and a column that no document has weighs nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "clones.hpp"
#include "encode.hpp"

namespace rosenblatt {

class ClassCounts {
  public:
    using Class = std::uint16_t;

    explicit ClassCounts(std::size_t n_columns) : columns_(n_columns), shards_(kShards) {
        while ((n_columns - 1) >> shift_ >= kShards) ++shift_;
    }

    std::size_t n_columns() const { return columns_.size(); }
    const std::vector<std::uint64_t>& documents() const { return documents_; }

    void add_documents(Class of, std::uint64_t n) {
        if (documents_.size() <= of) documents_.resize(std::size_t{of} + 1);
        documents_[of] += n;
    }

    // n more documents of a class have a column. A count stays at its largest. Threads may add to columns of different
    // shards.
    void add(std::size_t column, Class of, std::uint32_t n = 1) {
        Column& at = columns_[column];
        for (int i = 0; i < 2; ++i) {
            if (at.count[i] == 0) at.of[i] = of;
            if (at.of[i] == of) return raise(at.count[i], n);
        }
        add_more(at, shards_[column >> shift_], of, n);
    }

    void prefetch(std::size_t column) const { prefetch_near(&columns_[column]); }
    // Of a column that is here already.
    void prefetch_list(std::size_t column) const {
        if (const std::uint32_t more = columns_[column].more) prefetch_near(shards_[column >> shift_].data() + more);
    }

    // f(class, count) for each class whose documents have the column, in any order.
    template <class F>
    void each(std::size_t column, F&& f) const {
        const Column& at = columns_[column];
        for (int i = 0; i < 2 && at.count[i] > 0; ++i) f(at.of[i], at.count[i]);
        if (at.more == 0) return;
        const More* const more = shards_[column >> shift_].data() + at.more;
        for (std::uint32_t i = 0; i < more[-1].count; ++i) f(more[i].of, more[i].count);
    }

    // The first column of the r-th of n ranges, each of them of whole shards.
    std::size_t begin_of(std::size_t r, std::size_t n) const {
        return std::min(columns_.size(), (kShards * r / n) << shift_);
    }
    static constexpr std::size_t kShards = 16;

  private:
    // The first two classes lie in the column; of the others there is a list, ascending by class, in the shard of the
    // column. Before it stands how many they are, and for how many there is room.
    struct Column {
        std::uint32_t count[2] = {};  // 0: no class yet
        Class of[2] = {};
        std::uint32_t more = 0;  // where the list begins; 0: there is none
    };
    struct More {
        std::uint32_t count;
        Class of;
        std::uint16_t log2_room;
    };
    std::vector<Column> columns_;
    std::vector<std::vector<More>> shards_;
    unsigned shift_ = 0;
    std::vector<std::uint64_t> documents_;  // of each class

    static void raise(std::uint32_t& count, std::uint32_t n) {
        count += std::min(n, std::numeric_limits<std::uint32_t>::max() - count);
    }

    ROSENBLATT_APART static void add_more(Column& at, std::vector<More>& lists, Class of, std::uint32_t n) {
        if (at.more == 0) at.more = list_for(lists, 2);
        More* list = lists.data() + at.more;
        const std::uint32_t size = list[-1].count;
        More* place = std::lower_bound(list, list + size, of, [](const More& a, Class b) { return a.of < b; });
        if (place < list + size && place->of == of) return raise(place->count, n);
        const std::ptrdiff_t before = place - list;
        if (size >> list[-1].log2_room) {  // it is full
            const std::uint32_t wider = list_for(lists, list[-1].log2_room + 1u);
            list = lists.data() + wider;
            std::copy_n(lists.data() + at.more, size, list);
            list[-1].count = size;
            at.more = wider;
        }
        std::copy_backward(list + before, list + size, list + size + 1);
        list[before] = {n, of, 0};
        ++list[-1].count;
    }

    // Room for a new list, and its head.
    static std::uint32_t list_for(std::vector<More>& lists, unsigned log2_room) {
        const std::size_t at = lists.size() + 1;
        if (at + (std::size_t{1} << log2_room) > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
        lists.resize(at + (std::size_t{1} << log2_room));
        lists[at - 1] = {0, 0, static_cast<std::uint16_t>(log2_room)};
        return static_cast<std::uint32_t>(at);
    }
};

// The weights of columns by counts, and by documents of each class, which it counts itself where they come one by one.
class ClassWeights {
  public:
    ClassWeights(const ClassCounts& counts, bool idf, const Logarithms::Table& ln)
        : counts_(&counts),
          idf_(idf),
          ln_(ln),
          documents_(counts.documents()),
          all_(std::accumulate(documents_.begin(), documents_.end(), std::uint64_t{0})),
          largest_(documents_.size()) {
        std::iota(largest_.begin(), largest_.end(), ClassCounts::Class{0});
        std::sort(largest_.begin(), largest_.end(), [&](auto a, auto b) { return before(a, b); });
        widen();
        for (std::size_t i = 0; i < largest_.size(); ++i) place_[largest_[i]] = static_cast<std::uint32_t>(i);
        begin();
    }

    // One more document of a class.
    void add_document(ClassCounts::Class of) {
        for (auto j = static_cast<ClassCounts::Class>(documents_.size()); documents_.size() <= of; ++j) {
            documents_.push_back(0);
            largest_.push_back(j);
            widen();
            place_[j] = static_cast<std::uint32_t>(j);
        }
        ++documents_[of];
        ++all_;
        for (std::uint32_t i = place_[of]; i > 0 && before(of, largest_[i - 1]); --i) {
            std::swap(largest_[i], largest_[i - 1]);
            std::swap(place_[largest_[i]], place_[of]);
        }
        begin();
    }

    double operator()(std::size_t column) {
        std::uint64_t d = 0;
        std::size_t n_classes = 0;
        counts_->each(column, [&](ClassCounts::Class, std::uint32_t count) { d += count, ++n_classes; });
        if (d == 0) return 0;
        ++met_;
        double most = 0;
        counts_->each(column, [&](ClassCounts::Class of, std::uint32_t count) {
            met_in_[of] = met_;
            most = std::max(most, std::abs(ratio(of, count, d)));
        });
        // Of the classes without it the largest is asked: of a small one (0 + 1)/(N_j + 1) says that it is common
        // there.
        if (n_classes < documents_.size()) most = std::max(most, std::abs(ratio(largest_without(), 0, d)));
        return (idf_ ? ln_all_ - ln_(1 + d) : 1) * std::sqrt(most);
    }

  private:
    const ClassCounts* counts_;
    bool idf_;
    Logarithms::Table ln_;
    std::vector<std::uint64_t> documents_;  // of each class,
    std::uint64_t all_;                     // and of all
    double ln_all_ = 0;
    std::vector<ClassCounts::Class> largest_;  // the classes, the largest first, of equals the first;
    std::vector<std::uint32_t> place_;         // and where each stands among them
    std::vector<double> odds_;                 // ln (N − N_j + 1)/(N_j + 1), made when it is asked for,
    std::vector<std::uint64_t> odds_of_;       // when there were so many documents
    std::vector<std::uint64_t> met_in_;        // the number of the last column that was looked at and has the class
    std::uint64_t met_ = 0;

    bool before(ClassCounts::Class a, ClassCounts::Class b) const {
        return documents_[a] != documents_[b] ? documents_[a] > documents_[b] : a < b;
    }
    void widen() {
        const std::size_t n = documents_.size();
        place_.resize(n), odds_.resize(n), odds_of_.resize(n), met_in_.resize(n);
    }
    void begin() { ln_all_ = ln_(1 + all_) + 1; }

    double odds(ClassCounts::Class of) {
        if (odds_of_[of] != all_ + 1) {
            odds_of_[of] = all_ + 1;
            odds_[of] = ln_(all_ - documents_[of] + 1) - ln_(documents_[of] + 1);
        }
        return odds_[of];
    }
    double ratio(ClassCounts::Class of, std::uint64_t count, std::uint64_t d) {
        const double found = ln_(count + 1) - ln_(d - count + 1) + odds(of);
        if (std::abs(found) > 1e-9) return found;
        // Whether it is 0, or rounding would be all that is left. Products that are so close are equal if they are so
        // modulo 2^64: they are below 2^74.
        return (count + 1) * (all_ - documents_[of] + 1) == (d - count + 1) * (documents_[of] + 1) ? 0 : found;
    }
    // The largest class without the column that is looked at, of which there is one.
    ClassCounts::Class largest_without() const {
        return *std::find_if(largest_.begin(), largest_.end(), [&](auto of) { return met_in_[of] != met_; });
    }
};

// Counts rows of a class each, and weighs them where it is asked to.
struct CountedByClass {
    ClassCounts& counts;
    const ClassCounts::Class* classes;
    std::optional<ClassWeights> weights;  // none: they are counted alone

    void prefetch(std::size_t column) const { counts.prefetch(column); }

    template <class T, class I>
    void row(const Weighing<T, I>& rows, std::size_t row, I first, I last, I end) {
        constexpr I ahead = 64, near = 16;
        for (I i = first; i < last; ++i) {
            if (i + ahead < end) prefetch(static_cast<std::size_t>(rows.columns[i + ahead]));
            if (i + near < last) counts.prefetch_list(static_cast<std::size_t>(rows.columns[i + near]));
            counts.add(static_cast<std::size_t>(rows.columns[i]), classes[row]);
        }
        if (!weights) return;
        weights->add_document(classes[row]);
        rows.entries(first, last, *weights);
    }
};

inline Logarithms::Table logarithms_for(std::uint64_t n_documents) { return logarithms_up_to(n_documents + 1); }

inline std::uint64_t sum_of(const std::vector<std::uint64_t>& documents) {
    return std::accumulate(documents.begin(), documents.end(), std::uint64_t{0});
}

template <class T, class I>
void weigh_by_class(const Weighing<T, I>& rows, const ClassCounts& counts, bool idf, unsigned n_threads) {
    weigh_all(rows, n_threads, ClassWeights(counts, idf, logarithms_for(sum_of(counts.documents()))));
}

// The weight of each column, for many rows: n_columns numbers.
inline void write_weights(const ClassCounts& counts, bool idf, unsigned n_threads, double* weights) {
    const ClassWeights weight(counts, idf, logarithms_for(sum_of(counts.documents())));
    const std::size_t n = counts.n_columns();
    constexpr std::size_t step = 1 << 16;
    in_parallel(static_cast<std::int64_t>((n + step - 1) / step), n_threads, [&](std::int64_t part) {
        const std::size_t first = static_cast<std::size_t>(part) * step;
        ClassWeights own = weight;
        for (std::size_t i = first; i < std::min(n, first + step); ++i) weights[i] = own(i);
    });
}

// Each row counted and, where `weigh`, weighed by the counts so far, before the next.
template <class T, class I>
void stream_by_class(const Weighing<T, I>& rows, const ClassCounts::Class* classes, bool weigh, bool idf,
                     ClassCounts& counts, unsigned n_threads) {
    const std::size_t n_ranges = std::clamp<std::size_t>(n_threads, 1, ClassCounts::kShards);
    const auto ln = logarithms_for(sum_of(counts.documents()) + rows.n_rows);
    in_parallel(static_cast<std::int64_t>(n_ranges), n_threads, [&](std::int64_t range) {
        const auto r = static_cast<std::size_t>(range);
        CountedByClass by{counts, classes, {}};
        if (weigh) by.weights.emplace(counts, idf, ln);
        stream_range(rows, counts.begin_of(r, n_ranges), counts.begin_of(r + 1, n_ranges), n_ranges == 1, weigh, by);
    });
    if (weigh && n_ranges > 1)
        rows.some(n_threads, [&](std::size_t first, std::size_t last) {
            for (std::size_t row = first; row < last; ++row) rows.scale(row);
        });
    for (std::size_t row = 0; row < rows.n_rows; ++row) counts.add_documents(classes[row], 1);
}

}  // namespace rosenblatt
