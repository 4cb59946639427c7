// From UTF-8 bytes to n-grams of words or characters.
//
// A document is read into a buffer in which every n-gram is one stretch of bytes: lower-case words with one space
// between them, or characters. Its hash is a function of this stretch (ngram_hash).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "lexicon.hpp"
#include "unicode.hpp"
#include "word_hashes.hpp"

namespace rosenblatt {

enum class Unit { word, character, character_in_word };

struct Analysis {
    Unit unit = Unit::word;
    std::size_t min_n = 1, max_n = 1;
    bool lowercase = true;
    bool replace = false;        // bytes that are no UTF-8 count as U+FFFD
    bool symbols = false;        // punctuation, signs and emoji are words of one character, and marks are of a word
    std::size_t min_length = 2;  // characters of a word
    Lexicon stop_words, negations;
};

// Sixteen bytes compared and added at once, where the compiler has vector types.
#if defined(__GNUC__)
typedef std::uint8_t Bytes __attribute__((vector_size(16)));
#endif

constexpr std::size_t kChunk = 64;

// Sixty-four bytes at once: which are of a word, if they are ASCII, and their lower case; and which are spaces, if
// symbols are to be told from them.
template <bool symbols>
class Chunk {
  public:
    std::uint64_t words = 0;    // one bit a byte: part of a word
    std::uint64_t spaces = 0;   // or a space or control character; the others are symbols
    std::size_t size = kChunk;  // bytes before the first that is not ASCII
    char lower[2 * kChunk];     // more may be copied than is there

    Chunk(const std::uint8_t* p, bool lowercase) {
        std::uint64_t beyond = 0;
        const std::uint8_t shift = lowercase ? 32 : 0;
        for (unsigned i = 0; i < kChunk; i += 16) {
#if defined(__GNUC__)
            Bytes c;
            std::memcpy(&c, p + i, 16);
            const Bytes word = Bytes((c | 32) - 'a' < 26) | Bytes(c - '0' < 10) | Bytes(c == '_');
            c += Bytes(c - 'A' < 26) & (Bytes{} + shift);
            std::memcpy(lower + i, &c, 16);
            words |= bits_of(word) << i;
            if constexpr (symbols) spaces |= bits_of(Bytes(c < '!') | Bytes(c == 127)) << i;
            beyond |= bits_of(c) << i;
#else
            for (unsigned k = i; k < i + 16; ++k) {
                const std::uint8_t c = p[k];
                const bool is_upper = c >= 'A' && c <= 'Z';
                lower[k] = static_cast<char>(is_upper ? c + shift : c);
                words |= std::uint64_t{c < 0x80 && unicode::is_word(c)} << k;
                spaces |= std::uint64_t{c < '!' || c == 127} << k;
                beyond |= std::uint64_t{c >= 0x80} << k;
            }
#endif
        }
        if (beyond == 0) return;
        size = static_cast<std::size_t>(std::countr_zero(beyond));
        words &= (std::uint64_t{1} << size) - 1;
        spaces |= ~((std::uint64_t{1} << size) - 1);
    }

  private:
#if defined(__GNUC__)
    // The high bit of each byte.
    static std::uint64_t bits_of(Bytes bytes) {
#if defined(__SSE2__)
        return static_cast<std::uint16_t>(_mm_movemask_epi8((__m128i)bytes));
#else
        std::uint64_t bits = 0;
        for (unsigned i = 0; i < 16; ++i) bits |= static_cast<std::uint64_t>(bytes[i] >> 7) << i;
        return bits;
#endif
    }
#endif
};

class Reader {
  public:
    explicit Reader(const Analysis& how) : how_(how) {
        for (unsigned c = 0; c < 128; ++c) {
            const bool upper = how.lowercase && c >= 'A' && c <= 'Z';
            ascii_[c] = unicode::is_word(c) ? static_cast<Byte>(upper ? c + 32 : c) : Byte{0};
            kind_[c] = unicode::is_space(c) ? Kind::space : Kind::ascii;
        }
    }

