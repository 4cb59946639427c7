// UTF-8 and what Python's str methods say of code points, at the Unicode version of the tables.
#pragma once

#include <cstddef>
#include <cstdint>

#include "unicode_tables.hpp"

namespace rosenblatt::unicode {

using Byte = std::uint8_t;

inline const Record& record(char32_t code) {
    return kRecords[kPlaces[(kBlocks[code >> kShift] << kShift) + (code & ((1 << kShift) - 1))]];
}
inline bool is_word(char32_t code) { return record(code).flags & kWord; }  // \w of Python's re
inline bool is_space(char32_t code) { return record(code).flags & kSpace; }
inline bool is_mark(char32_t code) { return record(code).flags & kMark; }      // an accent, a vowel sign
inline bool is_symbol(char32_t code) { return record(code).flags & kSymbol; }  // punctuation, a sign, an emoji

struct Decoded {
    char32_t code;  // U+FFFD where the bytes are no UTF-8
    int length;     // then of the longest start of a sequence: what bytes.decode(errors="replace") replaces by one
    bool valid;
};

inline Decoded decode(const Byte* p, const Byte* end) {
    constexpr char32_t replacement = 0xFFFD;
    const Byte lead = *p;
    if (lead < 0x80) return {lead, 1, true};
    const int length = lead >= 0xC2 && lead < 0xE0   ? 2
                       : lead >= 0xE0 && lead < 0xF0 ? 3
                       : lead >= 0xF0 && lead < 0xF5 ? 4
                                                     : 0;
    if (length == 0) return {replacement, 1, false};
    // The second byte keeps out overlong forms, surrogates and what lies beyond U+10FFFF.
    const Byte low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const Byte high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    char32_t code = lead & (0x7F >> length);
    for (int i = 1; i < length; ++i) {
        const bool there = p + i < end && (i == 1 ? p[1] >= low && p[1] <= high : (p[i] & 0xC0) == 0x80);
        if (!there) return {replacement, i, false};
        code = (code << 6) | (p[i] & 0x3F);
    }
    return {code, length, true};
}

// The code point that ends at p.
inline Decoded decode_before(const Byte* begin, const Byte* p) {
    for (int back = 1; back <= 4 && p - back >= begin; ++back) {
        if ((p[-back] & 0xC0) == 0x80) continue;
        const Decoded found = decode(p - back, p);
        if (found.valid && found.length == back) return found;
        break;
    }
    return {0xFFFD, 1, false};
}

inline char* encode(char32_t code, char* out) {
    const auto put = [&](char32_t byte) { *out++ = static_cast<char>(byte); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xC0 | (code >> 6)), put(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        put(0xE0 | (code >> 12)), put(0x80 | ((code >> 6) & 0x3F)), put(0x80 | (code & 0x3F));
    } else {
        put(0xF0 | (code >> 18)), put(0x80 | ((code >> 12) & 0x3F));
        put(0x80 | ((code >> 6) & 0x3F)), put(0x80 | (code & 0x3F));
    }
    return out;
}

// Whether a capital sigma at [at, after) ends a word: a cased character before it, none after it, where
// case-ignorable ones are passed over (Unicode's Final_Sigma, as str.lower() has it).
inline bool is_final_sigma(const Byte* begin, const Byte* at, const Byte* after, const Byte* end) {
    bool cased = false;
    while (at > begin) {
        const Decoded before = decode_before(begin, at);
        at -= before.length;
        const Byte flags = record(before.code).flags;
        if (flags & kIgnorable) continue;
        cased = flags & kCased;
        break;
    }
    while (cased && after < end) {
        const Decoded next = decode(after, end);
        after += next.length;
        const Byte flags = record(next.code).flags;
        if (flags & kIgnorable) continue;
        return !(flags & kCased);
    }
    return cased;
}

// f(code) for each code point of the lower case of the one at [at, after).
template <class F>
void lower(char32_t code, const Byte* begin, const Byte* at, const Byte* after, const Byte* end, F&& f) {
    if (code == 0x3A3) {
        f(is_final_sigma(begin, at, after, end) ? char32_t{0x3C2} : char32_t{0x3C3});
    } else if (code == 0x130) {
        f(U'i');
        f(char32_t{0x307});
    } else {
        f(static_cast<char32_t>(static_cast<std::int32_t>(code) + record(code).to_lower));
    }
}

}  // namespace rosenblatt::unicode
