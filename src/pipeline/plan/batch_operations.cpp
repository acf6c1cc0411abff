// Operations on whole batches: which columns they mix, and the mixing.

#include <algorithm>
#include <new>

#include "pipeline/plan/plan.hpp"
#include "pipeline/plan/plan_parts.hpp"
#include "transforms/batch/batch_operation.hpp"

namespace penstock::inline v0 {
namespace {

ImageSpec image_spec_of(const Column& images) {
  const std::vector<std::size_t>& shape = images.spec.shape;
  const bool first = images.format == MemoryFormat::channels_first;
  const auto extent = [&shape](std::size_t axis) { return static_cast<int>(shape[axis]); };
  return {.size = {extent(first ? 2 : 1), extent(first ? 1 : 0)},
          .type = ElementType::float32,
          .channels = extent(first ? 0 : 2)};
}

}  // namespace

Status Plan::plan_batch_operations(std::vector<TransformPtr> operations) {
  const auto find = [this](const char* name) {
    return static_cast<std::size_t>(
        std::find_if(columns_.begin(), columns_.end(),
                     [name](const ColumnPlan& column) { return column.info.name == name; }) -
        columns_.begin());
  };
  const std::string name(operations[0]->name());
  mixed_images_ = find(kViewedField);
  mixed_labels_ = find(kMixedLabels);
  const auto is_floats = [this](std::size_t column) {
    return column < columns_.size() && columns_[column].spec.type == Scalar::float32 &&
           columns_[column].spec.fixed();
  };
  if (!is_floats(mixed_images_)) {
    return invalid(name + " mixes float32 images of one size",
                   "add RandomResizedCrop, CenterCrop or Resize([h, w]), and ToFloat or Normalize before it");
  }
  if (!is_floats(mixed_labels_)) {
    return invalid(name + " mixes labels, and the data set has no whole numbers called 'label'",
                   "name the field of labels: Dataset(..., fields={\"label\": ...})");
  }
  for (const TransformPtr& operation : operations) {
    if (dynamic_cast<const BatchTransform&>(*operation).num_classes() !=
        static_cast<int>(columns_[mixed_labels_].spec.shape[0])) {
      return invalid("operations on batches differ in num_classes", "use the same number in all");
    }
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
  const Column& images = storage.columns[mixed_images_];
  const Column& labels = storage.columns[mixed_labels_];
  const std::size_t row = std::max(images.row_bytes, labels.row_bytes);
  const std::size_t pointers = storage.rows * sizeof(float*);
  std::uint8_t* const memory = storage.mixing.reserve(round_up(pointers) * 2 + row);
  auto** const image_rows = reinterpret_cast<float**>(memory);
  auto** const label_rows = reinterpret_cast<float**>(memory + round_up(pointers));
  std::size_t good = 0;
  for (std::size_t i = 0; i < storage.rows; ++i) {
    if (!storage.row_errors[i] || storage.row_replaced[i] != 0) {
      image_rows[good] =
          reinterpret_cast<float*>(static_cast<std::uint8_t*>(images.data) + i * images.row_bytes);
      label_rows[good] =
          reinterpret_cast<float*>(static_cast<std::uint8_t*>(labels.data) + i * labels.row_bytes);
      ++good;
    }
  }
  const RandomKey key{.seed = seed, .epoch = storage.epoch, .sample = first_place};
  DrawnList& drawn = storage.batch_values;
  if (drawn.empty()) {
    drawn = batch_draws_->make_drawn();
  }
  for (std::size_t i = 0; i < batch_draws_->size(); ++i) {
    const auto& operation = static_cast<const BatchTransform&>(*batch_draws_->operations()[i]);
    Draws draws = batch_draws_->draws(i, key);
    operation.draw_for(image_spec_of(images), draws, *drawn[i]);
    operation.run_for(*drawn[i], {{image_rows, good}, images.row_bytes / sizeof(float)},
                      {{label_rows, good}, labels.row_bytes / sizeof(float)},
                      reinterpret_cast<float*>(memory + round_up(pointers) * 2));
  }
  storage.batch_drawn.clear();
  batch_draws_->save(drawn, storage.batch_drawn);
} catch (const std::bad_alloc&) {
  storage.out_of_memory.store(true, std::memory_order_relaxed);
}

}  // namespace penstock::inline v0
