// A plain driver for compilers without libFuzzer: files of a corpus, then random changes of them for some seconds.
// Usage: fuzz SECONDS SEED FILE...   (SECONDS 0: the files alone)
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::string last;  // what is being tried, written out should it fail

void keep_last() {
    std::ofstream("fuzz-failure", std::ios::binary) << last;
    std::fprintf(stderr, "the input was written to ./fuzz-failure\n");
}

void try_one(const std::string& input) {
    last = input;
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::string changed(std::string text, const std::vector<std::string>& corpus, std::mt19937_64& random) {
    static const std::string pieces[] = {"0",
                                         "1",
                                         ":",
                                         " ",
                                         "\n",
                                         "\r",
                                         "\t",
                                         "#",
                                         "|",
                                         "'",
                                         "\"",
                                         ",",
                                         "-",
                                         "+",
                                         ".",
                                         "e",
                                         "e-",
                                         "E308",
                                         "nan",
                                         "inf",
                                         "qid:",
                                         "99999999999999999999",
                                         "18446744073709551616",
                                         "2147483648",
                                         "1e-400",
                                         "\xff",
                                         std::string(1, '\0'),
                                         "5e-324",
                                         "123456789.123456789",
                                         "0.1",
                                         "7:",
                                         "not ",
                                         "İ",
                                         "ς",
                                         "e\u0301",
                                         "\xe2\x82",
                                         "好",
                                         ":1 "};
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % (n ? n : 1)); };
    for (std::size_t k = 1 + below(6); k > 0; --k) {
        const std::size_t at = below(text.size() + 1);
        switch (below(6)) {
            case 0:
                text.insert(at, pieces[below(std::size(pieces))]);
                break;
            case 1:
                text.erase(at, 1 + below(4));
                break;
            case 2:
                if (at < text.size()) text[at] = static_cast<char>(random());
                break;
            case 3:
                text.insert(at, text.substr(below(text.size() + 1), below(24)));
                break;
            case 4:
                text.replace(at, below(8), pieces[below(std::size(pieces))]);
                break;
            default: {
                const std::string& other = corpus[below(corpus.size())];
                text.insert(at, other.substr(below(other.size() + 1), below(40)));
            }
        }
    }
    return text.substr(0, 4096);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return std::fprintf(stderr, "usage: fuzz SECONDS SEED FILE...\n"), 2;
    std::signal(SIGABRT, [](int) { keep_last(); });  // the sanitizers abort too, see the Makefile
    std::vector<std::string> corpus;
    for (int i = 3; i < argc; ++i) {
        std::ifstream file(argv[i], std::ios::binary);
        corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        try_one(corpus.back());
    }
    std::mt19937_64 random(std::strtoull(argv[2], nullptr, 10));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[1]));
    long tried = 0;
    for (; std::chrono::steady_clock::now() < end; ++tried)
        try_one(changed(corpus[random() % corpus.size()], corpus, random));
    std::printf("%zu files and %ld changes of them: nothing broke\n", corpus.size(), tried);
}
