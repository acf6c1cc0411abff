#pragma once
// What writes the columns of a row: one filler per kind of column, a file each.
//
// A filler comes in two halves. Its FillPlan is made once, when the loader is planned; it is immutable, owned
// by the Plan and shared by all workers. It says which columns of a batch it fills (one or several, of one or
// several fields) and what their rows are, and makes a Filler for each worker: the half with that worker's
// decoders and memory. For every run of rows the worker calls
//
//   begin(run)   fill(task) for each row, once   end(run)
//
// and fill() writes the row in all of the filler's columns: it reads the fields that it needs with read(),
// asks for memory with room(), and returns the first error, which makes the row a bad one. fill() may be
// called again for the same row and another sample (on_error = replace): what it wrote before is void. What
// it allocates it keeps: in the steady state a row costs no allocation.
//
// Time is told, not computed: counters().enter(stage, sample) ends one stage and begins the next. read()
// enters WorkStage::read and then the stage that the filler names; whoever decodes enters decode, then
// transform.
//
// To add one: derive both classes in a file of their own, and make the plan in plan/field_fills.cpp, where
// fields are handed out.

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/buffer_pool.hpp"
#include "core/rng.hpp"
#include "formats/field_value.hpp"
#include "formats/sample_table.hpp"
#include "penstock/array_spec.hpp"
#include "penstock/options.hpp"
#include "penstock/result.hpp"
#include "penstock/transform.hpp"
#include "pipeline/fill/batch_storage.hpp"
#include "pipeline/fill/counters.hpp"
#include "pipeline/order/epoch_order.hpp"
#include "pipeline/order/row_part.hpp"

namespace penstock::inline v0 {

class ForeignStage;

/// What a column is in the plane of an image.
enum class PlaneRole : std::uint8_t { none, mask, boxes, box_labels, points, point_visibility };

/// A column of every batch, decided once.
struct ColumnPlan {
  FieldInfo info;
  ArraySpec spec;                        ///< of each row; kAnyExtent: rows have memory of their own
  std::optional<MemoryFormat> format{};  ///< of images
  int rate = 0;                          ///< of audio
  bool has_lengths = false;              ///< of audio
  bool padded = false;                   ///< Column::padded
  bool shares_memory = false;            ///< rows of their own memory that share one piece in each run
  PlaneRole role = PlaneRole::none;
  BoxFormat boxes = BoxFormat::xyxy;  ///< Column::boxes

  std::size_t row_bytes() const noexcept { return spec.fixed() ? spec.bytes() : 0; }
};

/// The operations for a field.
struct FieldList {
  std::vector<TransformPtr> operations;
  std::string name;        ///< of what they draw, as users see it
  std::uint64_t room = 0;  ///< of their draws
};

/// A run of rows of one batch: rows [first, first + count); row r stands at place_of(r).
struct RowRun {
  BatchStorage* storage = nullptr;
  const EpochOrder* order = nullptr;
  std::uint64_t first_place = 0;
  std::uint64_t stride = 1;  ///< StepSlice::stride
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  std::uint64_t place_of(std::size_t row) const noexcept { return first_place + row * stride; }
};

/// One row, and what it is to be made of.
struct RowTask {
  BatchStorage& storage;
  std::size_t row = 0;
  std::span<const RowPart> parts;
  std::uint64_t sample = 0;  ///< of the first part, as batches number samples
  RandomKey base;            ///< of all draws for the row: by_place has its sample, else each part
  bool by_place = false;     ///< EpochOrder::repeats()

  /// Of the draws for a part of the row.
  RandomKey key(std::size_t number = 0) const noexcept {
    RandomKey own = base;
    if (by_place) {
      own.part = part_address(0, static_cast<std::uint32_t>(number));
    } else {
      own.sample = parts[number].sample;
      own.part = part_address(parts[number].table, parts[number].part);
    }
    return own;
  }
  BatchPlace place() const noexcept {
    RandomKey of_batch = base;
    of_batch.sample -= row;
    return {.key = of_batch, .row = row, .rows = storage.rows};
  }
};

/// What a worker has for all of its fillers. Outlives them.
struct FillerTools {
  std::span<const RowTable> tables;  ///< that RowPart::table counts
  const LoaderOptions& options;
  BufferPool& pool;
  WorkerCounters& counters;
};

/// An unexpected exception as the error of a row.
Error from_exception(const char* problem);

/// One per worker. Not thread-safe.
class Filler {
 public:
  /// `first_column`: the place in the batch of the first column of its plan; the others follow.
  Filler(const FillerTools& tools, std::size_t first_column) : tools_(tools), first_column_(first_column) {}
  virtual ~Filler() = default;
  Filler(const Filler&) = delete;
  Filler& operator=(const Filler&) = delete;

