// RandomChannelPermutation: the channels of colour in a random order.

#include "transforms/image/color_edits.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct PermutationParameters {
  template <class V>
  void fields(V&&) {}
};

struct DrawnPermutation {
  std::vector<int> permutation;

  template <class V>
  void fields(V&& v) {
    v("permutation", permutation);
  }
};

class RandomChannelPermutation final
    : public ImageOperation<RandomChannelPermutation, PermutationParameters, DrawnPermutation> {
 public:
  static constexpr const char* kName = "RandomChannelPermutation";
  static constexpr const char* kSummary =
      "Puts the channels of colour in a random order; transparency stays.";
  using ImageOperation::ImageOperation;

  Result<ImageSpec> describe(const ImageSpec& in) const override { return same_if_bytes(kName, in); }

  Status draw(const ImageSlots& in, Draws& draws, DrawnPermutation& drawn) const {
    draw_permutation(in.image.channels, draws, drawn.permutation);
    return {};
  }

  Status plan(const ImageSpec& in, const DrawnPermutation& drawn, ImageEdits& edits) const {
    PENSTOCK_TRY(check_permutation(kName, in.channels, drawn.permutation));
    if (in.channels > 1) {
      edits.push_back(permutation_edit(drawn.permutation));
    }
    return {};
  }
};

}  // namespace

OperationInfo random_channel_permutation_operation() { return operation_info<RandomChannelPermutation>(); }

}  // namespace penstock::inline v0
