// Documents to CSR rows, on several threads: the rows come out the same whatever their number.
//
// Documents are cut into blocks that threads take in turn. A block's entries are made in memory of the thread and
// copied to their place once the entries of the blocks before it are there. One thread alone makes them in their place.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "clones.hpp"
#include "pages.hpp"
#include "parallel.hpp"
#include "prefetch.hpp"
#include "text.hpp"

namespace rosenblatt {

using Documents = std::vector<std::string_view>;

// The first document that is no UTF-8, and the byte of it.
struct Fault {
    std::size_t row = std::numeric_limits<std::size_t>::max(), byte = 0;
    explicit operator bool() const { return row != std::numeric_limits<std::size_t>::max(); }
};

constexpr std::size_t kBlockBytes = 1 << 17;

// Where the blocks start, and the end: blocks of some kBlockBytes each.
inline std::vector<std::size_t> blocks_of(const Documents& documents) {
    std::vector<std::size_t> starts{0};
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < documents.size(); ++i) {
        bytes += documents[i].size() + 16;
        if (bytes < kBlockBytes && i + 1 < documents.size()) continue;
        starts.push_back(i + 1);
        bytes = 0;
    }
    return starts;
}

// One worker on each thread takes block after block. A worker is made on its thread and called as
// worker(block, first document, last + 1), which gives the fault it met, if any; then no further block is begun, and
// the first fault in order is given back: those before it were all taken.
template <class Make>
Fault in_blocks(const std::vector<std::size_t>& starts, unsigned n_threads, Make&& make) {
    const std::size_t n_blocks = starts.size() - 1;
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    Fault fault;
    on_threads(static_cast<std::int64_t>(std::min<std::size_t>(n_threads, n_blocks)), [&](std::int64_t which) {
        try {
            auto worker = make(static_cast<unsigned>(which));
            for (std::size_t block; (block = next++) < n_blocks;) {
                const Fault found = worker(block, starts[block], starts[block + 1]);
                if (!found) continue;
                next = n_blocks;
                const std::lock_guard lock(mutex);
                if (found.row < fault.row) fault = found;
            }
        } catch (...) {
            next = n_blocks;
            throw;
        }
    });
    return fault;
}

// Memory that grows without being touched, and can be given away.
template <class T>
class Memory {
    struct Free {
        void operator()(T* p) const { std::free(p); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t capacity_ = 0;

  public:
    T* data() const { return data_.get(); }
    T& operator[](std::size_t i) const { return data_.get()[i]; }
    std::size_t capacity() const { return capacity_; }
    T* give_away() { return data_.release(); }

    void resize(std::size_t n) {
        if (n > std::numeric_limits<std::size_t>::max() / 2 / sizeof(T)) throw std::bad_alloc();
        void* p = std::realloc(data_.get(), std::max<std::size_t>(n, 1) * sizeof(T));
        if (!p) throw std::bad_alloc();
        (void)data_.release();
        data_.reset(static_cast<T*>(p));
        capacity_ = n;
        ask_for_large_pages(data_.get(), n * sizeof(T));
    }
    void reserve(std::size_t n) {
        if (n > capacity_) resize(n + n / 2);
    }
};

// The CSR entries of some documents.
template <class T>
struct Part {
    Memory<std::int32_t> columns;
    Memory<T> values;
    std::size_t size = 0;

    void reserve(std::size_t n) {
        columns.reserve(n);
        values.reserve(n);
    }
};

// The CSR entries of all documents, put together from those of blocks in their order.
template <class T>
class Entries : public Part<T> {
  public:
    using Part<T>::columns, Part<T>::values, Part<T>::size;
    std::vector<std::int64_t> starts;  // of each row; until finish() the length of row i at i + 1

    Entries(std::size_t n_rows, std::size_t guess) : starts(n_rows + 1, 0) { resize(guess); }

