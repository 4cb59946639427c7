// From columns of strings, the tokens of sentences, to rows of hashed features, by templates.
//
// A template is text with cells in it: `U05:%x[-1,0]/%x[0,0]` has two. A cell is a form (the string itself, its lower
// case, its last three characters, …) of the string in some column of a token so far away. The feature's hash is that
// of the text around the cells, joined with that of each cell's string from left to right; its column is the low bits.
// Each different string of a column has its forms made and hashed once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clones.hpp"
#include "encode.hpp"
#include "hash.hpp"
#include "unicode.hpp"

namespace rosenblatt {

// ---- forms of a string
// -----------------------------------------------------------------------------------------------

enum class Function { lower, prefix, suffix, shape, digit, hyphen, title, upper };

struct Step {
    Function function;
    std::size_t n = 0;  // characters of a prefix or suffix
};

// Functions applied one after the other; none: the string itself.
using Form = std::vector<Step>;

class Former {
  public:
    // The form of a string that is UTF-8; false: it has none, and then no feature is made of it.
    bool make(const Form& form, std::string_view text, std::string& out) {
        out.assign(text);
        for (const Step& step : form) {
            if (!apply(step, out)) return false;
        }
        return true;
    }

  private:
    std::string made_;

    bool apply(const Step& step, std::string& text) {
        switch (step.function) {
            case Function::lower:
                return lower(text);
            case Function::prefix:
                return prefix(text, step.n);
            case Function::suffix:
                return suffix(text, step.n);
            case Function::shape:
                return shape(text);
            case Function::digit:
                return holds(text, [](char c) { return is_digit(static_cast<unsigned char>(c)); });
            case Function::hyphen:
                return holds(text, [](char c) { return c == '-'; });
            case Function::title:
                return title(text);
            default:
                return upper(text);
        }
    }

    static bool is_digit(char32_t code) { return code >= U'0' && code <= U'9'; }
    static bool is_upper(char32_t code) { return unicode::record(code).to_lower != 0 || code == 0x130; }
    static bool is_cased(char32_t code) { return unicode::record(code).flags & unicode::kCased; }

    // f(code point, its bytes' place, the next one's)
    template <class F>
    static void each(std::string_view text, F&& f) {
        const auto* const begin = reinterpret_cast<const unicode::Byte*>(text.data());
        const auto* const end = begin + text.size();
        for (const auto* p = begin; p < end;) {
            const auto found = unicode::decode(p, end);
            f(found.code, p, p + found.length);
            p += found.length;
        }
    }

    void put(char32_t code) {
        char bytes[4];
        made_.append(bytes, static_cast<std::size_t>(unicode::encode(code, bytes) - bytes));
    }

    bool lower(std::string& text) {
        made_.clear();
        const auto* const begin = reinterpret_cast<const unicode::Byte*>(text.data());
        each(text, [&](char32_t code, const unicode::Byte* at, const unicode::Byte* after) {
            unicode::lower(code, begin, at, after, begin + text.size(), [&](char32_t low) { put(low); });
        });
        text.swap(made_);
        return true;
    }

    static bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

    // The first n characters, of at least n.
    static bool prefix(std::string& text, std::size_t n) {
        std::size_t at = 0;
        for (; n > 0 && at < text.size(); --n)
            for (++at; at < text.size() && continues(text[at]);) ++at;
        text.resize(at);
        return n == 0;
    }

    static bool suffix(std::string& text, std::size_t n) {
        std::size_t at = text.size();
        for (; n > 0 && at > 0; --n)
            for (--at; at > 0 && continues(text[at]);) --at;
        text.erase(0, at);
        return n == 0;
    }

    // X for a capital, x for another letter with a case, d for 0 to 9, others as they are; of what repeats four.
    bool shape(std::string& text) {
        constexpr int most = 4;
        made_.clear();
        char32_t last = 0;
        int run = 0;
        each(text, [&](char32_t code, const unicode::Byte*, const unicode::Byte*) {
            const char32_t kind = is_digit(code) ? U'd' : is_upper(code) ? U'X' : is_cased(code) ? U'x' : code;
            run = kind == last ? run + 1 : 1;
            last = kind;
            if (run <= most) put(kind);
        });
        text.swap(made_);
        return true;
    }

    // Flags are the empty string where they are true.
    template <class Is>
    static bool holds(std::string& text, Is is) {
        const bool found = std::any_of(text.begin(), text.end(), is);
        text.clear();
        return found;
    }

