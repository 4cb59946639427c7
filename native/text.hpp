// From UTF-8 bytes to n-grams of words or characters.
//
// A document is read into a buffer in which every n-gram is one stretch of bytes: lower-case words with one space
// between them, or characters. An n-gram's hash is that of this stretch.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lexicon.hpp"
#include "unicode.hpp"

namespace rosenblatt {

enum class Unit { word, character, character_in_word };

struct Analysis {
    Unit unit = Unit::word;
    std::size_t min_n = 1, max_n = 1;
    bool lowercase = true;
    bool replace = false;        // bytes that are no UTF-8 count as U+FFFD
    std::size_t min_length = 2;  // characters of a word
    Lexicon stop_words, negations;
};

class Reader {
  public:
    explicit Reader(const Analysis& how) : how_(how) {
        for (unsigned c = 0; c < 128; ++c) {
            const bool upper = how.lowercase && c >= 'A' && c <= 'Z';
            ascii_[c] = unicode::is_word(c) ? static_cast<Byte>(upper ? c + 32 : c) : Byte{0};
        }
        for (unsigned c = 128; c < 256; ++c) ascii_[c] = kBeyond;
    }

    // Read a document. False: it is no UTF-8, at byte `fault`.
    bool read(std::string_view document) {
        // A lower case takes at most half as many bytes again; each word may bring "not_", and each character in
        // words two spaces.
        const std::size_t room = 4 * document.size() + 64;
        if (buffer_.size() < room) buffer_.resize(room);
        begins_.clear();
        ends_.clear();
        parts_.clear();
        begin_ = reinterpret_cast<const Byte*>(document.data());
        end_ = begin_ + document.size();
        out_ = buffer_.data();
        const bool fine = how_.unit == Unit::word ? read_words() : read_characters();
        std::memset(out_, 0, kPadding);
        return fine;
    }

    std::size_t fault = 0;

    // f(n-gram, its hash) for every n-gram of the document.
    template <class F>
    void each(F&& f) const {
        if (how_.unit != Unit::character_in_word) return each_of(0, ends_.size(), how_.min_n, f);
        for (std::size_t i = 0; i < parts_.size(); i += 2) {
            const std::size_t size = parts_[i + 1] - parts_[i];  // a word shorter than n is an n-gram of its own
            each_of(parts_[i], parts_[i + 1], std::min(how_.min_n, size), f);
        }
    }

  private:
    using Byte = unicode::Byte;
    static constexpr Byte kBeyond = 0x80;

    const Analysis& how_;
    std::array<Byte, 256> ascii_{};  // the lower case of a word's byte, 0 between words, kBeyond: not ASCII
    std::vector<char> buffer_;
    std::vector<std::size_t> begins_, ends_;  // of each word or character in the buffer
    std::vector<std::size_t> parts_;          // first and last + 1 character of each word, for characters in words
    const Byte *begin_ = nullptr, *end_ = nullptr;
    char* out_ = nullptr;

    template <class F>
    void each_of(std::size_t first, std::size_t last, std::size_t min_n, F& f) const {
        const char* const text = buffer_.data();
        for (std::size_t i = first; i < last; ++i) {
            const char* const begin = text + begins_[i];
            Murmur3 hash(begin);
            const std::size_t stop = std::min(last, i + how_.max_n);
            for (std::size_t j = i + min_n - 1; j < stop; ++j) {
                const char* const end = text + ends_[j];
                f(std::string_view(begin, static_cast<std::size_t>(end - begin)), hash.through(end));
            }
        }
    }

    std::size_t written() const { return static_cast<std::size_t>(out_ - buffer_.data()); }

    // put(code) for each code point of the (lower case of the) one at p, which is moved on; false: it is no UTF-8
    template <class F>
    bool next(const Byte*& p, F&& put) {
        const auto found = unicode::decode(p, end_);
        if (!found.valid && !how_.replace) {
            fault = static_cast<std::size_t>(p - begin_);
            return false;
        }
        const Byte* const at = p;
        p += found.length;
        if (how_.lowercase)
            unicode::lower(found.code, begin_, at, p, end_, put);
        else
            put(found.code);
        return true;
    }