    // Read a document. False: it is no UTF-8, at byte `fault`.
    bool read(std::string_view document) {
        // A lower case takes at most half as many bytes again; each word may bring "not_", and each character in
        // words two spaces.
        const std::size_t room = 4 * document.size() + 2 * kChunk;
        if (room_ < room) {
            buffer_ = std::make_unique_for_overwrite<char[]>(room);
            begins_ = std::make_unique_for_overwrite<std::size_t[]>(2 * document.size() + 8);
            hashes_ = std::make_unique_for_overwrite<std::uint32_t[]>(document.size() + 8);
            joined_ = std::make_unique_for_overwrite<std::uint32_t[]>(document.size() + 8);
            room_ = room;
        }
        size_ = 0;
        parts_.clear();
        begin_ = reinterpret_cast<const Byte*>(document.data());
        end_ = begin_ + document.size();
        out_ = buffer_.get();
        const bool fine = how_.unit == Unit::word ? read_words() : read_characters();
        begins_[size_] = written();
        std::memset(out_, 0, kPadding);
        return fine;
    }

    std::size_t fault = 0;

    // How many n-grams each() will call for, at most.
    std::size_t count() const {
        const std::size_t longest = std::min(how_.max_n, size_), shortest = std::min(how_.min_n, longest);
        return (longest - shortest + 1) * size_;
    }

    // f(n-gram, its hash) for every n-gram of the document.
    template <class F>
    void each(F&& f) {
        if (how_.unit == Unit::word) return each_of_words(f);
        if (how_.unit == Unit::character) return each_of_characters(0, size_, how_.min_n, f);
        for (std::size_t i = 0; i < parts_.size(); i += 2) {
            const std::size_t size = parts_[i + 1] - parts_[i];  // a word shorter than n is an n-gram of its own
            each_of_characters(parts_[i], parts_[i + 1], std::min(how_.min_n, size), f);
        }
    }

    // f(hashes, how many) of all n-grams of a document, in any order. False: it is no UTF-8, at byte `fault`.
    template <class F>
    bool hashes(std::string_view document, F&& f) {
        if (how_.unit == Unit::character_in_word) return hashes_by_word(document, f);
        if (!read(document)) return false;
        if (how_.unit == Unit::word) return hashes_by_length(f), true;
        each([&](std::string_view, std::uint32_t hash) { f(&hash, 1); });
        return true;
    }

  private:
    using Byte = unicode::Byte;
    enum class Kind : Byte { beyond, ascii, space };
    const Analysis& how_;
    std::array<Kind, 256> kind_{};
    WordHashes words_;
    std::vector<std::uint32_t> unusual_;  // hashes of a word that is not kept
    std::array<Byte, 128> ascii_{};       // what a byte of a word is in lower case, 0 between words
    std::unique_ptr<char[]> buffer_;
    std::unique_ptr<std::size_t[]> begins_;  // where each word or character begins, and the end; words lie one apart
    std::unique_ptr<std::uint32_t[]> hashes_, joined_;  // of the words, and of some at a time
    std::size_t room_ = 0, size_ = 0;
    std::vector<std::size_t> parts_;  // first and last + 1 character of each word, for characters in words
    const Byte *begin_ = nullptr, *end_ = nullptr;
    char* out_ = nullptr;

    // Of characters in words: words that come again are known.
    template <class F>
    bool hashes_by_word(std::string_view document, F& f) {
        const char* p = document.data();
        const char* const end = p + document.size();
        const auto kind = [&] { return kind_[static_cast<Byte>(*p)]; };
        while (p < end) {
            const char* const word = p;
            while (p < end && kind() == Kind::ascii) ++p;
            const bool is_plain = p == end || kind() == Kind::space;
            while (p < end && kind() != Kind::space)
                ++p;  // up to a space of ASCII, where no character and no word goes on
            const std::string_view bytes(word, static_cast<std::size_t>(p - word));
            if (is_plain && bytes.size() <= WordHashes::kLongest) {
                if (!bytes.empty()) {
                    const auto known = words_.of(bytes, [&](std::vector<std::uint32_t>& to) { hash_word(bytes, to); });
                    f(known.hashes, known.n);
                }
            } else {
                unusual_.clear();
                if (!hash_word(bytes, unusual_)) {
                    fault += static_cast<std::size_t>(word - document.data());
                    return false;
                }
                f(unusual_.data(), unusual_.size());
            }
            while (p < end && kind() == Kind::space) ++p;
        }
        return true;
    }

