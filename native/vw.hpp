// One line of Vowpal Wabbit text: `[label [weight [base]]] ['tag]|namespace[:scale] name[:value] … |namespace …`.
//
// A feature is called `namespace^name`, or `name` alone where the namespace has no name, as VW prints them. Its column
// is MurmurHash3 (32 bits, seed 0) of that, modulo 2^bits. Features that fall together are added.
#pragma once

#include <string>
#include <utility>

#include "hash.hpp"
#include "lines.hpp"

namespace rosenblatt::data {

struct VowpalWabbit {
    std::uint64_t mask;                                  // columns − 1
    static constexpr char kComment = '\n';               // there are none
    static bool is_mark(char c) { return is_blank(c); }  // every feature stands behind one

    template <class T, class I>
    struct Reader {
        std::uint64_t mask;
        const char* text;
        std::string name;  // of the feature at hand
        std::vector<std::pair<std::int64_t, T>> row;

        bool read(const char* p, const char* end, Head& head, Entries<T, I>& entries, Complaint& wrong) {
            const char* bar = static_cast<const char*>(std::memchr(p, '|', static_cast<std::size_t>(end - p)));
            if (!bar) return fail(wrong, Fault::no_bar, p, end);
            if (!read_label(p, bar, head, wrong)) return false;
            row.clear();
            while (bar < end)
                if (!read_namespace(bar, end, wrong)) return false;
            // Columns come in any order: sorted, and those that are the same added in the order of the text.
            std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
            for (std::size_t i = 0; i < row.size(); ++i) {
                if (i && row[i].first == row[i - 1].first)
                    entries.value[-1] += row[i].second;
                else
                    entries.add(row[i].first, row[i].second);
                if (!std::isfinite(entries.value[-1])) return fail(wrong, Fault::value_not_finite, p, end);
            }
            if (!row.empty()) {
                entries.smallest = std::min(entries.smallest, row.front().first);
                entries.largest = std::max(entries.largest, row.back().first);
            }
            return true;
        }

      private:
        // What stands before the first bar. The last word is a tag if it begins with ' or touches the bar.
        bool read_label(const char* p, const char* bar, Head& head, Complaint& wrong) const {
            head.label = std::numeric_limits<double>::quiet_NaN();
            double* const numbers[] = {&head.label, &head.weight, nullptr};
            for (int n = 0; p < bar;) {
                const char* const word = p;
                while (p < bar && !is_blank(*p)) ++p;
                const char* const stop = p;
                while (p < bar && is_blank(*p)) ++p;
                if (*word == '\'' || stop == bar) {
                    if (p < bar) return fail(wrong, Fault::many_labels, p, bar);
                    head.tag_begin = word + (*word == '\'') - text;
                    head.tag_end = stop - text;
                    return true;
                }
                if (n == 3) return fail(wrong, Fault::many_labels, word, bar);
                const Fault fault = n ? Fault::bad_weight : Fault::bad_label;
                double ignored;
                const char* q = word;
                const Number number = read_number(q, stop, numbers[n] ? *numbers[n] : ignored);
                if (number == Number::not_finite) return fail(wrong, n ? fault : Fault::label_not_finite, word, bar);
                if (number == Number::none || q != stop) return fail(wrong, fault, word, bar);
                if (n == 1 && head.weight < 0) return fail(wrong, fault, word, bar);
                ++n;
            }
            return true;
        }

        // From one bar to the next, or to the end of the line.
        bool read_namespace(const char*& bar, const char* end, Complaint& wrong) {
            const char* p = bar + 1;
            const char* stop = static_cast<const char*>(std::memchr(p, '|', static_cast<std::size_t>(end - p)));
            if (!stop) stop = end;
            bar = stop;
            name.clear();
            T scale = 1;
            const char* const space = p;
            while (p < stop && !is_blank(*p) && *p != ':') ++p;
            if (p > space) name.assign(space, p).push_back('^');
            if (p < stop && *p == ':') {
                ++p;
                if (read_number(p, stop, scale) != Number::read || (p < stop && !is_blank(*p)))
                    return fail(wrong, Fault::bad_scale, space, stop);
            }
            const std::size_t prefix = name.size();
            for (;;) {
                while (p < stop && is_blank(*p)) ++p;
                if (p == stop) return true;
                const char* const word = p;
                while (p < stop && !is_blank(*p) && *p != ':') ++p;
                if (p == word) return fail(wrong, Fault::no_name, word, stop);
                name.resize(prefix);
                name.append(word, p);
                T value = 1;
                if (p < stop && *p == ':') {
                    ++p;
                    const Number number = read_number(p, stop, value);
                    if (number == Number::not_finite) return fail(wrong, Fault::value_not_finite, word, stop);
                    if (number == Number::none || (p < stop && !is_blank(*p)))
                        return fail(wrong, Fault::bad_value, word, stop);
                }
                if (!std::isfinite(value *= scale)) return fail(wrong, Fault::value_not_finite, word, stop);
                const auto column = static_cast<std::int64_t>(murmur3(name) & mask);
                if (column > std::numeric_limits<I>::max()) return fail(wrong, Fault::wide_index, word, stop);
                row.emplace_back(column, value);
            }
        }

        bool fail(Complaint& wrong, Fault fault, const char* word, const char* end) const {
            wrong.fault = fault;
            wrong.begin = word - text;
            while (word < end && !is_blank(*word)) ++word;
            wrong.end = word - text;
            return false;
        }
    };

    template <class T, class I>
    Reader<T, I> reader(const char* text) const {
        return {mask, text, {}, {}};
    }
};

}  // namespace rosenblatt::data