  /// `rows`: what each row of the run is made of.
  virtual void begin(const RowRun& /*run*/, std::span<const RowParts> /*rows*/) {}
  virtual Status fill(const RowTask& task) = 0;
  virtual void end(const RowRun& /*run*/) {}

 protected:
  const SampleTable& table_of(const RowPart& part) const noexcept { return *tools_.tables[part.table].table; }
  /// The part's sample, as batches and errors number samples.
  std::uint64_t sample_of(const RowPart& part) const noexcept {
    return tools_.tables[part.table].first + part.sample;
  }
  const LoaderOptions& options() const noexcept { return tools_.options; }
  BufferPool& pool() const noexcept { return tools_.pool; }
  WorkerCounters& counters() const noexcept { return tools_.counters; }
  /// The batch's column for the filler's own number of it.
  Column& column_of(BatchStorage& storage, std::size_t column = 0) const noexcept {
    return storage.columns[first_column_ + column];
  }

  /// Hands the field's value to `use`, a function of a StoredValue that returns a Status and is called in the
  /// stage `then`; as use_value() does, perhaps twice. Errors and exceptions get the field's place. Calls for
  /// different fields may stand inside each other.
  template <class Use>
  Status read(const RowPart& part, std::size_t field, WorkStage then, Use&& use);

  /// Memory for what the row holds in a column of the filler, an array of this shape: its place among the
  /// others where the column's shape is fixed, else a piece of its own, of which the column takes note.
  void* room(const RowTask& task, std::size_t column, const Extents& shape);
  /// A piece of its own for an array whose type is not that of the column.
  void* room(const RowTask& task, std::size_t column, const Extents& shape, Scalar type);
  /// Where what is drawn for the row is saved.
  std::vector<double>& drawn_for(const RowTask& task) const noexcept { return task.storage.drawn[task.row]; }
  /// Makes the memory of a row of its own that of a piece shared with others.
  void place(BatchStorage& storage, std::size_t column, std::size_t row, const Slab& piece,
             std::size_t offset, const Extents& shape);

 private:
  Slab& piece_of(BatchStorage& storage, std::size_t column, std::size_t row) const noexcept {
    return storage.row_memory[row * storage.columns.size() + first_column_ + column];
  }

  const FillerTools& tools_;
  const std::size_t first_column_;
  bool placed_ = false;  // an error of a read() inside another has its place
};

/// Immutable, but for what fillers take note of; shared by all workers.
class FillPlan {
 public:
  virtual ~FillPlan() = default;

  /// The columns that it fills, which stand in a batch in this order.
  virtual const std::vector<ColumnPlan>& columns() const noexcept = 0;
  /// The fields that it reads for every row.
  virtual std::span<const std::size_t> fields() const noexcept = 0;
  /// Whether its fillers use all parts of a row, or can have rows of one part only.
  virtual bool takes_several_parts() const noexcept { return false; }
  virtual std::unique_ptr<Filler> make_filler(const FillerTools& tools, std::size_t first_column) const = 0;
  /// For Loader::plan(): what a column's rows are, after its name: "float32 rows of 224x224"; and what runs
  /// on each, a line per pass.
  virtual std::string rows_in_words(std::size_t column) const = 0;
  virtual std::string work_in_words() const { return {}; }
  /// The lists for which its fillers draw: each row's numbers are saved to BatchStorage::drawn in this order.
  virtual DrawnLists drawn_lists() const { return {}; }
  /// The user's stages that it runs.
  virtual std::vector<ForeignStage*> foreign_stages() const { return {}; }
  /// What its fillers have met so far that the user should know, in a sentence; empty: nothing.
  virtual std::string remark() const { return {}; }
};
using FillPlanPtr = std::unique_ptr<const FillPlan>;

template <class Use>
Status Filler::read(const RowPart& part, std::size_t field, WorkStage then, Use&& use) {
  const SampleTable& table = table_of(part);
  const std::uint64_t sample = sample_of(part);
  counters().enter(WorkStage::read, sample);
  placed_ = false;
  Status used = use_value(table, part.sample, field, [&](const StoredValue& value) -> Status {
    counters().bytes.add(value.bytes.size());
    counters().enter(then, sample);
    try {
      return use(value);
    } catch (const std::bad_alloc&) {
      throw;  // no fault of the sample
    } catch (const std::exception& problem) {
      return from_exception(problem.what());
    }
  });
  if (used || placed_) {
    return used;
  }
  placed_ = true;
  Error error = at_sample(std::move(used).error(), table, part.sample, field);
  error.place.index = sample;
  return error;
}

}  // namespace penstock::inline v0
