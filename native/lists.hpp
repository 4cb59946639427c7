// Class vectors of which most numbers are 0: each feature has a list of the classes that ever moved, and their weights.
//
// Memory grows with the pairs of a feature and a class that a step has moved, instead of with all of them. A zero adds
// nothing to a score, so the scores are those of class vectors side by side, to the bit.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>
#include <vector>

#include "pages.hpp"
#include "rows.hpp"

namespace rosenblatt {

// The averaged readout of a weight after n examples: less its sum over n, rounded once.
template <class T>
T mean_weight(T w, double total, double n) {
    return static_cast<T>(static_cast<double>(w) - total / n);
}

// Places for entries, in chunks: what is in them never moves. The sums of all entries lie apart from their classes and
// weights, as a score needs these alone.
template <class T>
class Places {
  public:
    static constexpr std::size_t kPair = sizeof(std::int32_t) + sizeof(T);

    explicit Places(bool with_sums) : with_sums_(with_sums) {}
    char* pairs(std::uint32_t place) const { return pairs_[place >> kBits] + (place & (kChunk - 1)) * kPair; }
    double* sums(std::uint32_t place) const {
        return with_sums_ ? sums_[place >> kBits] + (place & (kChunk - 1)) : nullptr;
    }
    // The first of n more, side by side, whose content is undefined.
    std::uint32_t extend(std::size_t n) {
        if (size_ + n > pairs_.size() * kChunk) {
            const std::size_t first = pairs_.size(), count = (n + kChunk - 1) / kChunk;
            if (first + count > kMost) throw std::bad_alloc();
            auto pairs = aligned<char>(count * kChunk * kPair);
            auto sums = aligned<double>(with_sums_ ? count * kChunk : 0);
            pairs_.reserve(first + count);
            sums_.reserve(first + count);
            blocks_.reserve(blocks_.size() + 1);
            for (std::size_t i = 0; i < count; ++i) {
                pairs_.push_back(pairs.get() + i * kChunk * kPair);
                if (with_sums_) sums_.push_back(sums.get() + i * kChunk);
            }
            blocks_.emplace_back(std::move(pairs), std::move(sums));
            size_ = first * kChunk;
        }
        const auto place = static_cast<std::uint32_t>(size_);
        size_ += n;
        return place;
    }

  private:
    static constexpr int kBits = 19;
    static constexpr std::uint32_t kChunk = 1u << kBits;
    static constexpr std::size_t kMost = std::size_t{1} << (32 - kBits);
    bool with_sums_;
    std::vector<std::pair<Aligned<char>, Aligned<double>>> blocks_;
    std::vector<char*> pairs_;  // blocks are of one chunk, or of several where a list is longer
    std::vector<double*> sums_;
    std::size_t size_ = 0;
};

// The lists of all features. A class has a number here that it keeps when others come before it, so that a new class
// costs no reading of the lists; they ascend by it.
template <class T>
class ClassLists {
  public:
    struct Row {
        std::uint32_t at, size;  // where its list is, and of how many classes
    };
    // The three columns of a list: the numbers of classes, their weights, and Σ (t − 1)·Δ_t for the averaged readout.
    struct List {
        std::int32_t* number;
        T* weight;
        double* total;  // null: it is not kept
    };

    ClassLists(Index n_classes, bool averaged)
        : averaged_(averaged), places_(averaged), number_(static_cast<std::size_t>(n_classes)), code_(number_.size()) {
        std::iota(number_.begin(), number_.end(), 0);
        std::iota(code_.begin(), code_.end(), 0);
    }

    bool averaged() const { return averaged_; }
    Index n_classes() const { return static_cast<Index>(code_.size()); }
    Index n_rows() const { return n_rows_; }
    const std::int32_t* codes() const { return code_.data(); }
    Index number(Index code) const { return number_[static_cast<std::size_t>(code)]; }
    bool has(Index j) const { return j >= 0 && j < n_rows(); }
    const Row& row(Index j) const { return rows_[static_cast<std::size_t>(j)]; }
    void reserve(Index n_rows) {
        if (n_rows <= n_rows_) return;
        auto larger = aligned<Row>(static_cast<std::size_t>(n_rows));
        std::copy_n(rows_.get(), n_rows_, larger.get());
        std::fill_n(larger.get() + n_rows_, n_rows - n_rows_, Row{0, 0});
        rows_ = std::move(larger);
        n_rows_ = n_rows;
    }
    // One class more, whose code will be `code`; those from there on move up by one.
    void add_class(Index code) {
        for (std::int32_t& c : code_) c += c >= code;
        number_.insert(number_.begin() + code, static_cast<std::int32_t>(code_.size()));
        code_.push_back(static_cast<std::int32_t>(code));
    }

