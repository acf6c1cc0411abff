#pragma once
// What the rows of an epoch are made of, before anything orders them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipeline/order/joined_table.hpp"
#include "pipeline/order/row_part.hpp"

namespace penstock::inline v0 {

/// Numbers rows, and says of which parts of which samples each is made: one sample each, clips of samples,
/// samples packed together, mixtures of tables. Samplers, shuffles, ranks and states see the numbers alone.
/// A pure function: immutable, any thread may call it.
class RowPlan {
 public:
  virtual ~RowPlan() = default;

  virtual std::uint64_t rows() const noexcept = 0;
  /// Of any row: a filler that can use only one refuses a plan with more.
  virtual std::size_t max_parts() const noexcept = 0;
  /// The parts of a row in an epoch, at least one; `seed` is the order's, which may be drawn after the plan
  /// was made, or come with a state. Allocates nothing once `parts` has the room. Where they differ from
  /// epoch to epoch, those of epoch 0 decide how rows are sorted by length and dealt to shards.
  virtual void parts(std::uint64_t seed, std::uint64_t epoch, std::uint64_t row, RowParts& parts) const = 0;
  /// Whether the same part of the same sample may be in several rows, or twice in one: draws are then keyed
  /// by place.
  virtual bool repeats() const noexcept = 0;
  /// Whether row after row reads the table from its beginning to its end.
  virtual bool in_order() const noexcept = 0;
  /// What the rows are, in a few words that other rows of the same tables do not have: states keep them.
  /// Empty if each is a sample.
  virtual std::string describe() const = 0;

  /// The first row of each shard as SampleTable::shard_starts() has it; `tables` are what RowPart::table
  /// counts. Here: of every run of rows that begin in one shard.
  virtual std::vector<std::uint64_t> shard_starts(std::uint64_t seed, std::span<const RowTable> tables) const;
};
using RowPlanPtr = std::shared_ptr<const RowPlan>;

/// One sample of the one table per row, in the order of their numbers.
RowPlanPtr sample_per_row(std::uint64_t samples);

}  // namespace penstock::inline v0
