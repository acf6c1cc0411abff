// Operations on whole batches: which columns they change, and the running of them.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "formats/annotations.hpp"
#include "pipeline/plan/list_fields.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/plan/plan_parts.hpp"
#include "transforms/batch/batch_operation.hpp"
#include "transforms/coordinates.hpp"

namespace penstock::inline v0 {
namespace {

/// None for what only functions of the user make: numbers of 32 bits or more, other than float32.
std::optional<ElementType> element_type(Scalar type) {
  switch (type) {
    case Scalar::uint8:
      return ElementType::uint8;
    case Scalar::uint16:
      return ElementType::uint16;
    case Scalar::float16:
      return ElementType::float16;
    case Scalar::bfloat16:
      return ElementType::bfloat16;
    case Scalar::float32:
      return ElementType::float32;
    default:
      return std::nullopt;
  }
}

/// Arrays that a function made of images are taken as it was given those.
template <class AnyColumn>
MemoryFormat format_of(const AnyColumn& column) {
  return column.format.value_or(MemoryFormat::channels_last);
}

/// A size of {0, 0} where rows differ.
ImageSpec image_spec_of(const ArraySpec& spec, MemoryFormat format) {
  const bool first = format == MemoryFormat::channels_first;
  const auto extent = [&spec](std::size_t axis) { return static_cast<int>(spec.shape[axis]); };
  return {.size = spec.fixed() ? ImageSize{extent(first ? 2 : 1), extent(first ? 1 : 0)} : ImageSize{},
          .type = element_type(spec.type).value_or(ElementType::uint8),
          .channels = extent(first ? 0 : 2)};
}

bool is_good(const BatchStorage& storage, std::size_t row) {
  return !storage.row_errors[row] || storage.row_replaced[row] != 0;
}

/// Appends where the good rows of a column stand; how many there are.
std::size_t add_rows(const BatchStorage& storage, const Column& column, std::vector<void*>& rows) {
  const std::size_t before = rows.size();
  for (std::size_t i = 0; i < storage.rows; ++i) {
    if (is_good(storage, i)) {
      rows.push_back(static_cast<std::uint8_t*>(column.data) + i * column.row_bytes);
    }
  }
  return rows.size() - before;
}

template <class Value>
void copy_row(const Column& column, std::size_t row, std::vector<Value>& values) {
  const ByteSpan bytes = column.bytes_of(row);
  values.resize(bytes.size() / sizeof(Value));
  if (!values.empty()) {
    std::memcpy(values.data(), bytes.data(), bytes.size());
  }
}

/// The boxes of the good rows, and their labels where the column has any behind it.
void read_boxes(const BatchStorage& storage, std::size_t column, bool labelled, std::vector<RowBoxes>& rows) {
  std::size_t good = 0;
  for (std::size_t i = 0; i < storage.rows; ++i) {
    if (!is_good(storage, i)) {
      continue;
    }
    rows.resize(std::max(rows.size(), good + 1));
    RowBoxes& row = rows[good++];
    row.changed = false;
    copy_row(storage.columns[column], i, row.corners);
    for (std::size_t box = 0; box < row.corners.size(); box += 4) {
      to_corners(storage.columns[column].boxes, &row.corners[box]);
    }
    row.labels.clear();
    if (labelled) {
      copy_row(storage.columns[column + 1], i, row.labels);
    }
  }
  rows.resize(good);
}

/// Gives a row of a column memory of its own for these values.
template <class Value>
void write_row(BatchStorage& storage, std::size_t column, std::size_t row, const std::vector<Value>& values,
               std::vector<std::size_t> shape, BufferPool& pool) {
  Slab piece = pool.acquire(values.size() * sizeof(Value));
  if (!values.empty()) {
    std::memcpy(piece.data(), values.data(), values.size() * sizeof(Value));
  }
  ArrayRow& array = storage.columns[column].rows[row];
  array.data = piece.data();
  array.shape = Extents(shape);
  storage.row_memory[row * storage.columns.size() + column] = std::move(piece);
}

/// The boxes that operations have made anew.
void write_boxes(BatchStorage& storage, std::size_t column, bool labelled, std::vector<RowBoxes>& rows,
                 BufferPool& pool) {
  std::size_t good = 0;
  for (std::size_t i = 0; i < storage.rows; ++i) {
    if (!is_good(storage, i)) {
      continue;
    }
    RowBoxes& row = rows[good++];
    if (!row.changed) {
      continue;
    }
    to_format(storage.columns[column].boxes, row.corners);
    write_row(storage, column, i, row.corners, {row.corners.size() / 4, 4}, pool);
    if (labelled) {
      write_row(storage, column + 1, i, row.labels, {row.labels.size()}, pool);
    }
  }
}

bool moves_boxes(const std::vector<TransformPtr>& operations) {
  return std::any_of(operations.begin(), operations.end(), [](const TransformPtr& operation) {
    return static_cast<const BatchTransform&>(*operation).moves_boxes();
  });
}

}  // namespace

bool Plan::has_box_labels(std::size_t boxes) const noexcept {
  return boxes + 1 < columns_.size() && columns_[boxes + 1].role == PlaneRole::box_labels;
}

Status Plan::plan_batch_operations(const Dataset& dataset, std::vector<TransformPtr> operations) {
  const auto is_of = [&dataset](const ColumnPlan& column, std::optional<std::size_t> field) {
    return field && column.info.name == dataset.fields()[*field].name;
  };
  const std::optional<std::size_t> image = sample_image(dataset);
  const std::optional<std::size_t> label = sample_label(dataset);
  BatchSpec spec{.dimensions = 0};
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const ColumnPlan& column = columns_[i];
    if (is_of(column, image)) {
      spec.dimensions = static_cast<int>(column.spec.shape.size());
    }
    if (is_of(column, image) && spec.dimensions == 3) {
      mixed_images_ = i;
      if (!element_type(column.spec.type)) {
        return invalid(fmt::format("{} works on images of uint8, uint16, float32 or half precision, got {}",
                                   operations[0]->name(), name_of(column.spec.type)),
                       "let the function before it return one of these types");
      }
      spec.images = image_spec_of(column.spec, format_of(column));
    } else if (is_of(column, label) && classes_for(operations) > 0 && column.spec.type == Scalar::float32) {
      mixed_labels_ = i;
      spec.classes = classes_for(operations);
    } else if (column.role == PlaneRole::mask) {
      mixed_masks_.push_back(i);
      spec.masks = spec.masks.empty() ? column.info.name : spec.masks;
    } else if (column.role != PlaneRole::none) {
      spec.others = spec.others.empty() ? column.info.name : spec.others;
      if (column.role == PlaneRole::points && spec.points.empty()) {
        spec.points = column.info.name;
      }
      if (column.role == PlaneRole::boxes && moves_boxes(operations)) {
        mixed_boxes_.push_back(i);
      }
    }
  }
  for (const TransformPtr& operation : operations) {
    PENSTOCK_TRY(static_cast<const BatchTransform&>(*operation).check_for(spec));
  }
  batch_draws_ =
      std::make_shared<const ListDraws>(std::move(operations), ListPlace{.room = 0, .first_op = kBatchOps});
  return {};
}