    // ---- words ----

    bool read_words() {
        const bool negates = how_.negations.size > 0;
        bool negating = false;
        const Byte* p = begin_;
        std::size_t continued = 0;  // bytes of the word beyond one for each character
        char* start = out_;         // where the word begins, "not_" included
        const auto open = [&] {
            start = out_;
            continued = 0;
            if (negating) {
                std::memcpy(out_, "not_", 4);
                out_ += 4;
            }
        };
        const auto close = [&] {
            const std::size_t prefix = negating ? 4 : 0;
            const auto size = static_cast<std::size_t>(out_ - start) - prefix;
            if (size == 0 && prefix == 0) return;
            const std::string_view word(start + prefix, size);
            if (size - continued >= how_.min_length) {
                if (negates && contains(how_.negations, word)) {
                    std::memmove(start, start + prefix, size);
                    out_ -= prefix;
                    negating = true;
                }
                if (how_.stop_words.size == 0 || !contains(how_.stop_words, {out_ - size, size})) {
                    begins_.push_back(static_cast<std::size_t>(start - buffer_.data()));
                    ends_.push_back(written());
                    *out_++ = ' ';
                    return open();
                }
            }
            out_ = start;
            open();
        };
        const auto put = [&](char32_t code) {
            if (!unicode::is_word(code)) return close();
            char* const before = out_;
            out_ = unicode::encode(code, out_);
            continued += static_cast<std::size_t>(out_ - before) - 1;
        };
        open();
        while (p < end_) {
            const Byte c = ascii_[*p];
            if (c == kBeyond) {
                if (!next(p, put)) return false;
            } else if (c != 0) {
                p = copy_ascii(p);
            } else {
                close();
                do {
                    if (negating && ends_negation(*p)) {
                        negating = false;
                        out_ = start;
                    }
                } while (++p < end_ && ascii_[*p] == 0);
            }
        }
        close();
        out_ = start;
        return true;
    }

    const Byte* copy_ascii(const Byte* p) {
        char* out = out_;  // locals: a store through a char* makes the compiler read members again
        const Byte* const end = end_;
        const Byte* const table = ascii_.data();
        for (Byte c; p < end && static_cast<unsigned>((c = table[*p]) - 1) < kBeyond - 1u; ++p)
            *out++ = static_cast<char>(c);
        out_ = out;
        return p;
    }

    static bool ends_negation(Byte c) { return c == '.' || c == ',' || c == ';' || c == ':' || c == '!' || c == '?'; }

    static bool contains(const Lexicon& words, std::string_view word) {
        char* const after = const_cast<char*>(word.data() + word.size());  // the buffer has room, and it is ours
        std::memset(after, 0, kPadding);
        return words.find(word, Murmur3(word.data()).through(after)) >= 0;
    }

    // ---- characters ----

    void put_character(char32_t code) {
        begins_.push_back(written());
        out_ = unicode::encode(code, out_);
        ends_.push_back(written());
    }

    // Characters as scikit-learn's "char" and "char_wb" have them: two or more spaces of any kind become one U+0020;
    // in words, each word stands between two spaces.
    bool read_characters() {
        const bool in_words = how_.unit == Unit::character_in_word;
        char32_t waiting = 0;  // the only space so far of a run
        bool inside = false;
        const auto put = [&](char32_t code) {
            if (in_words) {
                if (unicode::is_space(code)) {
                    if (inside) close_part();
                    inside = false;
                    return;
                }
                if (!inside) {
                    parts_.push_back(ends_.size());
                    put_character(U' ');
                }
                inside = true;
            } else if (unicode::is_space(code)) {
                waiting = waiting == 0 ? code : U' ';
                return;
            } else if (waiting != 0) {
                put_character(waiting);
                waiting = 0;
            }
            put_character(code);
        };
        for (const Byte* p = begin_; p < end_;)
            if (!next(p, put)) return false;
        if (inside) close_part();
        if (waiting != 0) put_character(waiting);
        return true;
    }

    void close_part() {
        put_character(U' ');
        parts_.push_back(ends_.size());
    }
};

}  // namespace rosenblatt