    static bool title(std::string& text) {
        const auto* const begin = reinterpret_cast<const unicode::Byte*>(text.data());
        const bool found = !text.empty() && is_upper(unicode::decode(begin, begin + text.size()).code);
        text.clear();
        return found;
    }

    // Two or more characters, one of them a capital and none a small letter.
    static bool upper(std::string& text) {
        bool any = false, small = false;
        std::size_t n = 0;
        each(text, [&](char32_t code, const unicode::Byte*, const unicode::Byte*) {
            any = any || is_upper(code);
            small = small || (is_cased(code) && !is_upper(code));
            ++n;
        });
        text.clear();
        return any && !small && n > 1;
    }
};

// ---- templates
// -------------------------------------------------------------------------------------------------------

constexpr int kReach = 8;  // tokens to either side that a cell may be away, as in CRF++

struct Cell {
    int row;              // of the token, from the one at hand
    std::size_t column;   // of its strings
    std::size_t form;     // of those of the column
    std::string literal;  // the text that follows it
};

struct TokenTemplate {
    std::string literal;  // the text before the first cell
    std::vector<Cell> cells;
    std::uint64_t hash = 0;

    // Of the pieces of text with a zero byte between them: that of a name, where there are no cells.
    void finish() {
        Fnv64 text;
        text.add(literal);
        for (const Cell& cell : cells) text.add(std::string_view("\0", 1)), text.add(cell.literal);
        hash = text.finished();
    }
};

struct Templates {
    std::vector<TokenTemplate> list;
    std::vector<std::vector<Form>> forms;  // of each column that they ask for
    bool named_edges = true;               // cells beyond the sentence hold _B-1, _B+1, …; else they make no feature,
                                           // and the first token has __BOS__, the last __EOS__

    std::size_t most_features() const { return list.size() + 2; }
};

// ---- the strings of a column
// -----------------------------------------------------------------------------------------

// 0 says that there is no such form.
inline std::uint64_t cell_hash(std::string_view text) {
    const std::uint64_t hash = hash64(text);
    return hash == 0 ? 1 : hash;
}

class ColumnOfStrings {
    const std::vector<Form>* forms_;
    std::vector<std::uint32_t> ids_;  // of each token
    std::vector<std::string_view> strings_;
    std::vector<std::uint64_t> hashes_;  // of each string, by form
    std::vector<std::uint64_t> edges_;   // of what lies before the first token, nearest first, and after the last

  public:
    ColumnOfStrings(const std::vector<std::string_view>& tokens, const std::vector<Form>& forms, bool named_edges)
        : forms_(&forms) {
        intern(tokens);
        hashes_.reserve(strings_.size() * forms.size());
        Former former;
        std::string made;
        for (const std::string_view text : strings_)
            for (const Form& form : forms) hashes_.push_back(former.make(form, text, made) ? cell_hash(made) : 0);
        for (int away = -kReach; away <= kReach; ++away)
            edges_.insert(edges_.end(), forms.size(), named_edges ? cell_hash(edge(away)) : 0);
    }

    // How CRF++ names what lies so far beyond the sentence: -1 is next to its first token, 1 to its last.
    static std::string edge(int away) { return (away < 0 ? "_B" : "_B+") + std::to_string(away); }

    const std::uint64_t* hashes(std::size_t token) const { return hashes_.data() + ids_[token] * forms_->size(); }
    const std::uint64_t* edge_hashes(int away) const {
        return edges_.data() + static_cast<std::size_t>(away + kReach) * forms_->size();
    }
    std::string_view operator[](std::size_t token) const { return strings_[ids_[token]]; }

