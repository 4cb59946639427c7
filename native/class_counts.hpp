// How many documents of each class have each column, and the weight of a column that follows from it:
//   √(max over classes j of |r_j|), times idf where it is asked for,
//   r_j = ln((c_j + 1)/(N_j + 1)) − ln((d − c_j + 1)/(N − N_j + 1)),
// where c_j of the N_j documents of class j have the column, and d of all N: Wang and Manning's log-count ratio (2012)
// of each class against the others, tempered by the root. A column that no document has weighs nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "encode.hpp"

namespace rosenblatt {

class ClassCounts {
  public:
    using Class = std::uint16_t;

    explicit ClassCounts(std::size_t n_columns) : columns_(n_columns) {}

    std::size_t n_columns() const { return columns_.size(); }
    const std::vector<std::uint64_t>& documents() const { return documents_; }
    std::uint64_t n_documents() const {
        return std::accumulate(documents_.begin(), documents_.end(), std::uint64_t{0});
    }

    void add_documents(Class of, std::uint64_t n) {
        if (documents_.size() <= of) documents_.resize(std::size_t{of} + 1);
        documents_[of] += n;
    }

    // n more documents of a class have a column. A count stays at its largest.
    void add(std::size_t column, Class of, std::uint32_t n = 1) {
        Column& at = columns_[column];
        for (int i = 0; i < 2; ++i) {
            if (at.count[i] == 0) at.of[i] = of;
            if (at.of[i] == of) return raise(at.count[i], n);
        }
        if (2 * (more_.size() + 1) > index_.size()) widen_index();
        std::uint32_t& place = index_[slot_of(column, of)];
        if (place != 0) return raise(more_[place - 1].count, n);
        more_.push_back({n, at.more, static_cast<std::uint32_t>(column), of});
        place = at.more = static_cast<std::uint32_t>(more_.size());
    }

    // How many documents of a class have a column.
    std::uint32_t count_of(std::size_t column, Class of) const {
        const Column& at = columns_[column];
        for (int i = 0; i < 2; ++i)
            if (at.count[i] == 0 || at.of[i] == of) return at.count[i];
        if (at.more == 0) return 0;
        const std::uint32_t place = index_[slot_of(column, of)];
        return place == 0 ? 0 : more_[place - 1].count;
    }

    void prefetch(std::size_t column) const { prefetch_near(&columns_[column]); }

    // f(class, count) for each class whose documents have the column, in any order.
    template <class F>
    void each(std::size_t column, F&& f) const {
        const Column& at = columns_[column];
        for (int i = 0; i < 2 && at.count[i] > 0; ++i) f(at.of[i], at.count[i]);
        for (std::uint32_t place = at.more; place != 0; place = more_[place - 1].next)
            f(more_[place - 1].of, more_[place - 1].count);
    }

  private:
    // The first two classes lie in the column; the others are a list, and are found by an index of all of them.
    struct Column {
        std::uint32_t count[2] = {};  // 0: no class yet
        Class of[2] = {};
        std::uint32_t more = 0;  // the place of the last that came, from 1; 0: none
    };
    struct More {
        std::uint32_t count, next, column;
        Class of;
    };
    std::vector<Column> columns_;
    std::vector<More> more_;
    std::vector<std::uint32_t> index_;      // places of `more_`, by column and class; 0: free
    std::vector<std::uint64_t> documents_;  // of each class

    static void raise(std::uint32_t& count, std::uint32_t n) {
        count += std::min(n, std::numeric_limits<std::uint32_t>::max() - count);
    }

    // Where a column and a class stand in the index, or may.
    std::size_t slot_of(std::size_t column, Class of) const {
        const std::size_t mask = index_.size() - 1;
        const std::uint64_t key = (std::uint64_t{column} << 16 | of) * 0x9E3779B97F4A7C15u;
        for (std::size_t slot = static_cast<std::size_t>(key >> 32) & mask;; slot = (slot + 1) & mask) {
            if (index_[slot] == 0) return slot;
            const More& there = more_[index_[slot] - 1];
            if (there.column == column && there.of == of) return slot;
        }
    }

    void widen_index() {
        if (more_.size() >= std::numeric_limits<std::uint32_t>::max() / 4) throw std::bad_alloc();
        std::vector<std::uint32_t> wider(std::max<std::size_t>(2 * index_.size(), 1024));
        index_.swap(wider);
        for (std::size_t i = 0; i < more_.size(); ++i)
            index_[slot_of(more_[i].column, more_[i].of)] = static_cast<std::uint32_t>(i + 1);
    }
};

// The weights of columns by the counts as they are; made anew when a document has been added.
class ClassWeights {
  public:
    ClassWeights(const ClassCounts& counts, bool idf, const Logarithms::Table& ln)
        : counts_(counts), idf_(idf), ln_(ln) {
        refresh();
    }

