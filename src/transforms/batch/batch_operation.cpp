#include "transforms/batch/batch_operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace penstock::inline v0 {
namespace {

/// row = before * (1 - lam) + row * lam.
void mix(const void* other_row, void* own_row, std::size_t values, double lam) {
  const auto* const before = static_cast<const float*>(other_row);
  auto* const row = static_cast<float*>(own_row);
  const auto own = static_cast<float>(lam);
  const auto other = static_cast<float>(1.0 - lam);
  for (std::size_t i = 0; i < values; ++i) {
    row[i] = before[i] * other + row[i] * own;
  }
}

}  // namespace

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
  const int classes = classes_for(taken);
  for (const TransformPtr& operation : taken) {
    PENSTOCK_TRY(operation->check());
    const int own = static_cast<const BatchTransform&>(*operation).num_classes();
    if (own != 0 && own != classes) {
      return Error{ErrorKind::invalid,
                   "operations on batches differ in num_classes",
                   "use the same number in all",
                   {}};
    }
  }
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

Status check_classes(std::string_view operation, int num_classes) {
  if (num_classes < 1 || num_classes > 1 << 24) {
    return invalid_parameter(operation, "num_classes",
                             fmt::format("must be between 1 and 16777216, got {}", num_classes), "");
  }
  return {};
}

Status check_alpha(std::string_view operation, double alpha) {
  if (!(alpha > 0) || !(alpha <= 1e6)) {
    return invalid_parameter(operation, "alpha", fmt::format("must be a positive number, got {}", alpha), "");
  }
  return {};
}

Status needs_labels(std::string_view operation, const BatchSpec& in) {
  if (in.classes == 0) {
    return Error{ErrorKind::invalid,
                 fmt::format("{} mixes labels, but the data set has no field 'label' of integers", operation),
                 "name the field of labels: Dataset(..., fields={\"label\": ...})",
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

void mix_with_row_before(std::span<void* const> rows, std::size_t values, double lam, Scratch& scratch) {
  if (rows.empty()) {
    return;
  }
  // From the last row on, so that each finds the one before it as it was.
  void* const last = scratch.reserve(values * sizeof(float));
  std::memcpy(last, rows.back(), values * sizeof(float));
  for (std::size_t i = rows.size() - 1; i > 0; --i) {
    mix(rows[i - 1], rows[i], values, lam);
  }
  mix(last, rows[0], values, lam);
}

}  // namespace penstock::inline v0
