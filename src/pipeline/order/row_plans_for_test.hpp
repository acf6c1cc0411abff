#pragma once
// Rows that are not a sample each, for tests: clips, mixtures, samples packed together.

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/index_shuffle.hpp"
#include "pipeline/order/row_plan.hpp"

namespace penstock::inline v0 {

/// Several parts of every sample, a row each.
class ClipRows final : public RowPlan {
 public:
  ClipRows(std::uint64_t samples, std::uint64_t clips) : samples_(samples), clips_(clips) {}

  std::uint64_t rows() const noexcept override { return samples_ * clips_; }
  std::size_t max_parts() const noexcept override { return 1; }
  void parts(std::uint64_t /*seed*/, std::uint64_t /*epoch*/, std::uint64_t row,
             RowParts& parts) const override {
    parts.assign(1, {.sample = row / clips_, .table = 0, .part = static_cast<std::uint32_t>(row % clips_)});
  }
  bool repeats() const noexcept override { return false; }
  bool in_order() const noexcept override { return true; }
  std::string describe() const override { return std::to_string(clips_) + " clips of each sample"; }

 private:
  std::uint64_t samples_;
  std::uint64_t clips_;
};

/// Two samples of the first table, then one of the second, until both have come whole; the shorter one begins
/// again.
class MixedRows final : public RowPlan {
 public:
  MixedRows(std::uint64_t first, std::uint64_t second) : sizes_{first, second} {}

  std::uint64_t rows() const noexcept override { return 3 * std::max((sizes_[0] + 1) / 2, sizes_[1]); }
  std::size_t max_parts() const noexcept override { return 1; }
  void parts(std::uint64_t /*seed*/, std::uint64_t /*epoch*/, std::uint64_t row,
             RowParts& parts) const override {
    const bool second = row % 3 == 2;
    const std::uint64_t number = second ? row / 3 : row / 3 * 2 + row % 3;
    parts.assign(1, {.sample = number % sizes_[second ? 1 : 0], .table = second ? 1u : 0u, .part = 0});
  }
  bool repeats() const noexcept override { return sizes_[0] != 2 * sizes_[1]; }
  bool in_order() const noexcept override { return false; }
  std::string describe() const override { return "2 of the first to 1 of the second"; }

 private:
  std::uint64_t sizes_[2];
};

/// Samples one after the other, so many in a row; the last row may have fewer. Epochs begin `shift` samples
/// after each other.
class PackedRows final : public RowPlan {
 public:
  PackedRows(std::uint64_t samples, std::uint64_t each, std::uint64_t shift = 0)
      : samples_(samples), each_(each), shift_(shift) {}

  std::uint64_t rows() const noexcept override { return (samples_ + each_ - 1) / each_; }
  std::size_t max_parts() const noexcept override { return static_cast<std::size_t>(each_); }
  void parts(std::uint64_t /*seed*/, std::uint64_t epoch, std::uint64_t row, RowParts& parts) const override {
    parts.clear();
    for (std::uint64_t i = row * each_; i < std::min(samples_, (row + 1) * each_); ++i) {
      parts.push_back({.sample = (i + epoch * shift_) % samples_, .table = 0, .part = 0});
    }
  }
  bool repeats() const noexcept override { return false; }
  bool in_order() const noexcept override { return true; }
  std::string describe() const override { return std::to_string(each_) + " samples in each"; }

 private:
  std::uint64_t samples_;
  std::uint64_t each_;
  std::uint64_t shift_;
};

/// Samples packed together, so many in a row, in an order that the seed decides.
class ShuffledPacking final : public RowPlan {
 public:
  ShuffledPacking(std::uint64_t samples, std::uint64_t each) : packed_(samples, each), samples_(samples) {}

  std::uint64_t rows() const noexcept override { return packed_.rows(); }
  std::size_t max_parts() const noexcept override { return packed_.max_parts(); }
  void parts(std::uint64_t seed, std::uint64_t epoch, std::uint64_t row, RowParts& parts) const override {
    packed_.parts(seed, epoch, row, parts);
    const IndexShuffle shuffle(samples_, seed, 0);
    for (RowPart& part : parts) {
      part.sample = shuffle.at(part.sample);
    }
  }
  bool repeats() const noexcept override { return false; }
  bool in_order() const noexcept override { return false; }
  std::string describe() const override { return packed_.describe() + ", shuffled"; }

 private:
  PackedRows packed_;
  std::uint64_t samples_;
};

}  // namespace penstock::inline v0