    // Put the entries of a block in their place, or leave them to the thread that brings those before it: nobody waits.
    // What comes back in `part` is memory to use again.
    void place(std::size_t block, Part<T>& part) {
        std::unique_lock lock(turn_);
        waiting_.emplace(block, std::exchange(part, {}));
        for (auto found = waiting_.find(next_); found != waiting_.end(); found = waiting_.find(next_)) {
            part = std::move(found->second);
            waiting_.erase(found);
            const std::size_t at = std::exchange(size, size + part.size);
            if (size > columns.capacity()) {
                const std::unique_lock alone(copying_);
                resize(size + size / 2);
            }
            ++next_;
            lock.unlock();
            {
                const std::shared_lock together(copying_);
                std::copy_n(part.columns.data(), part.size, columns.data() + at);
                std::copy_n(part.values.data(), part.size, values.data() + at);
            }
            lock.lock();
        }
    }

    void finish() {
        for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
        resize(size);
    }

  private:
    std::mutex turn_;
    std::shared_mutex copying_;  // shared by those who copy, alone for who moves the memory
    std::size_t next_ = 0;       // the block that comes next
    std::map<std::size_t, Part<T>> waiting_;

    void resize(std::size_t capacity) {
        columns.resize(capacity);
        values.resize(capacity);
    }
};

// ---- counts and weights
// ----------------------------------------------------------------------------------------------

// ln x for x >= 1, the same bits on every machine (a library's may differ in the last): ln 2^e m, m in [√½, √2).
inline double natural_log(double x) {
    int e;
    double m = std::frexp(x, &e);
    if (m < 0.70710678118654752) m *= 2, --e;
    const double s = (m - 1) / (m + 1), s2 = s * s;
    double sum = 0;
    for (int k = 23; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
    return e * 0.69314718055994531 + 2 * s * sum;
}

enum class Weighting { count, binary, log };  // n, 1 and 1 + ln n for an n-gram that occurs n times

// The weight of a count, of small ones from a table.
class Weights {
    static constexpr std::size_t kTable = 64;
    Weighting how_;
    double table_[kTable] = {};

    double computed(std::size_t n) const {
        const auto count = static_cast<double>(n);
        return how_ == Weighting::binary ? 1 : how_ == Weighting::log ? 1 + natural_log(count) : count;
    }

  public:
    explicit Weights(Weighting how) : how_(how) {
        for (std::size_t n = 1; n < kTable; ++n) table_[n] = computed(n);
    }
    double operator()(std::size_t n) const { return n < kTable ? table_[n] : computed(n); }
    bool always_one() const { return how_ == Weighting::binary; }
};

// Scale to a Euclidean norm: squares added in four lanes by their place in the row, then in pairs.
template <class T>
void normalise(T* values, std::size_t n, double norm = 1) {
    double lanes[4] = {};
    const auto square = [&](std::size_t i) { return static_cast<double>(values[i]) * static_cast<double>(values[i]); };
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t l = 0; l < 4; ++l) lanes[l] += square(i + l);
    for (; i < n; ++i) lanes[i % 4] += square(i);
    const double sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
    if (!(sum > 0)) return;
    const double scale = norm / std::sqrt(sum);
    for (i = 0; i < n; ++i) values[i] = static_cast<T>(static_cast<double>(values[i]) * scale);
}

// Neighbours put in order, a few rounds of odd-even transposition: where keys are near their place already, few are
// left for insertions, whose branches cannot be foretold. The key in the upper half of a word, below 2^31, decides.
ROSENBLATT_CLONES inline void order_neighbours(std::uint32_t* keys, std::size_t n) {
    constexpr int kRounds = 6;
    constexpr bool little = std::endian::native == std::endian::little;
    for (int round = 0; round < kRounds; ++round)
        for (std::size_t i = round & 1; i + 2 <= n; i += 2) {
            std::int64_t pair;
            std::memcpy(&pair, keys + i, sizeof pair);
            const auto other = static_cast<std::int64_t>(std::rotl(static_cast<std::uint64_t>(pair), 32));
            pair = (pair > other) == little ? pair : other;
            std::memcpy(keys + i, &pair, sizeof pair);
        }
}

// The columns of one document: as they come, then sorted.
class Columns {
    static constexpr std::size_t kMostInBuckets = 1 << 13, kLargestBucket = 256;
    Memory<std::uint32_t> keys_, other_;
    std::vector<std::uint32_t> ends_;
    unsigned bits_;

