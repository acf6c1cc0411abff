// Sequential: a list of operations as one of them.

#include "transforms/composite/batch_composite.hpp"

namespace penstock::inline v0 {
namespace {

struct SequentialParameters {
  HeldOperations transforms;

  template <class V>
  void fields(V&& v) {
    v("transforms", transforms, "operations on images, or on whole batches, which run one after the other");
  }
};

class Sequential final : public CompositeOperation<Sequential, SequentialParameters> {
 public:
  static constexpr const char* kName = "Sequential";
  static constexpr const char* kSummary =
      "Runs a list of operations as if it were one: what a list inside of RandomChoice stands for.";
  using CompositeOperation::CompositeOperation;

  Result<ImageSpec> describe(const ImageSpec& in) const override { return held_.describe_all(kName, in); }

  void choose(Draws&, std::vector<int>& chosen) const { choose_all(chosen); }
};

}  // namespace

OperationInfo sequential_operation() { return composite_info<Sequential>(); }

}  // namespace penstock::inline v0
