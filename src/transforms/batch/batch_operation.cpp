#include "transforms/batch/batch_operation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "transforms/operation_list.hpp"

namespace penstock::inline v0 {

Result<std::vector<TransformPtr>> take_batch_operations(std::vector<TransformPtr>& list) {
  const auto is_of_batches = [](const TransformPtr& operation) {
    return dynamic_cast<const BatchTransform*>(operation.get()) != nullptr;
  };
  const auto first = std::find_if(list.begin(), list.end(), is_of_batches);
  const auto stray = std::find_if_not(first, list.end(), is_of_batches);
  if (stray != list.end()) {
    return Error{
        ErrorKind::invalid,
        std::string((*first)->name()) + " works on whole batches and must stand at the end of the list",
        "put it behind all other operations",
        {}};
  }
  std::vector<TransformPtr> taken(first, list.end());
  for (const TransformPtr& operation : taken) {
    PENSTOCK_TRY(operation->check());
  }
  PENSTOCK_TRY(check_same_classes(taken));
  list.erase(first, list.end());
  return taken;
}

int classes_for(const std::vector<TransformPtr>& operations) {
  int classes = 0;
  for (const TransformPtr& operation : operations) {
    classes = std::max(classes, static_cast<const BatchTransform&>(*operation).num_classes());
  }
  return classes;
}

Status check_same_classes(const std::vector<TransformPtr>& operations) {
  const int classes = classes_for(operations);
  for (const TransformPtr& operation : operations) {
    const int own = static_cast<const BatchTransform&>(*operation).num_classes();
    if (own != 0 && own != classes) {
      return Error{ErrorKind::invalid,
                   "operations on batches differ in num_classes",
                   "use the same number in all",
                   {}};
    }
  }
  return {};
}

Status replay_on_batch(const std::vector<TransformPtr>& operations, const std::vector<NamedDrawn>& drawn,
                       const BatchSlots& batch) {
  const BatchSpec spec{
      .images = {.size = batch.images.size, .type = batch.type, .channels = batch.images.channels},
      .classes = static_cast<int>(batch.classes),
      .masks = batch.masks.empty() ? "" : "masks",
      .others = batch.boxes.empty() ? "" : "boxes"};
  const ListDraws list(operations, {});
  DrawnList values = list.make_drawn();
  PENSTOCK_TRY(list.set(drawn, values));
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto& operation = static_cast<const BatchTransform&>(*operations[i]);
    PENSTOCK_TRY(operation.check_for(spec));
    PENSTOCK_TRY(operation.check_drawn_for(*values[i], batch));
  }
  Scratch scratch;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    static_cast<const BatchTransform&>(*operations[i]).run_for(*values[i], batch, scratch);
  }
  return {};
}

Status check_classes(std::string_view operation, int num_classes) {
  if (num_classes < 1 || num_classes > 1 << 24) {
    return invalid_parameter(operation, "num_classes",
                             fmt::format("must be between 1 and 16777216, got {}", num_classes), "");
  }
  return {};
}

Status check_alpha(std::string_view operation, std::string_view parameter, double alpha) {
  if (!(alpha > 0) || !(alpha <= 1e6)) {
    return invalid_parameter(operation, parameter, fmt::format("must be a positive number, got {}", alpha),
                             "");
  }
  return {};
}

Status check_smoothing(std::string_view operation, double label_smoothing) {
  if (!(label_smoothing >= 0 && label_smoothing <= 1)) {
    return invalid_parameter(operation, "label_smoothing",
                             fmt::format("must be between 0 and 1, got {}", label_smoothing), "");
  }
  return {};
}

Status needs_labels(std::string_view operation, const BatchSpec& in) {
  if (in.classes == 0) {
    return Error{ErrorKind::invalid,
                 fmt::format("{} needs labels, but the data set has no field 'label' of integers", operation),
                 "name the field of labels: Dataset(..., fields={\"label\": ...})",
                 {}};
  }
  return {};
}

Status needs_images(std::string_view operation, const BatchSpec& in) {
  if (in.dimensions != 3) {
    return Error{
        ErrorKind::invalid,
        fmt::format("{} needs images [H, W, C], got {} dimensions", operation, in.dimensions),
        "let each row have one image [H, W, C]: omit FiveCrop or TenCrop, or change the function before it",
        {}};
  }
  if (!in.images.fixed_size()) {
    return Error{ErrorKind::invalid,
                 fmt::format("{} mixes images of one size", operation),
                 "add RandomResizedCrop, CenterCrop or Resize([h, w]) before it",
                 {}};
  }
  return {};
}

Status needs_values(std::string_view operation, const BatchSpec& in) {
  PENSTOCK_TRY(needs_images(operation, in));
  if (in.images.type != ElementType::float32 && in.images.type != ElementType::uint8) {
    return Error{
        ErrorKind::invalid,
        fmt::format("{} mixes images of float32 or uint8", operation),
        "add ToFloat or Normalize before it, or mix before images are rounded to half precision: in the "
        "training step",
        {}};
  }
  return {};
}

Status cannot_mix(std::string_view operation, const std::string& other) {
  if (!other.empty()) {
    return Error{
        ErrorKind::invalid,
        fmt::format("{} mixes images, but field '{}' moves with them and cannot be mixed", operation, other),
        "omit the field: Dataset(..., fields={...}), or mix in the training step",
        {}};
  }
  return {};
}

}  // namespace penstock::inline v0
