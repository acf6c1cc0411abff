// ToFloat: values to floats from 0 to 1.

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

class ToFloat final : public ImageOperation<ToFloat, transforms::ToFloat> {
 public:
  static constexpr const char* kName = "ToFloat";
  static constexpr const char* kSummary =
      "Turns values into float32 from 0 to 1: those of 8 bits divided by 255, those of 16 by 65535.";
  using ImageOperation::ImageOperation;

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    if (in.is_float()) {
      return Error{ErrorKind::invalid,
                   "ToFloat got an image that is already float",
                   "keep one ToFloat, before the first Normalize",
                   {}};
    }
    return ImageSpec{in.size, ElementType::float32, in.channels};
  }
  // The table that a list starts with already divides.
};

}  // namespace

transforms::ToFloat::operator TransformPtr() const {
  return std::make_shared<const penstock::ToFloat>(*this);
}
OperationInfo to_float_operation() { return operation_info<ToFloat>(); }

}  // namespace penstock::inline v0