    // Some keys a bucket, and within them neighbours put in order, then insertions; false, and nothing is moved, if a
    // bucket is large.
    bool sort_by_leading_bits() {
        const unsigned leading = std::min(bits_, static_cast<unsigned>(std::bit_width(size)) - 1);
        const unsigned shift = bits_ - leading;
        ends_.assign(std::size_t{1} << leading, 0);
        std::uint32_t largest = 0, at = 0;
        for (std::size_t i = 0; i < size; ++i) ++ends_[keys_[i] >> shift];
        for (std::uint32_t& end : ends_) {
            largest = std::max(largest, end);
            at += std::exchange(end, at);
        }
        if (largest > kLargestBucket) return false;
        for (std::size_t i = 0; i < size; ++i) other_[ends_[keys_[i] >> shift]++] = keys_[i];
        std::swap(keys_, other_);
        order_neighbours(keys_.data(), size);
        for (std::size_t i = 1; i < size; ++i) {
            const std::uint32_t key = keys_[i];
            std::size_t to = i;
            for (; to > 0 && keys_[to - 1] > key; --to) keys_[to] = keys_[to - 1];
            keys_[to] = key;
        }
        return true;
    }

    void sort_by_bytes() {
        const unsigned digits = (bits_ + 7) / 8;
        std::size_t starts[4][256] = {};
        for (std::size_t i = 0; i < size; ++i)
            for (unsigned d = 0; d < digits; ++d) ++starts[d][(keys_[i] >> (8 * d)) & 255];
        for (unsigned d = 0; d < digits; ++d) {
            std::size_t at = 0;
            for (std::size_t& start : starts[d]) at += std::exchange(start, at);
            const std::uint32_t* const from = keys_.data();
            std::uint32_t* const to = other_.data();
            for (std::size_t i = 0; i < size; ++i) to[starts[d][(from[i] >> (8 * d)) & 255]++] = from[i];
            std::swap(keys_, other_);
        }
    }

  public:
    std::size_t size = 0;

    explicit Columns(unsigned bits) : bits_(bits) {}

    void clear() { size = 0; }
    // Room for so many more.
    void expect(std::size_t more) {
        if (size + more >= std::numeric_limits<std::uint32_t>::max())
            throw std::length_error("a document has more than 2^32 n-grams; cut it into several");
        keys_.reserve(size + more + 1);
    }
    void add(std::uint32_t key) { keys_[size++] = key; }
    void add(const std::uint32_t* hashes, std::size_t n, std::uint32_t mask) {
        expect(n);
        for (std::size_t i = 0; i < n; ++i) keys_[size + i] = hashes[i] & mask;
        size += n;
    }
    const std::uint32_t* data() const { return keys_.data(); }

    // By comparison where there are few; else by leading bits where these tell them apart, as those of hashes do.
    void sort() {
        if (size < 64) return std::sort(keys_.data(), keys_.data() + size);
        other_.reserve(size + 1);
        if (size > kMostInBuckets || !sort_by_leading_bits()) sort_by_bytes();
    }

