// Documents to CSR rows, on several threads: the rows come out the same whatever their number.
//
// Documents are cut into blocks that threads take in turn. A block's entries are made in memory of the thread and
// copied to their place once the entries of the blocks before it are counted.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string_view>
#include <thread>
#include <vector>

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
// worker(block, first document, last + 1), which gives the fault it met, if any; then `stop` is called, no further
// block is begun, and the first fault in order is given back: those before it were all taken.
template <class Make, class Stop>
Fault in_blocks(const std::vector<std::size_t>& starts, unsigned n_threads, Make&& make, Stop&& stop) {
    const std::size_t n_blocks = starts.size() - 1;
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    Fault fault;
    std::exception_ptr failure;
    const auto run = [&](unsigned which) {
        try {
            auto worker = make(which);
            for (std::size_t block; (block = next++) < n_blocks;) {
                const Fault found = worker(block, starts[block], starts[block + 1]);
                if (!found) continue;
                next = n_blocks;
                stop();
                const std::lock_guard lock(mutex);
                if (found.row < fault.row) fault = found;
            }
        } catch (...) {
            next = n_blocks;
            stop();
            const std::lock_guard lock(mutex);
            failure = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    n_threads = static_cast<unsigned>(std::min<std::size_t>(n_threads, n_blocks));
    try {
        for (unsigned t = 1; t < n_threads; ++t) others.emplace_back(run, t);
    } catch (const std::system_error&) {
        // fewer threads than asked for: the work is the same
    }
    run(0);
    for (std::thread& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
    return fault;
}

// Memory that grows without being touched, and can be given away.
template <class T>
struct Memory {
    struct Free {
        void operator()(T* p) const { std::free(p); }
    };
    std::unique_ptr<T, Free> data;

    void resize(std::size_t n) {
        void* p = std::realloc(data.get(), std::max<std::size_t>(n, 1) * sizeof(T));
        if (!p) throw std::bad_alloc();
        (void)data.release();
        data.reset(static_cast<T*>(p));
    }
};

// The CSR entries of all documents, filled block by block.
template <class T>
class Entries {
  public:
    Memory<std::int32_t> columns;
    Memory<T> values;
    std::vector<std::int64_t> starts;  // of each row; until finish() the length of row i at i + 1
    std::size_t size = 0;

    Entries(std::size_t n_rows, std::size_t guess) : starts(n_rows + 1, 0) { grow(guess); }

    // Put the entries of a block in their place. False: the work was stopped.
    bool place(std::size_t block, const std::vector<std::int32_t>& from_columns, const std::vector<T>& from_values) {
        const std::size_t count = from_columns.size();
        std::size_t at = 0;
        {
            std::unique_lock lock(turn_);
            changed_.wait(lock, [&] { return stopped_ || block == block_; });
            if (stopped_) return false;
            at = size;
            if (at + count > capacity_) {
                const std::unique_lock alone(copying_);
                grow(at + count + (at + count) / 2);
            }
            size += count;
            ++block_;
        }
        changed_.notify_all();
        const std::shared_lock together(copying_);
        std::copy(from_columns.begin(), from_columns.end(), columns.data.get() + at);
        std::copy(from_values.begin(), from_values.end(), values.data.get() + at);
        return true;
    }

    void stop() {
        const std::lock_guard lock(turn_);
        stopped_ = true;
        changed_.notify_all();
    }

    void finish() {
        for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
        grow(size);
    }

  private:
    std::mutex turn_;
    std::condition_variable changed_;
    std::shared_mutex copying_;  // shared by those who copy, alone for who moves the memory
    std::size_t block_ = 0, capacity_ = 0;
    bool stopped_ = false;

    void grow(std::size_t capacity) {
        columns.resize(capacity);
        values.resize(capacity);
        capacity_ = capacity;
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

// ln n, of small n from a table.
class Logarithms {
    std::vector<double> table_;

  public:
    explicit Logarithms(std::size_t size) : table_(size) {
        for (std::size_t n = 1; n < size; ++n) table_[n] = natural_log(static_cast<double>(n));
    }
    double operator()(std::uint64_t n) const {
        return n < table_.size() ? table_[n] : natural_log(static_cast<double>(n));
    }
};

enum class Weighting { count, binary, log };  // n, 1 and 1 + ln n for an n-gram that occurs n times

inline double weighted(std::uint64_t n, Weighting how, const Logarithms& ln) {
    return how == Weighting::binary ? 1 : how == Weighting::log ? 1 + ln(n) : static_cast<double>(n);
}

// Divide by the Euclidean norm, added up in column order.
template <class T>
void normalise(T* values, std::size_t n) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    const double norm = std::sqrt(sum);
    if (norm > 0)
        for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(static_cast<double>(values[i]) / norm);
}

// Sort keys below 2^bits: by bytes from the last, or by comparison where there are few.
inline void sort_keys(std::vector<std::uint32_t>& keys, std::vector<std::uint32_t>& other, unsigned bits) {
    if (keys.size() < 64) return std::sort(keys.begin(), keys.end());
    other.resize(keys.size());
    for (unsigned shift = 0; shift < bits; shift += 8) {
        std::size_t starts[257] = {};
        for (const std::uint32_t key : keys) ++starts[((key >> shift) & 255) + 1];
        for (int i = 0; i < 255; ++i) starts[i + 1] += starts[i];
        for (const std::uint32_t key : keys) other[starts[(key >> shift) & 255]++] = key;
        keys.swap(other);
    }
}

struct Encoding {
    unsigned bits;  // of a column
    Weighting weighting;
    bool norm;
    unsigned n_threads;
};

// Rows of documents; column(n-gram, hash) is where an n-gram counts, or -1.
template <class T, class Column>
Fault encode(const Documents& documents, const Analysis& analysis, const Encoding& how, Column&& column,
             Entries<T>& out) {
    const Logarithms ln(how.weighting == Weighting::log ? 256 : 0);
    const auto make = [&](unsigned) {
        return [&, reader = Reader(analysis), keys = std::vector<std::uint32_t>(), other = std::vector<std::uint32_t>(),
                columns = std::vector<std::int32_t>(),
                values = std::vector<T>()](std::size_t block, std::size_t first, std::size_t last) mutable -> Fault {
            columns.clear();
            values.clear();
            for (std::size_t row = first; row < last; ++row) {
                if (!reader.read(documents[row])) return {row, reader.fault};
                keys.clear();
                reader.each([&](std::string_view gram, std::uint32_t hash) {
                    const std::int64_t found = column(gram, hash);
                    if (found >= 0) keys.push_back(static_cast<std::uint32_t>(found));
                });
                sort_keys(keys, other, how.bits);
                const std::size_t before = columns.size();
                for (std::size_t i = 0; i < keys.size();) {
                    std::size_t j = i + 1;
                    while (j < keys.size() && keys[j] == keys[i]) ++j;
                    columns.push_back(static_cast<std::int32_t>(keys[i]));
                    values.push_back(static_cast<T>(weighted(j - i, how.weighting, ln)));
                    i = j;
                }
                if (how.norm) normalise(values.data() + before, values.size() - before);
                out.starts[row + 1] = static_cast<std::int64_t>(columns.size() - before);
            }
            out.place(block, columns, values);
            return {};
        };
    };
    const Fault fault = in_blocks(blocks_of(documents), how.n_threads, make, [&] { out.stop(); });
    if (!fault) out.finish();
    return fault;
}

// ---- inverse document frequency
// --------------------------------------------------------------------------------------

// How many documents have each column: one more for each of these. A count stays at its largest.
inline void count(const std::int32_t* columns, std::size_t n, std::uint32_t* counts) {
    for (std::size_t i = 0; i < n; ++i) {
        std::uint32_t& c = counts[columns[i]];
        c += c != std::numeric_limits<std::uint32_t>::max();
    }
}

// Weight ln((1 + n)/(1 + d)) + 1 for a column that d of n documents have (scikit-learn's smooth idf), then the norm.
template <class T, class I>
class Idf {
    Logarithms ln_{1 << 14};

  public:
    const I* starts;
    const std::int32_t* columns;
    T* values;
    std::size_t n_rows;
    bool norm;

    Idf(const I* starts, const std::int32_t* columns, T* values, std::size_t n_rows, bool norm)
        : starts(starts), columns(columns), values(values), n_rows(n_rows), norm(norm) {}

    // By the counts as they are, in blocks of rows.
    void weigh(const std::uint32_t* counts, std::uint64_t n_documents, unsigned n_threads) const {
        std::vector<std::size_t> blocks{0};
        while (blocks.back() < n_rows) blocks.push_back(std::min(n_rows, blocks.back() + 256));
        const auto make = [&](unsigned) {
            return [&](std::size_t, std::size_t first, std::size_t last) -> Fault {
                for (std::size_t row = first; row < last; ++row) weigh_row(row, counts, n_documents);
                return {};
            };
        };
        in_blocks(blocks, n_threads, make, [] {});
    }

    // Row by row, each counted first and weighed by the counts so far: the same in whatever pieces rows come.
    void stream(std::uint32_t* counts, std::uint64_t n_documents) const {
        for (std::size_t row = 0; row < n_rows; ++row) {
            count(columns + starts[row], static_cast<std::size_t>(starts[row + 1] - starts[row]), counts);
            weigh_row(row, counts, ++n_documents);
        }
    }

  private:
    void weigh_row(std::size_t row, const std::uint32_t* counts, std::uint64_t n_documents) const {
        const double all = ln_(1 + n_documents) + 1;
        const I first = starts[row], last = starts[row + 1];
        for (I i = first; i < last; ++i) {
            const double idf = all - ln_(std::uint64_t{1} + counts[columns[i]]);
            values[i] = static_cast<T>(static_cast<double>(values[i]) * idf);
        }
        if (norm) normalise(values + first, static_cast<std::size_t>(last - first));
    }
};

}  // namespace rosenblatt
