// ConvertBoundingBoxFormat: boxes are delivered as something else than corners.

#include <algorithm>
#include <cctype>

#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

/// Must be given.
struct WantedFormat {
  std::optional<BoxFormat> format;

  bool operator==(const WantedFormat&) const = default;
};

}  // namespace

/// Capital letters are taken too, as torchvision writes formats.
template <>
struct ParamCodec<WantedFormat> {
  static constexpr std::array<std::string_view, 3> kNames = {"xyxy", "xywh", "cxcywh"};
  static constexpr std::string_view kType = "Literal['xyxy', 'xywh', 'cxcywh']";
  static ParamValue to_value(const WantedFormat& wanted) {
    return std::string(kNames[static_cast<std::size_t>(*wanted.format)]);
  }
  static bool from_value(const ParamValue& value, WantedFormat& out) {
    const auto* const text = std::get_if<std::string>(&value);
    std::string name = text != nullptr ? *text : std::string();
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    const auto* const found = std::find(kNames.begin(), kNames.end(), name);
    out.format = static_cast<BoxFormat>(found - kNames.begin());
    return found != kNames.end();
  }
  static bool missing(const WantedFormat& wanted) { return !wanted.format; }
};

namespace {

struct FormatParameters {
  WantedFormat format;

  template <class V>
  void fields(V&& v) {
    v("format", format,
      "corners (xyxy), left, top, width and height (xywh), or the centre and the size (cxcywh)");
  }
};

class ConvertBoundingBoxFormat final : public ImageOperation<ConvertBoundingBoxFormat, FormatParameters> {
 public:
  static constexpr const char* kName = "ConvertBoundingBoxFormat";
  static constexpr const char* kSummary =
      "Has boxes delivered in another format, wherever in the list it stands; operations see corners.";
  using ImageOperation::ImageOperation;

  Result<ImageSpec> describe(const ImageSpec& in) const override { return ImageSpec(in); }
  std::optional<BoxFormat> box_format() const noexcept override { return p_.format.format; }
};

}  // namespace

OperationInfo convert_box_format_operation() { return operation_info<ConvertBoundingBoxFormat>(); }

}  // namespace penstock::inline v0
