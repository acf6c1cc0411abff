// ToFloat16: values to floats of half precision.

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct HalfParameters {
  template <class V>
  void fields(V&&) {}
};

class ToFloat16 final : public ImageOperation<ToFloat16, HalfParameters> {
 public:
  static constexpr const char* kName = "ToFloat16";
  static constexpr const char* kSummary =
      "Rounds floats to half precision; integers become floats as by ToFloat first.";
  using ImageOperation::ImageOperation;

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return rounded_spec(kName, in, ElementType::float16);
  }
  // What has been written as float32 is rounded last (ImageProgram::finish).
};

}  // namespace

OperationInfo to_float16_operation() { return operation_info<ToFloat16>(); }

}  // namespace penstock::inline v0
