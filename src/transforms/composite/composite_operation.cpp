#include "transforms/composite/composite_operation.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace penstock::inline v0 {

HeldImageOperations::HeldImageOperations(const std::vector<TransformPtr>& operations)
    : operations_(operations) {
  for (const TransformPtr& operation : operations_) {
    typed_.push_back(dynamic_cast<const ImageTransform*>(operation.get()));
  }
}

Status HeldImageOperations::check(std::string_view owner) const {
  if (operations_.empty()) {
    return invalid_parameter(owner, "transforms", "must have at least one operation", "");
  }
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    if (typed_[i] == nullptr) {
      Error error = wrong_operation(operations_[i].get(), i, ImageTransform::kKind);
      error.message = fmt::format("{}: transforms[{}]: {}", owner, i, error.message);
      return error;
    }
    PENSTOCK_TRY(typed_[i]->check());
  }
  return {};
}

bool HeldImageOperations::moves_pixels() const noexcept {
  return std::any_of(typed_.begin(), typed_.end(), [](const ImageTransform* operation) {
    return operation != nullptr && operation->moves_pixels();
  });
}

bool HeldImageOperations::drops_annotations() const noexcept {
  return std::any_of(typed_.begin(), typed_.end(), [](const ImageTransform* operation) {
    return operation != nullptr && operation->drops_annotations();
  });
}

Result<ImageSpec> HeldImageOperations::describe(std::string_view owner, std::size_t number,
                                                const ImageSpec& in) const {
  const ImageTransform& operation = *typed_[number];
  if (operation.turns_upright() || operation.images() > 1 || operation.box_format() ||
      !operation.mask_fields().empty()) {
    return Error{ErrorKind::invalid,
                 fmt::format("{} cannot hold {}", owner, operation.name()),
                 fmt::format("put {} into the list itself", operation.name()),
                 {}};
  }
  PENSTOCK_ASSIGN(ImageSpec out, operation.describe(in));
  FloatTable table;
  operation.map_values(table);
  if (out.type != in.type || out.channels != in.channels || !table.shifts.empty()) {
    return Error{ErrorKind::invalid,
                 fmt::format("{} holds {}, which changes the values of all images of a batch", owner,
                             operation.name()),
                 fmt::format("put {} into the list itself", operation.name()),
                 {}};
  }
  return out;
}

Result<ImageSpec> HeldImageOperations::describe_all(std::string_view owner, const ImageSpec& in) const {
  ImageSpec spec = in;
  for (std::size_t i = 0; i < typed_.size(); ++i) {
    PENSTOCK_ASSIGN(spec, describe(owner, i, spec));
  }
  return spec;
}

Status HeldImageOperations::draw(const ImageSlots& in, const Draws& draws, ChosenDrawn& drawn) const {
  drawn.edits.clear();
  ImageWalk walk(in, drawn.walk);
  for (std::size_t i = 0; i < drawn.chosen.size(); ++i) {
    const ImageTransform& operation = *typed_[static_cast<std::size_t>(drawn.chosen[i])];
    Draws own = held_draws(draws, i, operation.key(), in.key);
    PENSTOCK_TRY(walk.add(operation, &own, drawn.at(i), drawn.edits));
  }
  return {};
}

Status HeldImageOperations::plan(const ImageSpec& in, const ChosenDrawn& drawn, ImageEdits& edits) const {
  ImageSpec spec = in;
  for (std::size_t i = 0; i < drawn.chosen.size(); ++i) {
    const std::size_t before = edits.size();
    PENSTOCK_TRY(typed_[static_cast<std::size_t>(drawn.chosen[i])]->plan_for(spec, drawn.at(i), edits));
    for (std::size_t edit = before; edit < edits.size(); ++edit) {
      spec.size = size_after(spec.size, edits[edit]);
    }
  }
  return {};
}

ImageSpec either(const ImageSpec& a, const ImageSpec& b) noexcept {
  ImageSpec spec = a;
  if (a.size != b.size) {
    spec.size = {};
  }
  spec.values_done = a.values_done || b.values_done;
  return spec;
}

}  // namespace penstock::inline v0
