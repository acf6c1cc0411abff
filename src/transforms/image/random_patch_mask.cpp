// RandomPatchMask: a share of the patches, chosen without regard to each other; the mask of MAE.

#include "transforms/drawn_stream.hpp"
#include "transforms/image/patch_masks.hpp"
#include "transforms/operation_info.hpp"

namespace penstock::inline v0 {
namespace {

struct PatchMaskParameters {
  transforms::Size grid;
  double mask_ratio = 0.75;
  std::string name = "patch_mask";

  template <class V>
  void fields(V&& v) {
    v("grid", grid, kGridDoc);
    v("mask_ratio", mask_ratio, "share of masked patches; int(patches * (1 - mask_ratio)) are kept");
    v("name", name, "what the field of masks is called");
  }
};

class RandomPatchMask final : public ImageOperation<RandomPatchMask, PatchMaskParameters, DrawnStream> {
 public:
  static constexpr const char* kName = "RandomPatchMask";
  static constexpr const char* kSummary =
      "Adds a mask of patches as MAE has it: an equal number of each image's, chosen at random; True is "
      "masked. The image stays.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_grid(kName, p_.grid));
    if (!(p_.mask_ratio >= 0) || !(p_.mask_ratio <= 1)) {
      return wrong("mask_ratio", fmt::format("must be between 0 and 1, got {}", p_.mask_ratio), "");
    }
    return check_field(kName, "name", p_.name);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return spec_with_patches(kName, grid_, in);
  }

  std::vector<MaskField> mask_fields() const override { return {{p_.name, grid_.shape()}}; }

  Status draw(const ImageSlots&, Draws& draws, DrawnStream& drawn) const {
    drawn.set(draws);
    return {};
  }

  /// Each patch in turn is kept as often as it would be among the first of them in a random order, which is
  /// what sorting noise gives.
  void write_mask(const Drawn& drawn, std::size_t, std::span<std::uint8_t> out) const override {
    Draws draws = of(drawn).draws();
    auto keep = static_cast<std::size_t>(static_cast<double>(out.size()) * (1.0 - p_.mask_ratio));
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool kept = draws.below(out.size() - i) < keep;
      keep -= kept ? 1 : 0;
      out[i] = kept ? 0 : 1;
    }
  }

 private:
  const PatchGrid grid_{p_.grid};
};

}  // namespace

OperationInfo random_patch_mask_operation() { return operation_info<RandomPatchMask>(); }

}  // namespace penstock::inline v0
