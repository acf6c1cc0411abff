#pragma once
// What a loader will do, decided once: which columns a batch has, where each row goes, what runs on it.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "penstock/batch.hpp"
#include "penstock/dataset.hpp"
#include "penstock/loader.hpp"
#include "penstock/options.hpp"
#include "penstock/result.hpp"
#include "pipeline/fill/batch_storage.hpp"
#include "pipeline/fill/filler.hpp"
#include "pipeline/plan/field_fills.hpp"

namespace penstock::inline v0 {

/// Immutable after make(); shared by the planner and all workers.
class Plan {
 public:
  /// `invalid` also for rows of several parts where a filler can use only one.
  static Result<Plan> make(const Dataset& dataset, const FieldTransforms& transforms,
                           const std::vector<View>& views, const LoaderOptions& options,
                           const RowRecipe& rows);
  /// One whose columns these fill.
  static Plan of(std::vector<FillPlanPtr> fills, MemoryFormat format);

  /// What fills the columns, in their order.
  const std::vector<FillPlanPtr>& fills() const noexcept { return fills_; }
  const std::vector<ColumnPlan>& columns() const noexcept { return columns_; }
  /// The field whose stored bytes are delivered, with decode = false.
  const std::optional<std::size_t>& raw_field() const noexcept { return raw_field_; }
  MemoryFormat memory_format() const noexcept { return memory_format_; }

  /// Bytes of fixed memory for a batch of that many rows.
  std::size_t fixed_bytes(std::size_t rows) const noexcept;
  /// Whether rows hold something whose size is not known beforehand, and how much of it a batch has.
  bool varies() const noexcept;
  std::size_t varying_bytes(const BatchStorage& storage) const noexcept;
  /// Pieces of memory that a batch has for what varies, of that many rows in that many runs.
  std::size_t varying_pieces(std::size_t rows, std::size_t runs) const noexcept;
  /// Points columns, index and raw arrays of a storage into its fixed memory, laid out for `capacity` rows.
  void lay_out(BatchStorage& storage, std::size_t capacity) const;

  /// Rows per work item for a batch of that many rows.
  std::size_t rows_per_item(std::size_t batch_rows, int workers) const noexcept;

  /// Whether a user's stages are part of it.
  bool has_foreign() const noexcept;
  /// Makes the user's stages ready for that many workers.
  Status start_stages(int workers) const;
  void stop_stages() const noexcept;

  /// Runs the operations on the whole batch, when its last rows have been filled. Any thread.
  void finish_batch(BatchStorage& storage, std::uint64_t seed, std::uint64_t first_place,
                    BufferPool& pool) const noexcept;

  std::string describe() const;
  /// What fillers have met so far that the user should know: the name of a column, and a sentence.
  std::vector<std::pair<std::string, std::string>> remarks() const;

 private:
  /// What operations on a whole batch are given of it.
  BatchSlots slots_of(BatchStorage& storage) const;
  Status plan_batch_operations(const Dataset& dataset, std::vector<TransformPtr> operations);
  /// Whether the column behind these boxes has their labels.
  bool has_box_labels(std::size_t boxes) const noexcept;
  Status check_parts(const RowPlan& rows) const;
  void add(FillPlanPtr fill);

  std::vector<FillPlanPtr> fills_;
  std::vector<ColumnPlan> columns_;               // of all of them
  std::shared_ptr<const ListDraws> batch_draws_;  // null without operations on batches
  std::optional<std::size_t> mixed_images_;       // the columns that these mix
  std::optional<std::size_t> mixed_labels_;
  std::vector<std::size_t> mixed_masks_;
  std::vector<std::size_t> mixed_boxes_;     // that are moved, not mixed; their labels are in the next column
  std::shared_ptr<const DrawnLists> draws_;  // likewise
  std::optional<std::size_t> raw_field_;
  std::string raw_name_;
  MemoryFormat memory_format_ = MemoryFormat::channels_first;
};

}  // namespace penstock::inline v0
