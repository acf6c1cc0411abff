#pragma once
// What an operation that holds others drew: which of them run, one after the other, and what each drew.

#include <span>
#include <string_view>
#include <vector>

#include "transforms/image_walk.hpp"
#include "transforms/operation_list.hpp"

namespace penstock::inline v0 {

/// Named values: `chosen`, the numbers of the operations that run, and `transforms`, what each of them drew.
class ChosenDrawn final : public Drawn {
 public:
  explicit ChosenDrawn(std::vector<TransformPtr> held) : held_(std::move(held)) {}

  std::vector<int> chosen;  ///< numbers of held operations; one may run several times

  /// What the operation drew that runs at this place of `chosen`.
  Drawn& at(std::size_t place) const;

  Params values() const override;
  Status set(std::string_view operation, const Params& values) override;
  void save(std::vector<double>& numbers) const override;
  void load(std::span<const double>& numbers) override;

  // Memory of drawing.
  ImageEdits edits;
  WalkMemory walk;

 private:
  const std::vector<TransformPtr> held_;
  mutable std::vector<DrawnList> memory_;  // [place][number], made when first needed
};

/// The draws of the operation that runs at this place: those of its key, or a stream of its own, so that
/// noise, which is kept as the numbers that follow (DrawnStream), is not what the next one draws.
Draws held_draws(const Draws& draws, std::size_t place, const std::string& key, const RandomKey& sample);

}  // namespace penstock::inline v0
