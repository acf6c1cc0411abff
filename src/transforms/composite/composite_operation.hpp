#pragma once
// What an operation is that holds others: it chooses which of them run, and in which order.
//
// Operations that are held draw from streams of their own, made from that of the one that holds them and
// their place, or by their key where they have one. What they draw is part of what it drew. Their edits are
// fused as if they stood in the list themselves.

#include <string>
#include <utility>
#include <vector>

#include "transforms/composite/held_drawn.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {

/// The operations that another one holds, on images.
class HeldImageOperations {
 public:
  explicit HeldImageOperations(const std::vector<TransformPtr>& operations);

  const std::vector<TransformPtr>& operations() const noexcept { return operations_; }
  /// `invalid` if one of them is wrong, or not on images.
  Status check(std::string_view owner) const;
  bool moves_pixels() const noexcept;
  bool drops_annotations() const noexcept;

  /// What comes out of one of them, or of all one after the other; `invalid` where values become floats or
  /// floats others: a batch has one type and one map of values, whatever is drawn.
  Result<ImageSpec> describe(std::string_view owner, std::size_t number, const ImageSpec& in) const;
  Result<ImageSpec> describe_all(std::string_view owner, const ImageSpec& in) const;

  /// Draws for those that `drawn` has chosen.
  Status draw(const ImageSlots& in, const Draws& draws, ChosenDrawn& drawn) const;
  Status plan(const ImageSpec& in, const ChosenDrawn& drawn, ImageEdits& edits) const;

 private:
  std::vector<TransformPtr> operations_;
  std::vector<const ImageTransform*> typed_;  // null where one is not on images
};

/// What is known where one or the other comes out.
ImageSpec either(const ImageSpec& a, const ImageSpec& b) noexcept;

/// What was drawn is a ChosenDrawn instead; of Operation::kDraws.
struct Chosen {
  template <class V>
  void fields(V&&) {}
};

/// `Self` brings kName, kSummary, describe() and choose(draws, numbers); its parameters have `transforms`.
/// Its entry is composite_info<Self>(), by which it holds operations on whole batches too.
template <class Self, class Parameters>
class CompositeOperation : public Operation<Self, Parameters, Chosen, ImageTransform> {
 public:
  using Base = Operation<Self, Parameters, Chosen, ImageTransform>;
  explicit CompositeOperation(Parameters parameters, std::string key = {})
      : Base(std::move(parameters), std::move(key)), held_(this->p_.transforms.list) {}

  Status check() const final {
    PENSTOCK_TRY(held_.check(Self::kName));
    return this->self().check_choice();
  }
  /// Of the parameters by which it chooses. Hidden by those that have any.
  Status check_choice() const { return {}; }
  bool moves_pixels() const noexcept final { return held_.moves_pixels(); }
  bool drops_annotations() const noexcept final { return held_.drops_annotations(); }
  DrawnPtr make_drawn() const final { return std::make_unique<ChosenDrawn>(held_.operations()); }

  Status draw_for(const ImageSlots& in, Draws& draws, Drawn& drawn) const final {
    auto& own = static_cast<ChosenDrawn&>(drawn);
    own.chosen.clear();
    this->self().choose(draws, own.chosen);
    return held_.draw(in, draws, own);
  }
  Status plan_for(const ImageSpec& in, const Drawn& drawn, ImageEdits& edits) const final {
    return held_.plan(in, static_cast<const ChosenDrawn&>(drawn), edits);
  }

 protected:
  /// Chooses all of them, in their order.
  void choose_all(std::vector<int>& chosen) const {
    for (std::size_t i = 0; i < held_.operations().size(); ++i) {
      chosen.push_back(static_cast<int>(i));
    }
  }

  const HeldImageOperations held_;
};

}  // namespace penstock::inline v0