  private:
    void intern(const std::vector<std::string_view>& tokens) {
        struct Slot {
            std::uint64_t hash;
            std::uint32_t number;  // one more than the string's; 0: free
        };
        std::vector<Slot> slots(std::bit_ceil(std::min<std::size_t>(2 * tokens.size() + 1, 1024)));
        const auto place_of = [&](std::uint64_t hash, auto is_same) {
            std::size_t place = hash & (slots.size() - 1);
            while (slots[place].number != 0 && !(slots[place].hash == hash && is_same(slots[place].number - 1)))
                place = (place + 1) & (slots.size() - 1);
            return place;
        };
        ids_.reserve(tokens.size());
        for (const std::string_view text : tokens) {
            const std::uint64_t hash = hash64(text);
            Slot& slot = slots[place_of(hash, [&](std::uint32_t i) { return strings_[i] == text; })];
            if (slot.number == 0) {
                strings_.push_back(text);
                slot = {hash, static_cast<std::uint32_t>(strings_.size())};
            }
            ids_.push_back(slot.number - 1);
            if (2 * strings_.size() <= slots.size()) continue;
            std::vector<Slot> before(4 * slots.size());
            before.swap(slots);
            for (const Slot& old : before)
                if (old.number != 0) slots[place_of(old.hash, [](std::uint32_t) { return false; })] = old;
        }
    }
};

// ---- rows
// ------------------------------------------------------------------------------------------------------------

// Columns of one token in ascending order, each once; returns how many. Few of them are put in place by counting, for
// each, how many are smaller: no branch depends on them.
ROSENBLATT_CLONES inline std::size_t sort_columns(std::int32_t* columns, std::size_t n, std::int32_t* sorted) {
    constexpr std::size_t few = 96;
    if (n > few) {
        std::copy_n(columns, n, sorted);
        std::sort(sorted, sorted + n);
    } else {
        std::uint32_t total = 0;
        std::fill_n(sorted, n, -1);
        for (std::size_t i = 0; i < n; ++i) {
            std::uint32_t rank = 0;
            for (std::size_t j = 0; j < n; ++j) rank += columns[j] < columns[i];
            sorted[rank] = columns[i];
            total += rank;
        }
        if (total == n * (n - 1) / 2) return n;  // all different: no place was left out
        n = static_cast<std::size_t>(std::remove(sorted, sorted + n, -1) - sorted);
    }
    return static_cast<std::size_t>(std::unique(sorted, sorted + n) - sorted);
}

// The features of all tokens, sentence by sentence.
class TokenReader {
    // Of the cells of all templates, one after the other: what the innermost loop reads.
    struct Place {
        std::uint32_t column, row, form;  // the row from kReach tokens before the one at hand
    };
    const Templates& templates_;
    std::vector<ColumnOfStrings> columns_;
    std::vector<Place> places_;
    std::vector<std::pair<std::uint64_t, std::size_t>>
        hashes_;                                             // of the text of each template, and its last cell's end
    std::vector<std::vector<const std::uint64_t*>> around_;  // of each column, the hashes of the tokens of a
                                                             // sentence, kReach places beyond either end included
    std::size_t first_ = 0, size_ = 0;                       // of the sentence

  public:
    TokenReader(const Templates& templates, const std::vector<std::vector<std::string_view>>& columns)
        : templates_(templates), around_(columns.size()) {
        columns_.reserve(columns.size());
        for (std::size_t c = 0; c < columns.size(); ++c)
            columns_.emplace_back(columns[c], templates.forms[c], templates.named_edges);
        for (const TokenTemplate& one : templates.list) {
            for (const Cell& cell : one.cells)
                places_.push_back({static_cast<std::uint32_t>(cell.column),
                                   static_cast<std::uint32_t>(kReach + cell.row),
                                   static_cast<std::uint32_t>(cell.form)});
            hashes_.emplace_back(one.hash, places_.size());
        }
    }

    void begin(std::size_t first, std::size_t last) {
        first_ = first, size_ = last - first;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            auto& around = around_[c];
            around.clear();
            for (int away = -kReach; away < 0; ++away) around.push_back(columns_[c].edge_hashes(away));
            for (std::size_t token = first; token < last; ++token) around.push_back(columns_[c].hashes(token));
            for (int away = 1; away <= kReach; ++away) around.push_back(columns_[c].edge_hashes(away));
        }
    }

    // f(hash, number of the template) for each feature of a token of the sentence; __BOS__ and __EOS__ have the
    // numbers after the templates'.
    template <class F>
    void each(std::size_t token, F&& f) const {
        const Place* place = places_.data();
        for (std::size_t k = 0; k < hashes_.size(); ++k) {
            auto [hash, end] = hashes_[k];
            bool is_there = true;
            for (const Place* const last = places_.data() + end; place < last; ++place) {
                const std::uint64_t next = around_[place->column][token + place->row][place->form];
                is_there = is_there && next != 0;
                hash = joined64(hash, next);
            }
            if (is_there) f(hash, k);
        }
        if (templates_.named_edges) return;
        static const std::uint64_t begins = hash64("__BOS__"), ends = hash64("__EOS__");
        if (token == 0) f(begins, hashes_.size());
        if (token + 1 == size_) f(ends, hashes_.size() + 1);
    }