    // After documents were added.
    void refresh() {
        const auto& documents = counts_.documents();
        const std::uint64_t all = counts_.n_documents();
        ln_all_ = ln_(1 + all) + 1;
        odds_.resize(documents.size());
        for (std::size_t j = 0; j < documents.size(); ++j)
            odds_[j] = ln_(all - documents[j] + 1) - ln_(documents[j] + 1);
        // By insertion: after one more document they are in order but for one class.
        for (auto j = static_cast<ClassCounts::Class>(largest_.size()); largest_.size() < documents.size(); ++j)
            largest_.push_back(j);
        const auto before = [&](auto a, auto b) {
            return documents[a] != documents[b] ? documents[a] > documents[b] : a < b;
        };
        for (std::size_t i = 1; i < largest_.size(); ++i)
            for (std::size_t k = i; k > 0 && before(largest_[k], largest_[k - 1]); --k)
                std::swap(largest_[k], largest_[k - 1]);
    }

    double operator()(std::size_t column) const {
        std::uint64_t d = 0;
        std::size_t n_classes = 0;
        counts_.each(column, [&](ClassCounts::Class, std::uint32_t count) { d += count, ++n_classes; });
        if (d == 0) return 0;
        double most = 0;
        counts_.each(column, [&](ClassCounts::Class of, std::uint32_t count) {
            most = std::max(most, std::abs(ratio(of, count, d)));
        });
        // Of the classes without it, the largest one has the largest ratio.
        if (n_classes < odds_.size()) most = std::max(most, std::abs(ratio(largest_without(column), 0, d)));
        return (idf_ ? ln_all_ - ln_(1 + d) : 1) * std::sqrt(most);
    }

  private:
    const ClassCounts& counts_;
    bool idf_;
    Logarithms::Table ln_;
    double ln_all_ = 0;
    std::vector<double> odds_;                 // ln (N − N_j + 1)/(N_j + 1)
    std::vector<ClassCounts::Class> largest_;  // the classes, the largest first

    double ratio(ClassCounts::Class of, std::uint64_t count, std::uint64_t d) const {
        return ln_(count + 1) - ln_(d - count + 1) + odds_[of];
    }

    ClassCounts::Class largest_without(std::size_t column) const {
        for (const auto of : largest_)
            if (counts_.count_of(column, of) == 0) return of;
        return 0;
    }
};

// Count each row, of a class each; nothing is weighed.
template <class I>
void count(const I* starts, const std::int32_t* columns, const ClassCounts::Class* classes, std::size_t n_rows,
           ClassCounts& counts) {
    constexpr I ahead = 64;
    const I end = starts[n_rows];
    for (std::size_t row = 0; row < n_rows; ++row) {
        counts.add_documents(classes[row], 1);
        for (I i = starts[row]; i < starts[row + 1]; ++i) {
            counts.prefetch(static_cast<std::size_t>(columns[std::min(i + ahead, end - 1)]));
            counts.add(static_cast<std::size_t>(columns[i]), classes[row]);
        }
    }
}

// Where there are many entries the weight of each column is made once.
template <class T, class I>
void weigh_by_class(const Weighing<T, I>& rows, const ClassCounts& counts, bool idf, unsigned n_threads) {
    const ClassWeights weights(counts, idf, logarithms_up_to(counts.n_documents() + 1));
    const std::size_t n = counts.n_columns();
    if (static_cast<std::size_t>(rows.starts[rows.n_rows]) < n / 8) return rows.all(weights, n_threads);
    const auto made = std::make_unique_for_overwrite<double[]>(n);
    constexpr std::size_t step = 1 << 16;
    in_parallel(static_cast<std::int64_t>((n + step - 1) / step), n_threads, [&](std::int64_t part) {
        const std::size_t first = static_cast<std::size_t>(part) * step;
        for (std::size_t i = first; i < std::min(n, first + step); ++i) made[i] = weights(i);
    });
    rows.all([&](std::size_t column) { return made[column]; }, n_threads);
}

// Row by row, each counted first and weighed by the counts so far.
template <class T, class I>
void stream_by_class(const Weighing<T, I>& rows, const ClassCounts::Class* classes, bool idf, ClassCounts& counts) {
    ClassWeights weights(counts, idf, logarithms_up_to(counts.n_documents() + rows.n_rows + 1));
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        count(rows.starts + row, rows.columns, classes + row, 1, counts);
        weights.refresh();
        rows.row(row, weights);
    }
}

}  // namespace rosenblatt
