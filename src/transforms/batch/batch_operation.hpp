#pragma once
// What an operation on whole batches is: it stands at the end of a list, draws once for a batch, and mixes
// its images and labels. Labels are one-hot then: float32, one for each class.

#include <span>
#include <string>

#include "core/rng.hpp"
#include "penstock/result.hpp"
#include "transforms/operation_info.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {

/// The good rows of one column, in their order.
struct BatchRows {
  std::span<float* const> rows;
  std::size_t values = 0;  ///< of each
};

class BatchTransform : public Transform {
 public:
  static constexpr const char* kKind = "batch";

  virtual int num_classes() const noexcept = 0;
  /// Draws for a batch of images as `in` describes them.
  virtual void draw_for(const ImageSpec& in, Draws& draws, Drawn& drawn) const = 0;
  /// Mixes the rows where they are; `spare` has room for one of them.
  virtual void run_for(const Drawn& drawn, const BatchRows& images, const BatchRows& labels,
                       float* spare) const = 0;
};

/// `Self` brings kName, kSummary, draw() and run().
template <class Self, class Parameters, class DrawnType>
class BatchOperation : public Operation<Self, Parameters, DrawnType, BatchTransform> {
 public:
  using Operation<Self, Parameters, DrawnType, BatchTransform>::Operation;

  int num_classes() const noexcept override { return this->p_.num_classes; }
  void draw_for(const ImageSpec& in, Draws& draws, Drawn& drawn) const final {
    this->self().draw(in, draws, this->of(drawn));
  }
  void run_for(const Drawn& drawn, const BatchRows& images, const BatchRows& labels,
               float* spare) const final {
    this->self().run(this->of(drawn), images, labels, spare);
  }
};

/// The operations at the end of a list that work on whole batches, taken out of it; `invalid` where one
/// stands elsewhere.
Result<std::vector<TransformPtr>> take_batch_operations(std::vector<TransformPtr>& list);

}  // namespace penstock::inline v0
