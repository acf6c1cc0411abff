// Identity: nothing, where a list or a choice needs something.

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct IdentityParameters {
  template <class V>
  void fields(V&&) {}
};

class Identity final : public ImageOperation<Identity, IdentityParameters> {
 public:
  static constexpr const char* kName = "Identity";
  static constexpr const char* kSummary = "Leaves images as they are.";
  using ImageOperation::ImageOperation;

  Result<ImageSpec> describe(const ImageSpec& in) const override { return ImageSpec(in); }
};

}  // namespace

OperationInfo identity_operation() { return operation_info<Identity>(); }

}  // namespace penstock::inline v0
