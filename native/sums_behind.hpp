// The sums of the averaged readout, kept by a second thread. The learner scores a row, moves the weights and goes on;
// it puts down by how much each weight changed, and the other thread, some rows behind, judges the readout on the row
// and adds up the changes, in the same order: to the bit what the learner itself would have done. Weights and sums of
// many features lie far away, and so two cores wait for them in the time of one.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "progressive.hpp"

namespace rosenblatt {

template <class Rows, class Model>
constexpr bool can_sum_behind = is_sparse<Rows> && requires(const Model& model) { model.judged; };

template <class Rows, class Model, class Examples>
class SumsBehind {
    static constexpr Index kRows = 32, kBatches = 4, kChanges = 1 << 14, kLongest = 1 << 20;

    struct Batch {
        Index first = 0, count = 0, used = 0;  // rows, and changes of the weights
        double score[kRows];                   // of each row, when it was considered
        bool moves[kRows];
        std::unique_ptr<double[]> changes;
    };

    const Rows& rows_;
    const Model& model_;
    const Examples& examples_;
    const Index visited_;  // before the first example
    std::unique_ptr<Batch[]> batches_;
    Batch* now_ = nullptr;
    std::mutex mutex_;
    std::condition_variable turned_;
    Index written_ = 0, read_ = 0;
    bool ended_ = false;
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
                batches_[b].changes = std::make_unique_for_overwrite<double[]>(kChanges + longest + 1);
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
        if (now_->count == kRows || now_->used > kChanges) hand_over();
        if (now_->count == 0) now_->first = i;
        now_->score[now_->count] = score;
        now_->moves[now_->count++] = false;
    }
    // Where the changes of the weights by its step go, so many of them.
    double* changes(Index n) {
        now_->moves[now_->count - 1] = true;
        now_->used += n;
        return now_->changes.get() + (now_->used - n);
    }

    ROSENBLATT_APART ~SumsBehind() {
        if (!now_) return;
        {
            const std::lock_guard lock(mutex_);
            written_ += now_->count > 0;
            ended_ = true;
        }
        turned_.notify_all();
        thread_.join();
    }

  private:
    ROSENBLATT_APART void hand_over() {
        std::unique_lock lock(mutex_);
        ++written_;
        turned_.notify_all();
        turned_.wait(lock, [&] { return written_ - read_ < kBatches; });
        now_ = &batches_[written_ % kBatches];
        now_->count = now_->used = 0;
    }

    ROSENBLATT_APART void follow() {
        for (std::unique_lock lock(mutex_);; ++read_, turned_.notify_all()) {
            turned_.wait(lock, [&] { return read_ < written_ || ended_; });
            if (read_ == written_) return;
            lock.unlock();
            take(batches_[read_ % kBatches]);
            lock.lock();
        }
    }

    void take(const Batch& batch) const {
        const double* change = batch.changes.get();
        for (Index k = 0; k < batch.count; ++k) {
            const Index i = batch.first + k, row = examples_.row(i), n = visited_ + (i - examples_.first);
            const auto x = rows_[row];
            if (k + 1 < batch.count)
                rows_[examples_.row(i + 1)].ask_first([&](Index j) { prefetch_near(model_.w.total + 1 + j); });
            if (examples_.misread)
                *examples_.misread += is_misread(x, model_, &batch.score[k], examples_.target[row], n);
            if (batch.moves[k]) change = model_.w.add_changes(x, change, n + 1);
        }
    }
};

}  // namespace rosenblatt