    // Of words: those of one, then of two, and so on.
    template <class F>
    void hashes_by_length(F& f) {
        hash_words();
        std::uint32_t* const hashes = hashes_.get();
        std::uint32_t* const joint = joined_.get();
        std::copy_n(hashes, size_, joint);
        for (std::size_t n = 1; n <= std::min(how_.max_n, size_); ++n) {
            const std::size_t count = size_ + 1 - n;
            if (n > 1)
                for (std::size_t i = 0; i < count; ++i) joint[i] = joined(joint[i], hashes[i + n - 1]);
            if (n >= how_.min_n) f(joint, count);
        }
    }

    // Words lie one space apart; each is hashed once.
    void hash_words() { Murmur3::of_words(buffer_.get(), begins_.get(), size_, hashes_.get()); }

    template <class F>
    void each_of_words(F& f) {
        const char* const text = buffer_.get();
        const std::size_t* const begins = begins_.get();
        const std::uint32_t* const hashes = hashes_.get();
        hash_words();
        for (std::size_t i = 0; i < size_; ++i) {
            const char* const begin = text + begins[i];
            const std::size_t stop = std::min(size_, i + how_.max_n);
            std::uint32_t hash = hashes[i];
            for (std::size_t j = i;;) {
                const char* const end = text + begins[j + 1] - 1;
                if (j - i + 1 >= how_.min_n) f(std::string_view(begin, static_cast<std::size_t>(end - begin)), hash);
                if (++j >= stop) break;
                hash = joined(hash, hashes[j]);
            }
        }
    }

    // What starts alike is hashed once; a space ends a word, as in ngram_hash.
    template <class F>
    void each_of_characters(std::size_t first, std::size_t last, std::size_t min_n, F& f) const {
        const char* const text = buffer_.get();
        const std::size_t* const begins = begins_.get();
        for (std::size_t i = first; i < last; ++i) {
            const char* const begin = text + begins[i];
            Murmur3 word(begin);
            std::uint32_t before = 0, hash = 0;  // of what stands before the last space, and of all
            bool several = false;
            const std::size_t stop = std::min(last, i + how_.max_n);
            for (std::size_t j = i; j < stop; ++j) {
                const char* const end = text + begins[j + 1];
                if (text[begins[j]] == ' ') {
                    before = hash;
                    several = true;
                    word = Murmur3(end);
                }
                hash = several ? joined(before, word.through(end)) : word.through(end);
                if (j - i + 1 >= min_n) f(std::string_view(begin, static_cast<std::size_t>(end - begin)), hash);
            }
        }
    }

    // The hashes of the n-grams of a stretch between spaces; false: it is no UTF-8.
    ROSENBLATT_APART bool hash_word(std::string_view bytes, std::vector<std::uint32_t>& to) {
        if (!read(bytes)) return false;
        each([&](std::string_view, std::uint32_t hash) { to.push_back(hash); });
        return true;
    }

    std::size_t written() const { return static_cast<std::size_t>(out_ - buffer_.get()); }

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

    char* start_ = nullptr;      // where the word that is being read begins, "not_" included
    std::size_t continued_ = 0;  // its bytes beyond one for each character
    bool negating_ = false;

    bool read_words() {
        const bool negates = how_.negations.size > 0;
        const auto put = [&](char32_t code) {
            if (!unicode::is_word(code) && !(how_.symbols && unicode::is_mark(code) && is_inside())) {
                close();
                if (how_.symbols && unicode::is_symbol(code)) put_symbol(code);
                return;
            }
            char* const before = out_;
            out_ = unicode::encode(code, out_);
            continued_ += static_cast<std::size_t>(out_ - before) - 1;
        };
        negating_ = false;
        open();
        for (const Byte* p = begin_; p < end_;) {
            if (!negates && static_cast<std::size_t>(end_ - p) >= kChunk && *p < 0x80) {
                p = how_.symbols ? read_chunk<true>(p) : read_chunk<false>(p);
            } else if (*p >= 0x80) {
                if (!next(p, put)) return false;
            } else if (const Byte c = ascii_[*p++]) {
                *out_++ = static_cast<char>(c);
            } else {
                close();
                if (negating_ && ends_negation(p[-1])) {
                    negating_ = false;
                    out_ = start_;
                }
                if (how_.symbols && unicode::is_symbol(p[-1])) put_symbol(p[-1]);
            }
        }
        close();
        out_ = start_;
        return true;
    }

