// The sums of the averaged readout, kept by a second thread. The learner scores a row, moves the weights and goes on;
// it notes each weight as it was before, and the other thread, some rows behind, judges the readout on the row, takes
// the step once more and adds up the changes, in the same order: to the bit what the learner itself would have done.
// Weights and sums of many features lie far away, and so two cores wait for them in the time of one.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <system_error>
#include <thread>

#include "parallel.hpp"
#include "progressive.hpp"

namespace rosenblatt {

template <class Rows, class Model>
constexpr bool can_sum_behind = is_sparse<Rows> && requires(const Model& model) { model.judged; };

template <class Rows, class Model, class Examples>
class SumsBehind {
    static constexpr Index kRows = 32, kBatches = 8, kNoted = 1 << 14, kLongest = 1 << 20;
    static constexpr Index kEnded = Index{1} << 62;
    static constexpr int kLooks = 1000;  // some ten microseconds

    using Number = typename Rows::value_type;

    struct Batch {
        Index first = 0, count = 0, used = 0;  // rows, and weights that were noted
        double score[kRows];                   // of each row, when it was considered
        Number step[kRows];                    // 0: none was taken
        std::unique_ptr<Number[]> old;
    };

    const Rows& rows_;
    const Model& model_;
    const Examples& examples_;
    const Index visited_;  // before the first example
    std::unique_ptr<Batch[]> batches_;
    Batch* now_ = nullptr;
    std::atomic<Index> written_{0}, read_{0};  // batches; in the end kEnded is added to the former
    std::thread thread_;

  public:
    // Whether it pays: sums are kept, of many features, for many examples; and nothing else looks at a row's step.
    static bool pays(const Rows& rows, const Model& model, const Examples& examples) {
        return examples.n_threads > 1 && model.w.total && model.w.sink == model.w.bias && !examples.dual &&
               !examples.steps && examples.count - examples.first >= kRows && rows.n_features > Index{1} << 16;
    }

    ROSENBLATT_APART SumsBehind(const Rows& rows, const Model& model, const Examples& examples, Index visited)
        : rows_(rows), model_(model), examples_(examples), visited_(visited) {
        Index longest = 0;
        for (Index i = examples.first; i < examples.count; ++i)
            longest = std::max(longest, rows[examples.row(i)].n_entries);
        if (longest > kLongest) return;
        try {
            batches_ = std::make_unique<Batch[]>(kBatches);
            for (Index b = 0; b < kBatches; ++b)
                batches_[b].old = std::make_unique_for_overwrite<Number[]>(kNoted + longest + 1);
            thread_ = std::thread([this] { follow(); });
            now_ = &batches_[0];
        } catch (const std::system_error&) {  // no thread to be had: the learner does it itself
        } catch (const std::bad_alloc&) {
        }
    }
    SumsBehind(const SumsBehind&) = delete;

    explicit operator bool() const { return now_ != nullptr; }

    // The i-th example was considered.
    void note(Index i, double score) {
        if (now_->count == kRows || now_->used > kNoted) hand_over();
        if (now_->count == 0) now_->first = i;
        now_->score[now_->count] = score;
        now_->step[now_->count++] = 0;
    }
    // Where the n weights that its step moves are noted.
    Number* room_for(Number step, Index n) {
        now_->step[now_->count - 1] = step;
        now_->used += n;
        return now_->old.get() + (now_->used - n);
    }

    ROSENBLATT_APART ~SumsBehind() {
        if (!now_) return;
        written_ += (now_->count > 0) + kEnded;
        written_.notify_one();
        thread_.join();
    }

  private:
    // The number, once it is another: it is looked at for a moment first, as to be woken takes longer than most waits.
    static Index wait_for_other(const std::atomic<Index>& number, Index old) {
        for (int looks = 0; looks < kLooks; ++looks) {
            const Index now = number.load(std::memory_order_acquire);
            if (now != old) return now;
            pause();
        }
        number.wait(old, std::memory_order_acquire);
        return number.load(std::memory_order_acquire);
    }

    ROSENBLATT_APART void hand_over() {
        const Index written = written_.load(std::memory_order_relaxed) + 1;
        written_.store(written, std::memory_order_release);
        written_.notify_one();
        Index read = read_.load(std::memory_order_acquire);
        while (written - read >= kBatches) read = wait_for_other(read_, read);
        now_ = &batches_[written % kBatches];
        now_->count = now_->used = 0;
    }

    ROSENBLATT_APART void follow() {
        for (Index read = 0, written = 0;; ++read) {
            while (read == written) written = wait_for_other(written_, written);
            if (read == written % kEnded && written >= kEnded) return;
            take(batches_[read % kBatches]);
            read_.store(read + 1, std::memory_order_release);
            read_.notify_one();
        }
    }

    void take(const Batch& batch) const {
        const Number* old = batch.old.get();
        for (Index k = 0; k < batch.count; ++k) {
            const Index i = batch.first + k, row = examples_.row(i), n = visited_ + (i - examples_.first);
            const auto x = rows_[row];
            if (k + 1 < batch.count)
                rows_[examples_.row(i + 1)].ask_first([&](Index j) { prefetch_near(model_.w.total + 1 + j); });
            if (examples_.misread)
                *examples_.misread += is_misread(x, model_, &batch.score[k], examples_.target[row], n);
            if (batch.step[k] != 0) old = model_.w.add_noted(x, batch.step[k], old, n + 1);
        }
    }
};

}  // namespace rosenblatt
