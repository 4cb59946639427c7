// The hashes of a word's n-grams, remembered: text repeats its words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "clones.hpp"

namespace rosenblatt {

class WordHashes {
  public:
    static constexpr std::size_t kLongest = 48;  // bytes of a word that is kept

    struct Found {
        const std::uint32_t* hashes;
        std::size_t n;
    };

    // Those of a word of at most kLongest bytes; `hash_word(hashes)` finds them where it is new, and puts them at the
    // end.
    template <class Hash>
    Found of(std::string_view word, const Hash& hash_word) {
        const std::uint32_t key = key_of(word);
        for (std::size_t slot = key & (kSlots - 1);; slot = (slot + 1) & (kSlots - 1)) {
            if (slots_.empty() || slots_[slot].size == 0) return add(word, key, hash_word);
            const Slot& at = slots_[slot];
            if (at.key == key && at.size == word.size() &&
                std::memcmp(text_.data() + at.text, word.data(), word.size()) == 0)
                return {hashes_.data() + at.first, at.n};
        }
    }

  private:
    static constexpr std::size_t kSlots = 1 << 15, kMost = kSlots / 2;
    struct Slot {
        std::uint32_t key, text, first;
        std::uint16_t size, n;  // size 0: free
    };
    std::vector<Slot> slots_;
    std::vector<char> text_;
    std::vector<std::uint32_t> hashes_;
    std::size_t n_words_ = 0;

    // Words that are as many as there is room for are forgotten together: what text goes on with comes back soon.
    template <class Hash>
    ROSENBLATT_APART Found add(std::string_view word, std::uint32_t key, const Hash& hash_word) {
        if (slots_.empty() || n_words_ == kMost) {
            slots_.assign(kSlots, {});
            text_.clear();
            hashes_.clear();
            n_words_ = 0;
        }
        const std::size_t first = hashes_.size();
        hash_word(hashes_);
        const std::size_t n = hashes_.size() - first;
        if (n >> 16 == 0) {
            std::size_t slot = key & (kSlots - 1);
            while (slots_[slot].size != 0) slot = (slot + 1) & (kSlots - 1);
            slots_[slot] = {key, static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(first),
                            static_cast<std::uint16_t>(word.size()), static_cast<std::uint16_t>(n)};
            text_.insert(text_.end(), word.begin(), word.end());
            ++n_words_;
        }
        return {hashes_.data() + first, n};
    }

    static std::uint32_t key_of(std::string_view word) {
        const auto load = [&]<class U>(U, std::size_t at) {
            U some;
            std::memcpy(&some, word.data() + at, sizeof some);
            return std::uint64_t{some};
        };
        constexpr std::uint64_t m = 0x9E3779B97F4A7C15u;
        const std::size_t n = word.size();
        std::uint64_t h = n * m;
        if (n >= 8) {
            for (std::size_t at = 0; at + 8 < n; at += 8) {
                h = (h ^ load(std::uint64_t{}, at)) * m;
                h ^= h >> 32;
            }
            h ^= load(std::uint64_t{}, n - 8);
        } else if (n >= 4) {
            h ^= load(std::uint32_t{}, 0) << 32 | load(std::uint32_t{}, n - 4);
        } else {
            h ^= load(std::uint8_t{}, 0) << 16 | load(std::uint8_t{}, n / 2) << 8 | load(std::uint8_t{}, n - 1);
        }
        h *= m;
        return static_cast<std::uint32_t>((h ^ (h >> 29)) >> 16);
    }
};

}  // namespace rosenblatt
