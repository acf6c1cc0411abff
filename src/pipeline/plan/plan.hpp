#pragma once
// What a loader will do, decided once: which columns a batch has, where each row goes, what runs on it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "penstock/batch.hpp"
#include "penstock/dataset.hpp"
#include "penstock/loader.hpp"
#include "penstock/options.hpp"
#include "penstock/result.hpp"
#include "pipeline/foreign/foreign_chain.hpp"
#include "transforms/sound/sound_program.hpp"

namespace penstock {

class BatchStorage;

struct ColumnPlan {
  std::size_t field = 0;  ///< in the sample table
  FieldInfo info;
  Column::Shape shape = Column::Shape::integers;
  std::optional<PictureChain> chain;  ///< of pictures, and of the arrays that users' stages make of them
  std::optional<SoundProgram> sound;  ///< sounds and sound_list
  std::optional<ArraySpec> array;     ///< of arrays that the source holds
  std::size_t row_bytes = 0;          ///< in the fixed memory; 0 for what varies

  /// What the rows of pictures and arrays are.
  ArraySpec output() const { return chain ? chain->output() : array.value_or(ArraySpec{}); }
};

/// Immutable after make(); shared by the planner and all workers.
class Plan {
 public:
  static Result<Plan> make(const Dataset& dataset, const FieldTransforms& transforms,
                           const LoaderOptions& options);

  const std::vector<ColumnPlan>& columns() const noexcept { return columns_; }
  /// The field whose stored bytes are delivered, with decode = false.
  const std::optional<std::size_t>& raw_field() const noexcept { return raw_field_; }
  MemoryFormat memory_format() const noexcept { return memory_format_; }

  /// Bytes of fixed memory for a batch of that many rows.
  std::size_t fixed_bytes(std::size_t rows) const noexcept;
  /// Whether rows hold something whose size is not known beforehand, and how much of it a batch has.
  bool varies() const noexcept;
  std::size_t varying_bytes(const BatchStorage& storage) const noexcept;
  /// Points columns, index and raw arrays of a storage into `memory`, laid out for `capacity` rows.
  void lay_out(std::uint8_t* memory, std::size_t capacity, std::vector<Column>& columns, std::int64_t*& index,
               RawBytes& raw) const;

  /// Rows per work item for a batch of that many rows.
  std::size_t rows_per_item(std::size_t batch_rows, int workers) const noexcept;

  /// Whether a user's stages are part of it.
  bool has_foreign() const noexcept;
  /// Makes the user's stages ready for that many workers.
  Status start_stages(int workers) const;
  void stop_stages() const noexcept;

  std::string describe() const;

 private:
  std::vector<ColumnPlan> columns_;
  std::optional<std::size_t> raw_field_;
  std::string raw_name_;
  MemoryFormat memory_format_ = MemoryFormat::channels_first;
};

}  // namespace penstock
