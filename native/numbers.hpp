// Decimal numbers read from text, correctly rounded: the double that Python's float() gives, or the nearest float.
//
// Short ones, which are nearly all, take Clinger's fast path: up to 2^53 times or over a power of ten that is exact, so
// that one operation rounds once. The rest go to the standard library.
#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#if !defined(__cpp_lib_to_chars)
#include <locale.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#include <cstdlib>
#include <string>
#endif

namespace rosenblatt::data {

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

enum class Number { read, none, not_finite };

namespace detail {

constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Appends the decimal digits at p to `digits` (which may overflow) and returns where they end.
inline const char* read_digits(const char* p, const char* end, std::uint64_t& digits) {
    if constexpr (std::endian::native == std::endian::little) {
        // Eight at a time: which bytes are digits, the rest shifted out, then pairs, fours and eights added up.
        constexpr std::uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
        while (end - p >= 8) {
            std::uint64_t eight;
            std::memcpy(&eight, p, 8);
            eight ^= 0x3030303030303030u;
            const std::uint64_t other =
                (((eight & 0x7F7F7F7F7F7F7F7Fu) + 0x7676767676767676u) | eight) & 0x8080808080808080u;
            const int n = other ? std::countr_zero(other) / 8 : 8;
            if (n == 0) return p;
            eight <<= 8 * (8 - n);
            eight = eight * 10 + (eight >> 8);
            eight = ((eight & 0x000000FF000000FFu) * 0x000F424000000064u +
                     ((eight >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >>
                    32;
            digits = digits * powers[n] + eight;
            p += n;
            if (n < 8) return p;
        }
    }
    for (; p < end && is_digit(*p); ++p) digits = 10 * digits + static_cast<std::uint64_t>(*p - '0');
    return p;
}

// The standard library's reading of [first, last), which is known to be a decimal number without a sign.
// `magnitude` is the power of ten of its first digit: it tells overflow from underflow.
template <class T>
Number read_slowly(const char* first, const char* last, std::int64_t magnitude, T& out) {
#if defined(__cpp_lib_to_chars)
    const auto [stop, error] = std::from_chars(first, last, out);
    if (error == std::errc::result_out_of_range) {
        out = 0;
        return magnitude > 0 ? Number::not_finite : Number::read;
    }
    return error == std::errc{} && stop == last ? Number::read : Number::none;
#else  // libc++ has no from_chars for floating point everywhere
    static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
    const std::string copy(first, last);
    if constexpr (std::is_same_v<T, float>)
        out = strtof_l(copy.c_str(), nullptr, c_locale);
    else
        out = strtod_l(copy.c_str(), nullptr, c_locale);
    (void)magnitude;
    return std::isfinite(out) ? Number::read : Number::not_finite;
#endif
}

// Whether text begins with this lower-case word, in any case.
inline bool begins_with(const char* p, const char* end, const char* word) {
    for (; *word; ++word, ++p)
        if (p == end || (*p | 0x20) != *word) return false;
    return true;
}

}  // namespace detail

// Reads a number at p and moves p behind it. NaN and infinity, in letters or by overflow, are `not_finite`.
template <class T>
Number read_number(const char*& p, const char* end, T& out) {
    const char* q = p;
    bool negative = false;
    if (q < end && (*q == '-' || *q == '+')) negative = *q++ == '-';
    const char* const first = q;
    std::uint64_t digits = 0;
    if (std::is_same_v<T, double> && end - q > 10 && is_digit(q[0]) && q[1] == '.') {
        // One digit, a point, one to eight digits and a blank: most of what programs write.
        digits = static_cast<std::uint64_t>(q[0] - '0');
        const char* const stop = detail::read_digits(q + 2, q + 10, digits);
        if (*stop == ' ') {
            const double value = static_cast<double>(digits) / detail::kPowers[stop - q - 2];
            out = static_cast<T>(negative ? -value : value);
            p = stop;
            return Number::read;
        }
        digits = 0;
    }
    for (; q < end && is_digit(*q); ++q) digits = 10 * digits + static_cast<std::uint64_t>(*q - '0');
    std::int64_t n = q - first, power = 0;
    if (q < end && *q == '.') {
        const char* const point = ++q;
        q = detail::read_digits(point, end, digits);
        power = point - q;
        n -= power;
    }
    if (n == 0) {
        const bool spelled = detail::begins_with(first, end, "nan") || detail::begins_with(first, end, "inf");
        return spelled ? Number::not_finite : Number::none;
    }
    if (q < end && (*q == 'e' || *q == 'E')) {
        const char* r = q + 1;
        const bool down = r < end && *r == '-';
        if (r < end && (*r == '-' || *r == '+')) ++r;
        if (r < end && is_digit(*r)) {
            std::int64_t exponent = 0;
            for (; r < end && is_digit(*r); ++r)
                if (exponent < 1'000'000'000'000) exponent = 10 * exponent + (*r - '0');
            power += down ? -exponent : exponent;
            q = r;
        }
    }
    p = q;
    if (n <= 19 && digits <= std::uint64_t{1} << 53 && power >= -22 && power <= 22) {
        double value = static_cast<double>(digits);
        value = power < 0 ? value / detail::kPowers[-power] : value * detail::kPowers[power];
        out = static_cast<T>(negative ? -value : value);
        bool rounded_once = true;
        if constexpr (std::is_same_v<T, float>) {
            // To double and then to float is the same unless the double lies halfway between two floats (or below the
            // normal ones, where the halves lie elsewhere).
            std::uint64_t bits;
            std::memcpy(&bits, &value, sizeof bits);
            constexpr std::uint64_t low = (std::uint64_t{1} << 29) - 1, half = std::uint64_t{1} << 28;
            rounded_once = (bits & low) != half && (value >= std::numeric_limits<float>::min() || value == 0);
        }
        if (rounded_once) return Number::read;  // 2^53·10^22 < max float
    }
    const char* leading = first;
    while (leading < q && (*leading == '0' || *leading == '.')) ++leading;
    if (leading == q || !is_digit(*leading)) {  // only zeros before the exponent
        out = negative ? -T{0} : T{0};
        return Number::read;
    }
    std::int64_t behind = 0;  // digits from the first that is not 0 to the exponent
    for (const char* r = leading; r < q && (is_digit(*r) || *r == '.'); ++r) behind += *r != '.';
    const Number result = detail::read_slowly(first, q, behind + power, out);
    if (negative) out = -out;
    return result;
}

}  // namespace rosenblatt::data
