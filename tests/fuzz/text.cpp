// Any bytes through the readers and encoders of text: every n-gram lies in memory that is ours, is UTF-8 and has the
// hash it is said to have, and words are those that a plain reader finds.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../../native/encode.hpp"
#include "../../native/gather.hpp"

using namespace rosenblatt;

namespace {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
}

// A lexicon and its memory.
struct Words {
    std::string bytes;
    std::vector<std::int64_t> starts{0};
    std::vector<std::uint64_t> slots;
    Lexicon lexicon;
    explicit Words(std::initializer_list<const char*> words) {
        for (const char* word : words) bytes += word, starts.push_back(static_cast<std::int64_t>(bytes.size()));
        slots.assign(slots_for(words.size()), 0);
        lexicon = {bytes.data(), starts.data(), slots.data(), slots.size() - 1,
                   static_cast<std::int64_t>(words.size())};
        fill_slots(lexicon, slots.data());
    }
};

std::vector<std::string> read_by(Reader& reader, std::string_view document) {
    std::vector<std::string> grams;
    const std::size_t most = reader.count();
    reader.each([&](std::string_view gram, std::uint32_t hash) {
        require(hash == ngram_hash(gram), "a hash is not that of its n-gram");
        const auto* p = reinterpret_cast<const unicode::Byte*>(gram.data());
        for (const auto* const end = p + gram.size(); p < end;) {
            const unicode::Decoded found = unicode::decode(p, end);
            require(found.valid, "an n-gram is no UTF-8");
            p += found.length;
        }
        grams.emplace_back(gram);
    });
    require(grams.size() <= most, "more n-grams than were counted");
    require(reader.fault <= document.size(), "a fault outside");
    return grams;
}

// Single words as they stand, one code point after the other.
std::vector<std::string> plain_words(std::string_view document, std::size_t min_length) {
    std::vector<std::string> words;
    std::string word;
    std::size_t length = 0;
    const auto* p = reinterpret_cast<const unicode::Byte*>(document.data());
    const auto* const end = p + document.size();
    for (bool more = true; more;) {
        more = p < end;
        const unicode::Decoded found = more ? unicode::decode(p, end) : unicode::Decoded{' ', 0, true};
        if (unicode::is_word(found.code)) {
            word.append(reinterpret_cast<const char*>(p), static_cast<std::size_t>(found.length));
            ++length;
        } else {
            if (length >= min_length) words.push_back(word);
            word.clear(), length = 0;
        }
        p += found.length;
    }
    return words;
}

void try_analysis(std::string_view document, const Analysis& strict) {
    Analysis lenient = strict;
    lenient.replace = true;
    Reader reader(strict), other(lenient);
    const bool fine = reader.read(document);
    require(other.read(document), "bytes that are replaced are refused");
    const std::vector<std::string> replaced = read_by(other, document);
    if (fine) require(read_by(reader, document) == replaced, "text that is UTF-8 is read in two ways");
    const bool single = strict.unit == Unit::word && strict.max_n == 1 && !strict.stop_words.size;
    if (fine && single && !strict.lowercase)
        require(plain_words(document, strict.min_length) == replaced, "words are not those of a plain reader");
}

void try_encoders(const std::string& text, const Analysis& analysis) {
    std::vector<std::string> copies;  // each without anything behind it
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        copies.push_back(text.substr(begin, end - begin));
        copies.back().shrink_to_fit();
        begin = end + 1;
    }
    const Documents documents(copies.begin(), copies.end());
    const auto column = [](std::string_view, std::uint32_t hash) { return std::int64_t{hash & 31}; };
    const auto weighting = static_cast<Weighting>(analysis.unit);  // each once
    const std::vector<Analysis> analyses{analysis};
    const Encoding how{5, weighting, true, 1};
    Entries<float> rows(documents.size(), 1), hashed(documents.size(), 1);
    if (encode(documents, analyses, how, column, rows)) return;
    require(!encode(documents, analyses, how, HashedColumn{31}, hashed), "what is encoded is not hashed");
    require(rows.starts == hashed.starts &&
                std::equal(rows.columns.data(), rows.columns.data() + rows.size, hashed.columns.data()) &&
                std::equal(rows.values.data(), rows.values.data() + rows.size, hashed.values.data()),
            "hashes by length are not those of the n-grams");
    for (std::size_t i = 0; i + 1 < rows.starts.size(); ++i)
        for (auto k = rows.starts[i]; k < rows.starts[i + 1]; ++k) {
            const auto at = static_cast<std::size_t>(k);
            require(rows.values[at] > 0 && rows.values[at] <= 1.0001f, "a value outside");
            require(k == rows.starts[i] || rows.columns[at - 1] < rows.columns[at], "columns do not rise");
        }
    Gathered found;
    require(!gather(documents, analysis, {}, 1, found), "what is encoded is not gathered");
}

}  // namespace

void try_text(const char* bytes, std::size_t size) {
    static const Words stop({"a", "bad", "1"}), negations({"not", "no"});
    const std::string_view document(bytes, size);
    for (const Unit unit : {Unit::word, Unit::character, Unit::character_in_word})
        for (const bool lowercase : {false, true}) {
            Analysis how;
            how.unit = unit, how.lowercase = lowercase;
            try_analysis(document, how);
            how.min_n = 2, how.max_n = 3, how.min_length = 1;
            if (unit == Unit::word) {
                how.symbols = true;
                try_encoders(std::string(document), how);
                how.symbols = false;
            }
            if (unit == Unit::word) how.stop_words = stop.lexicon, how.negations = negations.lexicon;
            try_analysis(document, how);
            how.replace = true;
            try_encoders(std::string(document), how);
        }
}