    // The readable name of a feature that each() gave.
    std::string name(std::size_t token, std::size_t number) const {
        if (number >= templates_.list.size()) return number == templates_.list.size() ? "__BOS__" : "__EOS__";
        const TokenTemplate& one = templates_.list[number];
        std::string name = one.literal, made;
        Former former;
        for (const Cell& cell : one.cells) {
            const auto at = static_cast<std::int64_t>(token) + cell.row, size = static_cast<std::int64_t>(size_);
            if (at < 0 || at >= size) {
                name += ColumnOfStrings::edge(static_cast<int>(at < 0 ? at : at - size + 1));
            } else {
                const Form& form = templates_.forms[cell.column][cell.form];
                former.make(form, columns_[cell.column][first_ + static_cast<std::size_t>(at)], made);
                name += made;
            }
            name += cell.literal;
        }
        return name;
    }
};

// Rows of tokens: where each begins, and its columns.
struct TokenRows {
    Memory<std::int64_t> starts;
    Memory<std::int32_t> columns;
    std::size_t n_tokens = 0, size = 0;
};

inline void read_token_rows(TokenReader& reader, const Templates& templates, const std::int64_t* starts,
                            std::size_t n_sentences, unsigned bits, TokenRows& rows) {
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    const std::size_t most = templates.most_features();
    std::vector<std::int32_t> found(most);
    const auto n_tokens = static_cast<std::size_t>(starts[n_sentences]);
    rows.starts.resize(n_tokens + 1);
    rows.columns.reserve(std::min<std::size_t>(n_tokens, 4096) * most);
    rows.starts[0] = 0;
    for (std::size_t s = 0; s < n_sentences; ++s) {
        const auto first = static_cast<std::size_t>(starts[s]), last = static_cast<std::size_t>(starts[s + 1]);
        reader.begin(first, last);
        rows.columns.reserve(rows.size + (last - first) * most);
        for (std::size_t token = 0; token < last - first; ++token) {
            std::size_t n = 0;
            reader.each(token,
                        [&](std::uint64_t hash, std::size_t) { found[n++] = static_cast<std::int32_t>(hash & mask); });
            rows.size += sort_columns(found.data(), n, rows.columns.data() + rows.size);
            rows.starts[++rows.n_tokens] = static_cast<std::int64_t>(rows.size);
        }
    }
    rows.columns.resize(rows.size);
}

// ---- names
// -----------------------------------------------------------------------------------------------------------

// A set of hashes: each at its low bits or in the next free places after them.
class HashSet {
    std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(1 << 12);  // 0 is free
    std::size_t size_ = 0;

  public:
    // Whether it was not there before.
    bool add(std::uint64_t hash) {
        hash = hash == 0 ? 1 : hash;
        const std::uint64_t mask = slots_.size() - 1;
        std::uint64_t at = hash & mask;
        while (slots_[at] != 0 && slots_[at] != hash) at = (at + 1) & mask;
        if (slots_[at] == hash) return false;
        slots_[at] = hash;
        if (2 * ++size_ > slots_.size()) enlarge();
        return true;
    }

  private:
    void enlarge() {
        std::vector<std::uint64_t> before(4 * slots_.size());
        before.swap(slots_);
        size_ = 0;
        for (const std::uint64_t hash : before)
            if (hash != 0) add(hash);
    }
};

// Features that were not met before, in the order they come: their names, one after the other, and hashes.
struct NewNames {
    std::string text;
    std::vector<std::int64_t> starts{0};
    std::vector<std::uint64_t> hashes;
    bool complete = true;
};

inline void gather_names(TokenReader& reader, const std::int64_t* starts, std::size_t n_sentences, HashSet& known,
                         std::size_t limit, NewNames& found) {
    for (std::size_t s = 0; s < n_sentences && found.complete; ++s) {
        const auto first = static_cast<std::size_t>(starts[s]), last = static_cast<std::size_t>(starts[s + 1]);
        reader.begin(first, last);
        for (std::size_t token = 0; token < last - first; ++token) {
            reader.each(token, [&](std::uint64_t hash, std::size_t number) {
                if (!known.add(hash)) return;
                found.complete = found.complete && found.hashes.size() < limit;
                if (!found.complete) return;
                found.text += reader.name(token, number);
                found.starts.push_back(static_cast<std::int64_t>(found.text.size()));
                found.hashes.push_back(hash);
            });
        }
    }
}

}  // namespace rosenblatt
