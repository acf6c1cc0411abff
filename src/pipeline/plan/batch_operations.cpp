// Operations on whole batches: which columns they change, and the running of them.

#include <fmt/format.h>

#include <new>

#include "pipeline/plan/list_fields.hpp"
#include "pipeline/plan/plan.hpp"
#include "pipeline/plan/plan_parts.hpp"
#include "transforms/batch/batch_operation.hpp"

namespace penstock::inline v0 {
namespace {

ElementType element_type(Scalar type) {
  return type == Scalar::float32    ? ElementType::float32
         : type == Scalar::float16  ? ElementType::float16
         : type == Scalar::bfloat16 ? ElementType::bfloat16
         : type == Scalar::uint16   ? ElementType::uint16
                                    : ElementType::uint8;
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
          .type = element_type(spec.type),
          .channels = extent(first ? 0 : 2)};
}

/// Appends where the good rows of a column stand; how many there are.
std::size_t add_rows(const BatchStorage& storage, const Column& column, std::vector<void*>& rows) {
  const std::size_t before = rows.size();
  for (std::size_t i = 0; i < storage.rows; ++i) {
    if (!storage.row_errors[i] || storage.row_replaced[i] != 0) {
      rows.push_back(static_cast<std::uint8_t*>(column.data) + i * column.row_bytes);
    }
  }
  return rows.size() - before;
}

}  // namespace

Status Plan::plan_batch_operations(const Dataset& dataset, std::vector<TransformPtr> operations) {
  const auto is_of = [&dataset](const ColumnPlan& column, std::optional<std::size_t> field) {
    return field && column.info.name == dataset.fields()[*field].name;
  };
  const std::optional<std::size_t> image = sample_image(dataset);
  const std::optional<std::size_t> label = sample_label(dataset);
  BatchSpec spec;
  std::size_t dimensions = 0;  // of an image
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const ColumnPlan& column = columns_[i];
    if (is_of(column, image)) {
      dimensions = column.spec.shape.size();
    }
    if (is_of(column, image) && dimensions == 3) {
      mixed_images_ = i;
      spec.images = image_spec_of(column.spec, format_of(column));
    } else if (is_of(column, label) && classes_for(operations) > 0 && column.spec.type == Scalar::float32) {
      mixed_labels_ = i;
      spec.classes = classes_for(operations);
    } else if (column.role == PlaneRole::mask) {
      mixed_masks_.push_back(i);
      spec.masks = spec.masks.empty() ? column.info.name : spec.masks;
    } else if (column.role != PlaneRole::none) {
      spec.others = spec.others.empty() ? column.info.name : spec.others;
    }
  }
  if (dimensions != 3) {
    return invalid(
        fmt::format("{} needs images [H, W, C], got {} dimensions", operations[0]->name(), dimensions),
        "let each row have one image [H, W, C]: omit FiveCrop or TenCrop, or change the function before it");
  }
  for (const TransformPtr& operation : operations) {
    PENSTOCK_TRY(static_cast<const BatchTransform&>(*operation).check_for(spec));
  }
  batch_draws_ =
      std::make_shared<const ListDraws>(std::move(operations), ListPlace{.room = 0, .first_op = kBatchOps});
  return {};
}

void Plan::finish_batch(BatchStorage& storage, std::uint64_t seed, std::uint64_t first_place) const noexcept
    try {
  if (!batch_draws_) {
    return;
  }
  MixingMemory& memory = storage.mixing;
  memory.rows.clear();
  memory.rows.reserve(storage.rows * (2 + mixed_masks_.size()));  // spans into it stay good
  memory.masks.clear();
  const auto rows_of = [&](std::size_t column) -> std::span<void* const> {
    const std::size_t count = add_rows(storage, storage.columns[column], memory.rows);
    return std::span(memory.rows).last(count);
  };
  const Column& images = storage.columns[mixed_images_];
  const ImageSpec spec = image_spec_of(images.spec, format_of(images));
  BatchSlots slots;
  slots.type = spec.type;
  slots.images = {.rows = spec.fixed_size() ? rows_of(mixed_images_) : std::span<void* const>(),
                  .size = spec.size,
                  .channels = spec.channels,
                  .element = size_of(spec.type),
                  .format = format_of(images)};
  if (mixed_labels_) {
    slots.labels = rows_of(*mixed_labels_);
    slots.classes = storage.columns[*mixed_labels_].spec.shape[0];
  }
  for (const std::size_t column : spec.fixed_size() ? mixed_masks_ : std::vector<std::size_t>()) {
    memory.masks.push_back({.rows = rows_of(column),
                            .size = spec.size,
                            .channels = 1,
                            .element = size_of(storage.columns[column].spec.type),
                            .format = format_of(images)});
  }
  slots.masks = memory.masks;
  const RandomKey key{.seed = seed, .epoch = storage.epoch, .sample = first_place};
  DrawnList& drawn = storage.batch_values;
  if (drawn.empty()) {
    drawn = batch_draws_->make_drawn();
  }
  for (std::size_t i = 0; i < batch_draws_->size(); ++i) {
    const auto& operation = static_cast<const BatchTransform&>(*batch_draws_->operations()[i]);
    Draws draws = batch_draws_->draws(i, key);
    operation.draw_for(slots, draws, *drawn[i]);
    operation.run_for(*drawn[i], slots, memory.scratch);
  }
  storage.batch_drawn.clear();
  batch_draws_->save(drawn, storage.batch_drawn);
} catch (const std::bad_alloc&) {
  storage.set_lack_of_memory(std::current_exception());
}

}  // namespace penstock::inline v0