BatchSlots Plan::slots_of(BatchStorage& storage) const {
  MixingMemory& memory = storage.mixing;
  memory.rows.clear();
  memory.rows.reserve(storage.rows * (2 + mixed_masks_.size()));  // spans into it stay good
  memory.masks.clear();
  const auto rows_of = [&](std::size_t column) -> std::span<void* const> {
    const std::size_t count = add_rows(storage, storage.columns[column], memory.rows);
    return std::span(memory.rows).last(count);
  };
  BatchSlots slots;
  if (mixed_images_) {
    const Column& images = storage.columns[*mixed_images_];
    const ImageSpec spec = image_spec_of(images.spec, format_of(images));
    slots.type = spec.type;
    slots.images = {.rows = spec.fixed_size() ? rows_of(*mixed_images_) : std::span<void* const>(),
                    .size = spec.size,
                    .channels = spec.channels,
                    .element = size_of(spec.type),
                    .format = format_of(images)};
    for (const std::size_t column : spec.fixed_size() ? mixed_masks_ : std::vector<std::size_t>()) {
      memory.masks.push_back({.rows = rows_of(column),
                              .size = spec.size,
                              .channels = 1,
                              .element = size_of(storage.columns[column].spec.type),
                              .format = format_of(images)});
    }
  }
  if (mixed_labels_) {
    slots.labels = rows_of(*mixed_labels_);
    slots.classes = storage.columns[*mixed_labels_].spec.shape[0];
  }
  slots.masks = memory.masks;
  memory.boxes.resize(mixed_boxes_.size());
  for (std::size_t i = 0; i < mixed_boxes_.size(); ++i) {
    read_boxes(storage, mixed_boxes_[i], has_box_labels(mixed_boxes_[i]), memory.boxes[i]);
  }
  slots.boxes = memory.boxes;
  return slots;
}

void Plan::finish_batch(BatchStorage& storage, std::uint64_t seed, std::uint64_t first_place,
                        BufferPool& pool) const noexcept try {
  if (!batch_draws_) {
    return;
  }
  BatchSlots slots = slots_of(storage);
  slots.key = {.seed = seed, .epoch = storage.epoch, .sample = first_place};
  DrawnList& drawn = storage.batch_values;
  if (drawn.empty()) {
    drawn = batch_draws_->make_drawn();
  }
  for (std::size_t i = 0; i < batch_draws_->size(); ++i) {
    const auto& operation = static_cast<const BatchTransform&>(*batch_draws_->operations()[i]);
    Draws draws = batch_draws_->draws(i, slots.key);
    operation.draw_for(slots, draws, *drawn[i]);
    operation.run_for(*drawn[i], slots, storage.mixing.scratch);
  }
  for (std::size_t i = 0; i < mixed_boxes_.size(); ++i) {
    write_boxes(storage, mixed_boxes_[i], has_box_labels(mixed_boxes_[i]), storage.mixing.boxes[i], pool);
  }
  storage.batch_drawn.clear();
  batch_draws_->save(drawn, storage.batch_drawn);
} catch (const std::bad_alloc&) {
  storage.set_lack_of_memory(std::current_exception());
}

}  // namespace penstock::inline v0