    // Write the distinct ones, from `first` on, and the weights of their counts; how many there are.
    template <class T>
    std::size_t write(std::uint32_t first, const Weights& weight, std::int32_t* columns, T* values) {
        if (size == 0) return 0;
        const std::uint32_t* const keys = keys_.data();
        const auto distinct = [&](auto&& ends) {
            std::size_t n = 0;
            for (std::size_t i = 0; i < size; ++i) {  // no branch: whether a key comes again cannot be foretold
                columns[n] = static_cast<std::int32_t>(first + keys[i]);
                ends(n, static_cast<std::uint32_t>(i + 1));
                n += i + 1 == size || keys[i + 1] != keys[i];
            }
            return n;
        };
        if (weight.always_one()) {
            const std::size_t n = distinct([](std::size_t, std::uint32_t) {});
            std::fill_n(values, n, T{1});
            return n;
        }
        other_.reserve(size + 1);
        std::uint32_t* const end = other_.data();  // where a column's keys end
        const std::size_t n = distinct([&](std::size_t k, std::uint32_t at) { end[k] = at; });
        std::uint32_t start = 0;
        for (std::size_t k = 0; k < n; ++k) values[k] = static_cast<T>(weight(end[k] - std::exchange(start, end[k])));
        return n;
    }
};

// The norm of each of some parts of a row of norm 1.
inline double norm_of_part(std::size_t n_parts) {
    return n_parts == 1 ? 1 : std::sqrt(1 / static_cast<double>(n_parts));
}

struct Encoding {
    unsigned bits;  // of a column of a part
    Weighting weighting;
    bool norm;
    unsigned n_threads;
};

// The column of an n-gram where that is the low bits of its hash.
struct HashedColumn {
    std::uint32_t mask;
};

// The columns of a document's n-grams, as they come; false: it is no UTF-8. column(n-gram, hash) is where an n-gram
// counts, or -1.
template <class Column>
bool read_columns(Reader& reader, std::string_view document, const Column& column, Columns& keys) {
    keys.clear();
    if constexpr (std::is_same_v<Column, HashedColumn>) {
        return reader.hashes(document,
                             [&](const std::uint32_t* some, std::size_t n) { keys.add(some, n, column.mask); });
    } else {
        if (!reader.read(document)) return false;
        keys.expect(reader.count());
        reader.each([&](std::string_view gram, std::uint32_t hash) {
            const std::int64_t found = column(gram, hash);
            if (found >= 0) keys.add(static_cast<std::uint32_t>(found));
        });
    }
    return true;
}

// What a thread reads documents with.
struct Encoder {
    std::vector<Reader> readers;
    Columns keys;
    const Encoding& how;
    const Weights& weight;
    double norm;
};

// The entries of some documents behind those of `part`, and how many each has.
template <class T, class Column>
Fault encode_some(const Documents& documents, std::size_t first, std::size_t last, Encoder& by, const Column& column,
                  Part<T>& part, std::int64_t* lengths) {
    for (std::size_t row = first; row < last; ++row) {
        const std::size_t before = part.size;
        for (std::size_t i = 0; i < by.readers.size(); ++i) {
            Reader& reader = by.readers[i];
            if (!read_columns(reader, documents[row], column, by.keys)) return {row, reader.fault};
            by.keys.sort();
            part.reserve(part.size + by.keys.size + 1);
            T* const values = part.values.data() + part.size;
            const auto offset = static_cast<std::uint32_t>(i << by.how.bits);
            const std::size_t n = by.keys.write(offset, by.weight, part.columns.data() + part.size, values);
            if (by.how.norm) normalise(values, n, by.norm);
            part.size += n;
        }
        lengths[row] = static_cast<std::int64_t>(part.size - before);
    }
    return {};
}

// Rows of documents. Each analysis makes a part of the row, with columns of its own after those of the part before.
template <class T, class Column>
Fault encode(const Documents& documents, const std::vector<Analysis>& analyses, const Encoding& how, Column&& column,
             Entries<T>& out) {
    const Weights weight(how.weighting);
    const bool alone = how.n_threads <= 1;
    const double norm = norm_of_part(analyses.size());
    const auto make = [&](unsigned) {
        return [&, by = Encoder{{analyses.begin(), analyses.end()}, Columns(how.bits), how, weight, norm},
                mine = Part<T>()](std::size_t block, std::size_t first, std::size_t last) mutable -> Fault {
            Part<T>& part = alone ? out : mine;
            if (!alone) part.size = 0;
            const Fault found = encode_some(documents, first, last, by, column, part, out.starts.data() + 1);
            if (!found && !alone) out.place(block, part);
            return found;
        };
    };
    const Fault fault = in_blocks(blocks_of(documents), how.n_threads, make);
    if (!fault) out.finish();
    return fault;
}

// ---- inverse document frequency
// --------------------------------------------------------------------------------------

// ln n of whole numbers, from a table that reaches as far as there are documents: n = m·2^e·(1 + r) with m below 2^20.
class Logarithms {
    static constexpr int kBits = 20;
    std::unique_ptr<double[]> table_ = std::make_unique_for_overwrite<double[]>(std::size_t{1} << kBits);
    std::size_t filled_ = 1;
    std::mutex filling_;

  public:
    // What others may fill further meanwhile, as it is now.
    class Table {
        const double* table_;
        std::size_t filled_;

