// One line of svmlight/libsvm text: `label [qid:n] index:value index:value … # comment`.
#pragma once

#include "lines.hpp"

namespace rosenblatt::data {

struct Svmlight {
    std::int64_t base;   // the smallest index: 0 or 1; it becomes column 0
    std::int64_t limit;  // columns there may be
    static constexpr char kComment = '#';
    static bool is_mark(char c) { return c == ':'; }

    template <class T, class I>
    struct Reader {
        std::int64_t base, limit;
        const char* text;

        bool read(const char* p, const char* end, Head& head, Entries<T, I>& entries, Complaint& wrong) const {
            const char* const start = p;
            switch (read_number(p, end, head.label)) {
                case Number::not_finite:
                    return fail(wrong, Fault::label_not_finite, start, end);
                case Number::none:
                    return fail(wrong, label_fault(start, end), start, end);
                case Number::read:
                    if (!ends_token(p, end)) return fail(wrong, label_fault(start, end), start, end);
            }
            for (std::int64_t last = -1;;) {
                while (p < end && is_blank(*p)) ++p;
                if (p == end || *p == kComment) {
                    entries.largest = std::max(entries.largest, last);
                    return true;
                }
                const char* const token = p;
                std::uint64_t index = 0;
                for (; p < end && is_digit(*p); ++p) index = 10 * index + static_cast<std::uint64_t>(*p - '0');
                const std::ptrdiff_t digits = p - token;
                if (digits == 0 || digits > 18 || p == end || *p != ':') {
                    if (last < 0 && end - token > 4 && std::memcmp(token, "qid:", 4) == 0) {
                        if (!read_qid(p, token, end, head.qid)) return fail(wrong, Fault::bad_qid, token, end);
                        continue;
                    }
                    return fail(wrong, pair_fault(token, end), token, end);
                }
                ++p;
                const auto column = static_cast<std::int64_t>(index) - base;
                if (column <= last) {
                    const Fault fault = column < 0       ? Fault::zero_index
                                        : column == last ? Fault::repeated_index
                                                         : Fault::falling_index;
                    return fail(wrong, fault, token, end);
                }
                if (column >= limit) return fail(wrong, Fault::index_beyond, token, end);
                if (column > std::numeric_limits<I>::max()) return fail(wrong, Fault::wide_index, token, end);
                T value;
                // `:1` and its like make up whole files.
                if (p < end && is_digit(*p) && (p + 1 == end || p[1] == ' ')) {
                    value = static_cast<T>(*p++ - '0');
                } else {
                    switch (read_number(p, end, value)) {
                        case Number::not_finite:
                            return fail(wrong, Fault::value_not_finite, token, end);
                        case Number::none:
                            return fail(wrong, Fault::bad_value, token, end);
                        case Number::read:
                            break;
                    }
                    if (!ends_token(p, end)) return fail(wrong, Fault::bad_value, token, end);
                }
                if (last < 0) entries.smallest = std::min(entries.smallest, column);
                last = column;
                entries.add(column, value);
            }
        }

      private:
        static bool ends_token(const char* p, const char* end) { return p == end || is_blank(*p) || *p == kComment; }

        static const char* token_end(const char* p, const char* end) {
            while (!ends_token(p, end)) ++p;
            return p;
        }

        static Fault label_fault(const char* start, const char* end) {
            const auto size = static_cast<std::size_t>(token_end(start, end) - start);
            if (std::memchr(start, ':', size)) return Fault::no_label;
            return std::memchr(start, ',', size) ? Fault::several_labels : Fault::bad_label;
        }

        static Fault pair_fault(const char* token, const char* end) {
            const char* const stop = token_end(token, end);
            const void* const colon = std::memchr(token, ':', static_cast<std::size_t>(stop - token));
            if (!colon) return Fault::no_pair;
            const char* const sign = token + (*token == '-' || *token == '+');
            for (const char* p = sign; p < colon; ++p)
                if (!is_digit(*p)) return Fault::bad_index;
            if (sign == colon || *token == '+') return Fault::bad_index;
            return *token == '-' ? Fault::negative_index : Fault::huge_index;
        }

        static bool read_qid(const char*& p, const char* token, const char* end, std::int64_t& qid) {
            p = token + 4;
            const auto [stop, error] = std::from_chars(p, end, qid);
            p = stop;
            return error == std::errc{} && ends_token(p, end);
        }

        bool fail(Complaint& wrong, Fault fault, const char* token, const char* end) const {
            wrong.fault = fault;
            wrong.begin = token - text;
            wrong.end = token_end(token, end) - text;
            return false;
        }
    };

    template <class T, class I>
    Reader<T, I> reader(const char* text) const {
        return {base, limit, text};
    }
};

}  // namespace rosenblatt::data
