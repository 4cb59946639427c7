// The distinct n-grams of documents, with how many documents have each and how often it occurs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "encode.hpp"

namespace rosenblatt {

// An n-gram's entry: where its bytes are, where it came first, its counts.
struct Entry {
    std::size_t at;
    std::uint32_t size, hash;
    std::size_t row, position;  // the document that had it first, and where among its n-grams
    std::size_t last_row;
    std::int64_t documents, occurrences;
};

// A table of n-grams that grows: a Lexicon in the making.
class Gathered {
  public:
    std::vector<char> bytes;
    std::vector<Entry> entries;

    std::string_view operator[](const Entry& e) const { return {bytes.data() + e.at, e.size}; }

    // Room for about as many as new text has: memory that is moved as it grows is asked for twice.
    void expect(std::size_t text_bytes) {
        const std::size_t n = std::min<std::size_t>(text_bytes / 10, std::size_t{1} << 20);
        entries.reserve(n);
        bytes.reserve(12 * n);
        if (2 * n > slots_.size()) enlarge(std::bit_ceil(2 * n));
    }

    void add(std::string_view gram, std::uint32_t hash, std::size_t row, std::size_t position) {
        Entry& e = entry(gram, hash, row, position);
        ++e.occurrences;
        e.documents += e.last_row != row;
        e.last_row = row;
    }

    // Take over what another thread found.
    void merge(const Gathered& other) {
        for (const Entry& theirs : other.entries) {
            Entry& e = entry(other[theirs], theirs.hash, theirs.row, theirs.position);
            e.documents += theirs.documents;
            e.occurrences += theirs.occurrences;
            if (std::pair(theirs.row, theirs.position) < std::pair(e.row, e.position))
                e.row = theirs.row, e.position = theirs.position;
        }
    }

    // Take over what several tables have that have nothing in common. Nothing is looked up, or added, then.
    void join(std::vector<Gathered>& parts, unsigned n_threads) {
        std::size_t n_entries = 0, n_bytes = 0;
        std::vector<std::pair<std::size_t, std::size_t>> starts;
        for (const Gathered& part : parts) {
            starts.emplace_back(n_entries, n_bytes);
            n_entries += part.entries.size();
            n_bytes += part.bytes.size();
        }
        if (n_entries >= kMost) refuse();
        entries.resize(n_entries);
        bytes.resize(n_bytes);
        in_parallel(static_cast<std::int64_t>(parts.size()), n_threads, [&](std::int64_t p) {
            const auto which = static_cast<std::size_t>(p);
            const auto [first, at] = starts[which];
            const Gathered part = std::exchange(parts[which], {});
            std::copy(part.bytes.begin(), part.bytes.end(), bytes.data() + at);
            std::transform(part.entries.begin(), part.entries.end(), entries.data() + first, [at = at](Entry e) {
                e.at += at;
                return e;
            });
        });
    }

    // As they came first.
    void sort_by_first(unsigned n_threads) {
        const auto key = [](const Entry& e) { return std::pair(e.row, e.position); };
        sort_by(key, [](const Entry&, const Entry&) { return false; }, n_threads);
    }

    // By bytes, which is by code points: the first eight decide most comparisons.
    void sort_by_name(unsigned n_threads) {
        const auto key = [&](const Entry& e) {
            std::uint64_t start = 0;
            const std::string_view name = (*this)[e];
            for (std::size_t k = 0; k < 8; ++k)
                start = start << 8 | (k < name.size() ? static_cast<unsigned char>(name[k]) : 0u);
            return start;
        };
        sort_by(key, [&](const Entry& a, const Entry& b) { return (*this)[a] < (*this)[b]; }, n_threads);
    }

    void prefetch_slot(std::uint32_t hash) const { prefetch_near(slots_.data() + (hash & mask_)); }
    void prefetch_entry(std::uint32_t hash) const {
        const std::uint64_t slot = slots_[hash & mask_];
        if (slot >> 32 == hash && slot != 0) prefetch_near(entries.data() + (slot & 0xFFFFFFFFu) - 1);
    }
    void prefetch_name(std::uint32_t hash) const {
        const std::uint64_t slot = slots_[hash & mask_];
        if (slot >> 32 == hash && slot != 0) prefetch_near(bytes.data() + entries[(slot & 0xFFFFFFFFu) - 1].at);
    }

  private:
    static constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
    [[noreturn]] static void refuse() { throw std::overflow_error("there are more than 2^31 different n-grams"); }