        double of_small(std::uint64_t m) const { return m < filled_ ? table_[m] : natural_log(static_cast<double>(m)); }

      public:
        Table(const double* table, std::size_t filled) : table_(table), filled_(filled) {}

        double operator()(std::uint64_t n) const {
            if (n >> kBits == 0) return of_small(n);
            const int e = static_cast<int>(std::bit_width(n)) - kBits;
            const std::uint64_t m = n >> e;
            const double r = static_cast<double>(n - (m << e)) / static_cast<double>(m << e);
            return of_small(m) + (e * 0.69314718055994531 + r * (1 - r / 2));
        }
    };

    // A table for numbers up to n.
    Table up_to(std::uint64_t n) {
        const std::lock_guard lock(filling_);
        for (const std::uint64_t end = std::min(n + 1, std::uint64_t{1} << kBits); filled_ < end; ++filled_)
            table_[filled_] = natural_log(static_cast<double>(filled_));
        return {table_.get(), filled_};
    }
};

// How many documents have each column: one more for each of these. A count stays at its largest.
inline void count(const std::int32_t* columns, std::size_t n, std::uint32_t* counts) {
    for (std::size_t i = 0; i < n; ++i) {
        std::uint32_t& c = counts[columns[i]];
        c += c != std::numeric_limits<std::uint32_t>::max();
    }
}

inline const Logarithms::Table logarithms_up_to(std::uint64_t n) {
    static Logarithms made;
    return made.up_to(n);
}

// Rows of several parts of so many columns each.
struct RowParts {
    std::size_t n_parts = 1, n_columns = 0;
    bool norm = true;  // scale each part
};

// Multiplies the values of CSR rows by the weights of their columns, in place; then the norm.
template <class T, class I>
class Weighing {
  public:
    const I* starts;
    const std::int32_t* columns;
    T* values;
    std::size_t n_rows;
    RowParts parts;

    // weight(column) for each of some entries, once: no column comes twice in a row.
    template <class Weight>
    void entries(I first, I last, Weight&& weight) const {
        for (I i = first; i < last; ++i)
            values[i] = static_cast<T>(static_cast<double>(values[i]) * weight(static_cast<std::size_t>(columns[i])));
    }

    // Each part of a row to its norm.
    void scale(std::size_t row) const {
        if (!parts.norm) return;
        const I first = starts[row], last = starts[row + 1];
        const double norm = norm_of_part(parts.n_parts);
        I begin = first;
        for (std::size_t part = 1; part <= parts.n_parts; ++part) {
            const auto limit = static_cast<std::int64_t>(part * parts.n_columns);
            I end = last;
            if (part < parts.n_parts)
                end = static_cast<I>(std::lower_bound(columns + begin, columns + last, limit) - columns);
            normalise(values + begin, static_cast<std::size_t>(end - begin), norm);
            begin = end;
        }
    }

    // Where the entries of columns below a limit end, in a row.
    I end_below(std::size_t row, std::size_t limit) const {
        const auto* const end =
            std::lower_bound(columns + starts[row], columns + starts[row + 1], static_cast<std::int64_t>(limit));
        return static_cast<I>(end - columns);
    }

