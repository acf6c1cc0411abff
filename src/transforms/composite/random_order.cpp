// RandomOrder: a list of operations in a drawn order.

#include "transforms/composite/batch_composite.hpp"

namespace penstock::inline v0 {
namespace {

struct OrderParameters {
  HeldOperations transforms;

  template <class V>
  void fields(V&& v) {
    v("transforms", transforms, "operations on images, or on whole batches, all of which run");
  }
};

class RandomOrder final : public CompositeOperation<RandomOrder, OrderParameters> {
 public:
  static constexpr const char* kName = "RandomOrder";
  static constexpr const char* kSummary = "Runs all operations of a list, in a random order.";
  using CompositeOperation::CompositeOperation;

  /// The size is known where one operation at most changes it: what the others do then does not depend on
  /// their place.
  Result<ImageSpec> describe(const ImageSpec& in) const override {
    PENSTOCK_ASSIGN(ImageSpec spec, held_.describe_all(kName, in));
    ImageSize size = in.size;
    std::size_t changing = 0;
    for (std::size_t i = 0; i < held_.operations().size(); ++i) {
      PENSTOCK_ASSIGN(const ImageSpec alone, held_.describe(kName, i, in));
      spec.values_done = spec.values_done || alone.values_done;
      if (!keeps_sizes(i, in)) {
        ++changing;
        size = alone.size;
      }
    }
    spec.size = changing <= 1 ? size : ImageSize{};
    return spec;
  }

  void choose(Draws& draws, std::vector<int>& chosen) const {
    choose_all(chosen);
    for (std::size_t left = chosen.size(); left > 1; --left) {
      std::swap(chosen[left - 1], chosen[static_cast<std::size_t>(draws.below(left))]);
    }
  }

 private:
  /// Whatever size comes in comes out.
  bool keeps_sizes(std::size_t number, ImageSpec in) const {
    for (const ImageSize size : {in.size, ImageSize{}, ImageSize{1009, 1013}}) {
      in.size = size;
      const Result<ImageSpec> out = held_.describe(kName, number, in);
      if (!out.ok() || out->size != size) {
        return false;
      }
    }
    return true;
  }
};

}  // namespace

OperationInfo random_order_operation() { return composite_info<RandomOrder>(); }

}  // namespace penstock::inline v0
