// ToBfloat16: values to floats of 16 bits, 8 of them for the exponent.

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct BfloatParameters {
  template <class V>
  void fields(V&&) {}
};

class ToBfloat16 final : public ImageOperation<ToBfloat16, BfloatParameters> {
 public:
  static constexpr const char* kName = "ToBfloat16";
  static constexpr const char* kSummary =
      "Rounds floats to bfloat16, which torch has and numpy has not; integers become floats as by ToFloat "
      "first.";
  using ImageOperation::ImageOperation;

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return rounded_spec(kName, in, ElementType::bfloat16);
  }
  // What has been written as float32 is rounded last (ImageProgram::finish).
};

}  // namespace

OperationInfo to_bfloat16_operation() { return operation_info<ToBfloat16>(); }

}  // namespace penstock::inline v0
