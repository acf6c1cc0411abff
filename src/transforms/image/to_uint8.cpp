// ToUint8: floats from 0 to 1 back to bytes; torchvision's arithmetic.

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct BytesParameters {
  template <class V>
  void fields(V&&) {}
};

class ToUint8 final : public ImageOperation<ToUint8, BytesParameters> {
 public:
  static constexpr const char* kName = "ToUint8";
  static constexpr const char* kSummary =
      "Turns floats from 0 to 1 into bytes, as ToDtype(uint8, scale=True): 255.999 times the value, cut off "
      "below 0, above 255 and behind the point.";
  using ImageOperation::ImageOperation;

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return rounded_spec(kName, in, ElementType::uint8);
  }
  // What has been written as float32 is cut off last (ImageProgram::finish).
};

}  // namespace

OperationInfo to_uint8_operation() { return operation_info<ToUint8>(); }

}  // namespace penstock::inline v0