    // By a key, and by `less` among equals: keys are moved about instead of entries.
    template <class Key, class Less>
    void sort_by(Key key, Less less, unsigned n_threads) {
        const auto before = [&](const Entry& a, const Entry& b) {
            return key(a) != key(b) ? key(a) < key(b) : less(a, b);
        };
        if (std::is_sorted(entries.begin(), entries.end(), before)) return;
        std::vector<std::pair<decltype(key(entries[0])), std::size_t>> order;
        order.reserve(entries.size());
        for (std::size_t i = 0; i < entries.size(); ++i) order.emplace_back(key(entries[i]), i);
        sort_in_parallel(order.begin(), order.end(), n_threads, [&](const auto& a, const auto& b) {
            return a.first != b.first ? a.first < b.first : less(entries[a.second], entries[b.second]);
        });
        std::vector<Entry> sorted;
        sorted.reserve(entries.size());
        for (const auto& [k, i] : order) sorted.push_back(entries[i]);
        entries.swap(sorted);
    }

    std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(1024, 0);  // as a Lexicon's
    std::uint64_t mask_ = 1023;

    Entry& entry(std::string_view gram, std::uint32_t hash, std::size_t row, std::size_t position) {
        std::uint64_t place = hash & mask_;
        for (; slots_[place] != 0; place = (place + 1) & mask_) {
            if (slots_[place] >> 32 != hash) continue;
            Entry& e = entries[(slots_[place] & 0xFFFFFFFFu) - 1];
            if ((*this)[e] == gram) return e;
        }
        if (entries.size() >= kMost) refuse();
        if (gram.size() > std::numeric_limits<std::uint32_t>::max())
            throw std::overflow_error("an n-gram has more than 2^32 bytes");
        slots_[place] = std::uint64_t{hash} << 32 | (entries.size() + 1);
        entries.push_back({bytes.size(), static_cast<std::uint32_t>(gram.size()), hash, row, position,
                           std::numeric_limits<std::size_t>::max(), 0, 0});
        bytes.insert(bytes.end(), gram.begin(), gram.end());
        if (2 * entries.size() > slots_.size()) enlarge(4 * slots_.size());
        return entries.back();
    }

    void enlarge(std::size_t n_slots) {
        slots_.assign(n_slots, 0);
        mask_ = slots_.size() - 1;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            std::uint64_t place = entries[i].hash & mask_;
            while (slots_[place] != 0) place = (place + 1) & mask_;
            slots_[place] = std::uint64_t{entries[i].hash} << 32 | (i + 1);
        }
    }
};

// What the documents have and `known` has not. Each thread has a table for each part of the hashes, so that all threads
// share in merging them: each merges those of other parts.
inline Fault gather(const Documents& documents, const Analysis& analysis, const Lexicon& known, unsigned n_threads,
                    Gathered& out) {
    const std::vector<std::size_t> blocks = blocks_of(documents);
    n_threads = static_cast<unsigned>(std::clamp<std::size_t>(blocks.size() - 1, 1, std::max(n_threads, 1u)));
    const std::size_t n_parts = std::bit_ceil(n_threads);
    std::size_t text_bytes = 0;
    for (const std::string_view document : documents) text_bytes += document.size();
    std::vector<std::vector<Gathered>> found(n_threads);
    for (std::vector<Gathered>& tables : found) {
        tables.resize(n_parts);
        for (Gathered& table : tables) table.expect(text_bytes / n_threads / n_parts);
    }
    const auto make = [&](unsigned which) {
        struct Gram {
            std::string_view bytes;
            std::uint32_t hash;
        };
        return [&, mine = found[which].data(), reader = Reader(analysis), grams = std::vector<Gram>()](
                   std::size_t, std::size_t first, std::size_t last) mutable -> Fault {
            const auto table = [&](const Gram& gram) -> Gathered& {
                return mine[(std::uint64_t{gram.hash} * n_parts) >> 32];
            };
            for (std::size_t row = first; row < last; ++row) {
                if (!reader.read(documents[row])) return {row, reader.fault};
                grams.clear();
                reader.each([&](std::string_view gram, std::uint32_t hash) {
                    if (known.find(gram, hash) < 0) grams.push_back({gram, hash});
                });
                // Each round fetches what the next one reads: the table is larger than a cache.
                for (const Gram& gram : grams) table(gram).prefetch_slot(gram.hash);
                for (const Gram& gram : grams) table(gram).prefetch_entry(gram.hash);
                for (const Gram& gram : grams) table(gram).prefetch_name(gram.hash);
                for (std::size_t i = 0; i < grams.size(); ++i)
                    table(grams[i]).add(grams[i].bytes, grams[i].hash, row, i);
            }
            return {};
        };
    };
    const Fault fault = in_blocks(blocks, n_threads, make);
    if (fault) return fault;
    std::vector<Gathered>& merged = found[0];
    in_parallel(static_cast<std::int64_t>(n_parts), n_threads, [&](std::int64_t p) {
        const auto part = static_cast<std::size_t>(p);
        for (std::size_t t = 1; t < found.size(); ++t) {
            Gathered other = std::exchange(found[t][part], {});
            if (other.entries.size() > merged[part].entries.size()) std::swap(other, merged[part]);
            merged[part].merge(other);
        }
    });
    if (n_parts == 1)
        out = std::move(merged[0]);
    else
        out.join(merged, n_threads);
    return fault;
}

}  // namespace rosenblatt
