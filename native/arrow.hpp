// Text columns that come through Arrow's C data interface: their bytes where they lie, nothing copied.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

extern "C" {
// https://arrow.apache.org/docs/format/CDataInterface.html
struct ArrowSchema {
    const char *format, *name, *metadata;
    std::int64_t flags, n_children;
    ArrowSchema **children, *dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};
struct ArrowArray {
    std::int64_t length, null_count, offset, n_buffers, n_children;
    const void** buffers;
    ArrowArray **children, *dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
    int (*get_next)(ArrowArrayStream*, ArrowArray*);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};
}

namespace rosenblatt::arrow {

// A missing document.
struct Missing : std::runtime_error {
    std::size_t row;
    explicit Missing(std::size_t row) : std::runtime_error("missing"), row(row) {}
};

// A struct of the interface that is released at its end.
template <class S>
class Owned {
  public:
    S it{};
    Owned() = default;
    explicit Owned(S& from) : it(from) { from.release = nullptr; }  // moved, as the interface has it
    Owned(Owned&& other) noexcept : it(other.it) { other.it.release = nullptr; }
    Owned& operator=(Owned&&) = delete;
    ~Owned() {
        if (it.release) it.release(&it);
    }
};

inline bool is_valid(const ArrowArray& a, std::int64_t i) {
    const auto* bits = static_cast<const std::uint8_t*>(a.n_buffers > 0 ? a.buffers[0] : nullptr);
    return a.null_count == 0 || !bits || (bits[i / 8] >> (i % 8) & 1);
}

template <class Offset>
std::string_view text_at(const ArrowArray& a, std::int64_t i) {
    const auto* offsets = static_cast<const Offset*>(a.buffers[1]);
    if (offsets[i + 1] < offsets[i]) throw std::invalid_argument("the Arrow column has offsets that fall");
    const auto size = static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
    return size == 0 ? std::string_view() : std::string_view(static_cast<const char*>(a.buffers[2]) + offsets[i], size);
}

inline std::string_view view_at(const ArrowArray& a, std::int64_t i) {
    const char* const view = static_cast<const char*>(a.buffers[1]) + 16 * i;
    std::int32_t size, buffer, offset;
    std::memcpy(&size, view, 4);
    std::memcpy(&buffer, view + 8, 4);
    std::memcpy(&offset, view + 12, 4);
    if (size <= 12) return {view + 4, static_cast<std::size_t>(size)};
    return {static_cast<const char*>(a.buffers[2 + buffer]) + offset, static_cast<std::size_t>(size)};
}

using TextAt = std::string_view (*)(const ArrowArray&, std::int64_t);

inline TextAt reader_of(std::string_view format) {
    if (format == "u" || format == "z") return text_at<std::int32_t>;
    if (format == "U" || format == "Z") return text_at<std::int64_t>;
    if (format == "vu" || format == "vz") return view_at;
    return nullptr;
}

template <class I>
std::int64_t index_at(const ArrowArray& a, std::int64_t i) {
    return static_cast<std::int64_t>(static_cast<const I*>(a.buffers[1])[i]);
}

inline std::int64_t (*index_reader(std::string_view format))(const ArrowArray&, std::int64_t) {
    if (format.size() != 1) return nullptr;
    switch (format[0]) {
        case 'c':
            return index_at<std::int8_t>;
        case 'C':
            return index_at<std::uint8_t>;
        case 's':
            return index_at<std::int16_t>;
        case 'S':
            return index_at<std::uint16_t>;
        case 'i':
            return index_at<std::int32_t>;
        case 'I':
            return index_at<std::uint32_t>;
        case 'l':
            return index_at<std::int64_t>;
        case 'L':
            return index_at<std::uint64_t>;
        default:
            return nullptr;
    }
}

// Append the documents of an array: views into it, for as long as it lives.
inline void read(const ArrowSchema& schema, const ArrowArray& a, std::vector<std::string_view>& out) {
    const bool is_dictionary = schema.dictionary != nullptr;
    const std::string_view format = is_dictionary ? schema.dictionary->format : schema.format;
    const TextAt text = reader_of(format);
    const auto index = is_dictionary ? index_reader(schema.format) : nullptr;
    if (format == "n") {  // of the type null: all are missing
        if (a.length > 0) throw Missing(out.size());
        return;
    }
    if (!text || (is_dictionary && !index))
        throw std::invalid_argument("the column is of the Arrow type \"" + std::string(format) +
                                    "\", which is not text; give a column of strings");
    for (std::int64_t i = a.offset; i < a.offset + a.length; ++i) {
        if (!is_valid(a, i)) throw Missing(out.size());
        if (!is_dictionary) {
            out.push_back(text(a, i));
            continue;
        }
        const ArrowArray& words = *a.dictionary;
        const std::int64_t k = index(a, i);
        if (k < 0 || k >= words.length)
            throw std::invalid_argument("the Arrow column has an index beyond its dictionary");
        if (!is_valid(words, words.offset + k)) throw Missing(out.size());
        out.push_back(text(words, words.offset + k));
    }
}

// A column of strings that others hold: where each begins and the last one ends, and their bytes.
struct Strings {
    const void* buffers[3];

    Strings(const std::int32_t* starts, const char* text) : buffers{nullptr, starts, text} {}
    virtual ~Strings() = default;

    // Both structs as the interface has them; the array owns this column from then on.
    void give(std::int64_t n_rows, ArrowSchema& schema, ArrowArray& array) {
        schema = ArrowSchema{};
        schema.format = "u";
        schema.name = "";
        schema.release = [](ArrowSchema* it) { it->release = nullptr; };
        array = ArrowArray{};
        array.length = n_rows;
        array.n_buffers = 3;
        array.buffers = buffers;
        array.private_data = this;
        array.release = [](ArrowArray* it) {
            delete static_cast<Strings*>(it->private_data);
            it->release = nullptr;
        };
    }
};

}  // namespace rosenblatt::arrow