    void open() {
        start_ = out_;
        continued_ = 0;
        if (negating_) {
            std::memcpy(out_, "not_", 4);
            out_ += 4;
        }
    }

    // The word ends here, if there is one.
    void close() {
        const std::size_t prefix = negating_ ? 4 : 0;
        const auto size = static_cast<std::size_t>(out_ - start_) - prefix;
        if (size == 0) return;
        bool kept = size - continued_ >= how_.min_length;
        if (kept && how_.negations.size > 0 && contains(how_.negations, {start_ + prefix, size})) {
            std::memmove(start_, start_ + prefix, size);
            out_ = start_ + size;
            negating_ = true;
        }
        if (kept && how_.stop_words.size > 0) kept = !contains(how_.stop_words, {out_ - size, size});
        if (kept) {
            begins_[size_++] = static_cast<std::size_t>(start_ - buffer_.get());
            *out_++ = ' ';
        } else {
            out_ = start_;
        }
        open();
    }

    // Whether a word has begun.
    bool is_inside() const { return out_ > start_ + (negating_ ? 4 : 0); }

    // A word of one symbol; none has begun.
    void put_symbol(char32_t code) {
        out_ = unicode::encode(code, start_);
        const auto size = static_cast<std::size_t>(out_ - start_);
        if (how_.stop_words.size == 0 || !contains(how_.stop_words, {start_, size})) {
            begins_[size_++] = static_cast<std::size_t>(start_ - buffer_.get());
            *out_++ = ' ';
        } else {
            out_ = start_;
        }
        open();
    }

    // The words of the next bytes, up to one that is not ASCII. Nothing branches on single bytes.
    template <bool symbols>
    const Byte* read_chunk(const Byte* p) {
        const Chunk<symbols> chunk(p, how_.lowercase);
        const std::size_t size = chunk.size;
        char* out = out_;  // a local: a store through a char* makes the compiler read members again
        for (std::size_t at = 0;;) {
            const std::uint64_t rest = chunk.words >> at;
            const auto run = static_cast<std::size_t>(std::countr_one(rest));
            std::memcpy(out, chunk.lower + at, 16);
            if (run > 16) std::memcpy(out + 16, chunk.lower + at + 16, 48);
            out += run;
            at += run;
            if (at >= size) break;
            if (how_.stop_words.size > 0 || continued_ > 0) {
                out_ = out;
                close();
                out = out_;
            } else {
                const bool kept = static_cast<std::size_t>(out - start_) >= how_.min_length;
                begins_[size_] = static_cast<std::size_t>(start_ - buffer_.get());
                size_ += kept;
                *out = ' ';
                start_ = out = kept ? out + 1 : start_;
            }
            if constexpr (symbols) {
                for (std::uint64_t left = ~(chunk.words | chunk.spaces) >> at; left & 1; left >>= 1, ++at) {
                    if (how_.stop_words.size > 0) {
                        out_ = out;
                        put_symbol(static_cast<Byte>(chunk.lower[at]));
                        out = out_;
                        continue;
                    }
                    begins_[size_++] = static_cast<std::size_t>(out - buffer_.get());
                    out[0] = chunk.lower[at];
                    out[1] = ' ';
                    start_ = out += 2;
                }
            }
            if (at >= size) break;
            const std::uint64_t left = (symbols ? ~chunk.spaces : chunk.words) >> at;
            if (left == 0) break;
            at += static_cast<std::size_t>(std::countr_zero(left));
        }
        out_ = out;
        return p + size;
    }

    static bool ends_negation(Byte c) { return c == '.' || c == ',' || c == ';' || c == ':' || c == '!' || c == '?'; }

    static bool contains(const Lexicon& words, std::string_view word) {
        char* const after = const_cast<char*>(word.data() + word.size());  // the buffer has room, and it is ours
        std::memset(after, 0, kPadding);
        return words.find(word, Murmur3(word.data()).through(after)) >= 0;
    }

    // ---- characters ----

    void put_character(char32_t code) {
        begins_[size_++] = written();
        out_ = unicode::encode(code, out_);
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
                    parts_.push_back(size_);
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
        parts_.push_back(size_);
    }
};

}  // namespace rosenblatt
