#pragma once
// An operation that holds others which work on whole batches: what `Of`, which chooses among operations on
// images, does for those on batches.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "transforms/batch/batch_operation.hpp"
#include "transforms/composite/composite_operation.hpp"

namespace penstock::inline v0 {

/// Whether one of these works on whole batches.
bool holds_batch_operations(const Params& params);
/// `invalid` if one of them is wrong, or does not work on whole batches.
Status check_held_on_batches(std::string_view owner, const std::vector<TransformPtr>& operations);

/// `Of` is a CompositeOperation. All that is held draws before the first of them runs.
template <class Of>
class BatchComposite final
    : public Operation<BatchComposite<Of>, typename Of::ParametersType, Chosen, BatchTransform> {
 public:
  using Base = Operation<BatchComposite<Of>, typename Of::ParametersType, Chosen, BatchTransform>;
  static constexpr const char* kName = Of::kName;
  static constexpr const char* kSummary = Of::kSummary;

  explicit BatchComposite(typename Of::ParametersType parameters, std::string key = {})
      : Base(parameters, std::move(key)), rule_(std::move(parameters)) {}

  Status check() const override {
    PENSTOCK_TRY(check_held_on_batches(kName, operations()));
    return rule_.check_choice();
  }

  int num_classes() const noexcept override { return classes_for(operations()); }
  bool moves_boxes() const noexcept override {
    return std::any_of(operations().begin(), operations().end(),
                       [](const TransformPtr& operation) { return typed(operation).moves_boxes(); });
  }
  Status check_for(const BatchSpec& in) const override {
    for (const TransformPtr& operation : operations()) {
      PENSTOCK_TRY(typed(operation).check_for(in));
    }
    return {};
  }
  DrawnPtr make_drawn() const override { return std::make_unique<ChosenDrawn>(operations()); }

  void draw_for(const BatchSlots& in, Draws& draws, Drawn& drawn) const override {
    auto& own = static_cast<ChosenDrawn&>(drawn);
    own.chosen.clear();
    rule_.choose(draws, own.chosen);
    for (std::size_t i = 0; i < own.chosen.size(); ++i) {
      const TransformPtr& operation = chosen(own, i);
      Draws held = held_draws(draws, i, operation->key(), in.key);
      typed(operation).draw_for(in, held, own.at(i));
    }
  }
  Status check_drawn_for(const Drawn& drawn, const BatchSlots& batch) const override {
    const auto& own = static_cast<const ChosenDrawn&>(drawn);
    for (std::size_t i = 0; i < own.chosen.size(); ++i) {
      PENSTOCK_TRY(typed(chosen(own, i)).check_drawn_for(own.at(i), batch));
    }
    return {};
  }
  void run_for(const Drawn& drawn, const BatchSlots& batch, Scratch& scratch) const override {
    const auto& own = static_cast<const ChosenDrawn&>(drawn);
    for (std::size_t i = 0; i < own.chosen.size(); ++i) {
      typed(chosen(own, i)).run_for(own.at(i), batch, scratch);
    }
  }

 private:
  const std::vector<TransformPtr>& operations() const noexcept { return this->p_.transforms.list; }
  const TransformPtr& chosen(const ChosenDrawn& drawn, std::size_t place) const {
    return operations()[static_cast<std::size_t>(drawn.chosen[place])];
  }
  static const BatchTransform& typed(const TransformPtr& operation) noexcept {
    return static_cast<const BatchTransform&>(*operation);  // check() has seen to it
  }

  const Of rule_;
};

template <class Of>
Result<TransformPtr> make_composite(const Params& params) {
  return holds_batch_operations(params) ? make_operation<BatchComposite<Of>>(params)
                                        : make_operation<Of>(params);
}

/// The entry of an operation that holds others: on images, or on whole batches.
template <class Of>
OperationInfo composite_info() {
  OperationInfo info = operation_info<Of>();
  info.make = &make_composite<Of>;
  return info;
}

}  // namespace penstock::inline v0