    // f(first row, last + 1) of some rows at a time.
    template <class F>
    void some(unsigned n_threads, const F& f) const {
        constexpr std::size_t step = 256;
        in_parallel(static_cast<std::int64_t>((n_rows + step - 1) / step), n_threads, [&](std::int64_t part) {
            const std::size_t first = static_cast<std::size_t>(part) * step;
            f(first, std::min(n_rows, first + step));
        });
    }
};

// All rows, by weights that stay as they are; each thread has a copy of what weighs.
template <class T, class I, class Weight>
void weigh_all(const Weighing<T, I>& rows, unsigned n_threads, const Weight& weight) {
    rows.some(n_threads, [&](std::size_t first, std::size_t last) {
        Weight own = weight;
        for (std::size_t row = first; row < last; ++row) {
            rows.entries(rows.starts[row], rows.starts[row + 1], own);
            rows.scale(row);
        }
    });
}

// Row after row, by weights that each row changes: weight.row(rows, row, first, last, end) counts the entries from
// first to last and weighs them; up to `end` others come next. Several threads take the rows each in a range of
// columns, whose counts are its own, so that the weights are the same; `alone`: there is one range.
template <class T, class I, class Weight>
void stream_range(const Weighing<T, I>& rows, std::size_t first_column, std::size_t last_column, bool alone,
                  bool scaled, Weight& weight) {
    constexpr I ahead = 64;
    if (alone) {
        for (std::size_t row = 0; row < rows.n_rows; ++row) {
            weight.row(rows, row, rows.starts[row], rows.starts[row + 1], rows.starts[rows.n_rows]);
            if (scaled) rows.scale(row);
        }
        return;
    }
    const auto entries = [&](std::size_t row) {
        return std::pair(rows.end_below(row, first_column), rows.end_below(row, last_column));
    };
    auto [first, last] = rows.n_rows > 0 ? entries(0) : std::pair(I{0}, I{0});
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        const auto [next, end] = row + 1 < rows.n_rows ? entries(row + 1) : std::pair(last, last);
        for (I i = next; i < std::min(end, next + ahead); ++i)
            weight.prefetch(static_cast<std::size_t>(rows.columns[i]));
        weight.row(rows, row, first, last, last);
        first = next, last = end;
    }
}

template <class T, class I, class Make>
void stream_rows(const Weighing<T, I>& rows, std::size_t n_columns, unsigned n_threads, const Make& make) {
    const std::size_t n_ranges = std::clamp<std::size_t>(n_threads, 1, 16);
    in_parallel(static_cast<std::int64_t>(n_ranges), n_threads, [&](std::int64_t range) {
        const auto r = static_cast<std::size_t>(range);
        auto weight = make();
        stream_range(rows, n_columns * r / n_ranges, n_columns * (r + 1) / n_ranges, n_ranges == 1, true, weight);
    });
    if (n_ranges > 1)
        rows.some(n_threads, [&](std::size_t first, std::size_t last) {
            for (std::size_t row = first; row < last; ++row) rows.scale(row);
        });
}

// Weight ln((1 + n)/(1 + d)) + 1 for a column that d of n documents have (scikit-learn's smooth idf).
template <class T, class I>
void weigh_by_idf(const Weighing<T, I>& rows, const std::uint32_t* counts, std::uint64_t n, unsigned n_threads) {
    const auto ln = logarithms_up_to(n + 1);
    const double all = ln(1 + n) + 1;
    const auto weight = [ln, all, counts](std::size_t column) { return all - ln(std::uint64_t{1} + counts[column]); };
    weigh_all(rows, n_threads, weight);
}

// Counts and weighs rows by idf.
struct StreamedIdf {
    std::uint32_t* counts;
    std::uint64_t n;
    Logarithms::Table ln;

    void prefetch(std::size_t column) const { prefetch_near(counts + column); }

    template <class T, class I>
    void row(const Weighing<T, I>& rows, std::size_t, I first, I last, I end) {
        constexpr I ahead = 64;
        const Logarithms::Table log = ln;  // locals, which stay in registers
        std::uint32_t* const counted = counts;
        const double all = log(1 + ++n) + 1;
        const std::int32_t* const columns = rows.columns;
        T* const values = rows.values;
        const I stop = end - 1;
        for (I i = first; i < last; ++i) {
            prefetch_near(counted + columns[std::min(i + ahead, stop)]);
            std::uint32_t& c = counted[columns[i]];
            c += c != std::numeric_limits<std::uint32_t>::max();
            values[i] = static_cast<T>(static_cast<double>(values[i]) * (all - log(std::uint64_t{1} + c)));
        }
    }
};

// Row by row, each counted first and weighed by the counts so far: the same in whatever pieces rows come.
template <class T, class I>
void stream_by_idf(const Weighing<T, I>& rows, std::uint32_t* counts, std::size_t n_columns, std::uint64_t n,
                   unsigned n_threads) {
    const auto ln = logarithms_up_to(n + rows.n_rows + 1);
    stream_rows(rows, n_columns, n_threads, [&] { return StreamedIdf{counts, n, ln}; });
}

}  // namespace rosenblatt
