// RandomGrayscale: gray values in all channels; Pillow's L.

#include "transforms/image/by_chance.hpp"
#include "transforms/image/color_edits.hpp"

namespace penstock::inline v0 {
namespace {

struct GrayParameters {
  double p = 0.1;

  template <class V>
  void fields(V&& v) {
    v("p", p, "probability of its being done");
  }
};

class RandomGrayscale final : public ByChance<RandomGrayscale, GrayParameters> {
 public:
  static constexpr const char* kName = "RandomGrayscale";
  static constexpr const char* kSummary =
      "Takes the colour out of images, with a given probability; they keep their channels.";
  using ByChance::ByChance;

  Status plan(const ImageSpec& in, const Happens& drawn, ImageEdits& edits) const {
    if (drawn.apply && in.channels > 1) {
      edits.push_back(gray_edit());
    }
    return {};
  }
};

}  // namespace

OperationInfo random_grayscale_operation() { return operation_info<RandomGrayscale>(); }

}  // namespace penstock::inline v0