    // Fetch a list that will be read, without its sums.
    void prefetch(const Row& row) const {
        if (row.size) prefetch_list(list(row), row.size);
    }
    void prefetch_list(const List& held, std::uint32_t size) const {
        if (size == code_.size()) return prefetch_bytes(held.weight, static_cast<Index>(size * sizeof(T)));
        prefetch_near(held.number);
        if (size > 4) prefetch_near(held.number + 16);
    }
    // f(list, place) of every entry of a row that is not 0.
    template <class F>
    void each(Index j, F f) const {
        const Row& row = this->row(j);
        const List held = list(row);
        const auto is_some = [](auto value) { return value != 0 || std::signbit(value); };
        for (std::size_t e = 0; e < row.size; ++e)
            if (is_some(held.weight[e]) || (held.total && is_some(held.total[e]))) f(held, e);
    }
    // The same lists after n examples, with the averages W − total/n, rounded as the weights are.
    ClassLists average(double n) const {
        ClassLists mean(n_classes(), false);
        mean.number_ = number_;
        mean.code_ = code_;
        mean.reserve(n_rows());
        for (Index j = 0; j < n_rows(); ++j) {
            if (j + kAhead < n_rows()) prefetch(row(j + kAhead));
            const auto size = row(j).size;
            const List from = list(row(j)), to = mean.make(j, size);
            std::copy_n(from.number, size, to.number);
            for (std::size_t e = 0; e < size; ++e) to.weight[e] = mean_weight(from.weight[e], from.total[e], n);
        }
        return mean;
    }
    List list(const Row& row) const { return row.size ? columns(row.at, room_for(row.size)) : List{}; }

    // The list of a feature that has none yet, for so many classes, to be filled.
    List make(Index j, std::uint32_t size) {
        Row& row = rows_[static_cast<std::size_t>(j)];
        if (size) row = {take(room_for(size)), size};
        return list(row);
    }
    // The place of a class in the list of a feature, which it gets with the weight 0 if it has none.
    std::size_t find(Index j, std::int32_t number) {
        Row& row = rows_[static_cast<std::size_t>(j)];
        if (row.size == code_.size()) return static_cast<std::size_t>(number);  // it has every class
        const List held = list(row);
        std::size_t place = row.size;
        if (row.size && held.number[row.size - 1] >= number) {
            place =
                static_cast<std::size_t>(std::lower_bound(held.number, held.number + row.size, number) - held.number);
            if (held.number[place] == number) return place;
        }
        insert(row, place, number);
        return place;
    }

    static constexpr Index kAhead = 16;  // lists that are read one after the other

  private:
    bool averaged_;
    Places<T> places_;
    std::vector<std::int32_t> number_, code_;  // of the classes: the number by the code, and the code by the number
    Aligned<Row> rows_;
    Index n_rows_ = 0;
    std::vector<std::uint32_t> free_[64];  // lists that were left for larger ones, by their room

    // Room for so many classes: an even number, at most a third of which is unused, once there are some.
    static std::uint32_t room_for(std::uint32_t size) {
        if (size <= 2) return 2 * (size > 0);
        const std::uint32_t power = std::bit_ceil(size), less = power / 4 * 3;
        return power >= 8 && size <= less ? less : power;
    }
    static std::size_t kind_of(std::uint32_t room) {
        return 2 * static_cast<std::size_t>(std::bit_width(room)) + std::has_single_bit(room);
    }
    List columns(std::uint32_t at, std::uint32_t room) const {
        auto* const number = reinterpret_cast<std::int32_t*>(places_.pairs(at));
        return {number, reinterpret_cast<T*>(number + room), places_.sums(at)};
    }
    std::uint32_t take(std::uint32_t room) {
        auto& left = free_[kind_of(room)];
        if (left.empty()) return places_.extend(room);
        const std::uint32_t at = left.back();
        left.pop_back();
        return at;
    }
    void insert(Row& row, std::size_t place, std::int32_t number) {
        const std::uint32_t size = row.size, room = room_for(size), larger = room_for(size + 1);
        if (larger != room) {
            const std::uint32_t at = take(larger);
            const List to = columns(at, larger);
            if (room) {
                const List from = columns(row.at, room);
                std::copy_n(from.number, size, to.number);
                std::copy_n(from.weight, size, to.weight);
                if (averaged_) std::copy_n(from.total, size, to.total);
                free_[kind_of(room)].push_back(row.at);
            }
            row.at = at;  // nothing throws from here on
        }
        row.size = size + 1;
        const List held = columns(row.at, larger);
        put(held.number, size, place, number);
        put(held.weight, size, place, T{0});
        if (averaged_) put(held.total, size, place, 0.0);
    }
    template <class V>
    static void put(V* column, std::size_t size, std::size_t place, V value) {
        std::memmove(column + place + 1, column + place, (size - place) * sizeof(V));
        column[place] = value;
    }
};

}  // namespace rosenblatt
