// RandomBlockMask: blocks of patches until their number is reached; the masks of BEiT, iBOT and DINOv2.

#include <cmath>

#include "transforms/image/patch_masks.hpp"
#include "transforms/operation_info.hpp"
#include "transforms/python_round.hpp"

namespace penstock::inline v0 {
namespace {

constexpr int kBlockAttempts = 10;

struct BlockMaskParameters {
  transforms::Size grid;
  std::array<double, 2> mask_ratio = {0.1, 0.5};
  double p = 0.5;
  int min_patches = 4;
  std::array<double, 2> aspect = {0.3, 1.0 / 0.3};
  bool per_batch = true;
  std::string name = "patch_mask";

  template <class V>
  void fields(V&& v) {
    v("grid", grid, kGridDoc);
    v("mask_ratio", mask_ratio, "range of the share of patches that an image's blocks are to mask");
    v("p", p, "share of images that are masked; in others no patch is");
    v("min_patches", min_patches, "patches of a block, at least; fewer where fewer are left to mask");
    v("aspect", aspect, "range of a block's height divided by its width, drawn on a logarithmic scale");
    v("per_batch", per_batch,
      "True: that share of each batch, with their shares of patches spread evenly over the range, as DINOv2 "
      "has it; False: each image by chance, as iBOT has it");
    v("name", name, "what the field of masks is called");
  }
};

struct DrawnPatchBlocks {
  std::vector<int> blocks;         ///< top, left, height and width of each
  std::vector<std::uint8_t> mask;  // memory for drawing; no value

  template <class V>
  void fields(V&& v) {
    v("blocks", blocks);
  }
};

/// The place of a row among all of them in a random order, without having to keep that order.
std::uint64_t place_in_order(const Draws& words, const BatchPlace& batch) {
  Draws draws = words;
  std::uint64_t own = 0;
  for (std::uint64_t row = 0; row <= batch.row; ++row) {
    own = draws.next64();
  }
  draws = words;
  std::uint64_t before = 0;
  for (std::uint64_t row = 0; row < batch.rows; ++row) {
    const std::uint64_t word = draws.next64();
    before += word < own || (word == own && row < batch.row) ? 1 : 0;
  }
  return before;
}

class RandomBlockMask final : public ImageOperation<RandomBlockMask, BlockMaskParameters, DrawnPatchBlocks> {
 public:
  static constexpr const char* kName = "RandomBlockMask";
  static constexpr const char* kSummary =
      "Adds a mask of patches as iBOT and DINOv2 have it: blocks of them in some images of a batch; True is "
      "masked. The image stays.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_grid(kName, p_.grid));
    PENSTOCK_TRY(check_range_within(kName, "mask_ratio", p_.mask_ratio, 0, 1));
    PENSTOCK_TRY(check_chance(p_.p));
    if (p_.min_patches < 1) {
      return wrong("min_patches", fmt::format("must be a positive integer, got {}", p_.min_patches), "");
    }
    PENSTOCK_TRY(check_range_within(kName, "aspect", p_.aspect, 0.001, 1000));
    return check_field(kName, "name", p_.name);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return spec_with_patches(kName, grid_, in);
  }

  std::vector<MaskField> mask_fields() const override { return {{p_.name, grid_.shape()}}; }

  Status draw(const ImageSlots& in, Draws& draws, DrawnPatchBlocks& drawn) const {
    drawn.blocks.clear();
    drawn.mask.assign(grid_.patches(), 0);
    auto left = static_cast<std::size_t>(static_cast<double>(grid_.patches()) * draw_ratio(in, draws));
    while (left > 0) {
      const std::size_t masked = add_block(left, draws, drawn);
      if (masked == 0) {
        break;
      }
      left -= masked;
    }
    return {};
  }

  Status plan(const ImageSpec&, const DrawnPatchBlocks& drawn, ImageEdits&) const {
    return check_boxes(kName, "blocks", drawn.blocks, grid_);
  }

  void write_mask(const Drawn& drawn, std::size_t, std::span<std::uint8_t> out) const override {
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    const std::vector<int>& blocks = of(drawn).blocks;
    for (std::size_t i = 0; i < box_count(blocks); ++i) {
      grid_.set(out, box_at(blocks, i), 1);
    }
  }

 private:
  /// The share of the image's patches that is to be masked.
  double draw_ratio(const ImageSlots& in, Draws& draws) const {
    const auto [low, high] = p_.mask_ratio;
    if (!p_.per_batch) {
      return draws.chance(p_.p) ? draws.uniform(low, high) : 0;
    }
    Draws common = in.common_draws(0);
    // Where the share is no whole number of images, one more by chance.
    const double masked = std::floor(static_cast<double>(in.batch.rows) * p_.p + common.uniform());
    const auto place = static_cast<double>(place_in_order(common, in.batch));
    return place < masked ? low + (high - low) * (place + draws.uniform()) / masked : 0;
  }

  /// How many patches it masks that were not: at most `left`; 0 where no attempt has found room.
  std::size_t add_block(std::size_t left, Draws& draws, DrawnPatchBlocks& drawn) const {
    for (int attempt = 0; attempt < kBlockAttempts; ++attempt) {
      const double area = draws.uniform(p_.min_patches, static_cast<double>(left));
      const double aspect = std::exp(draws.uniform(std::log(p_.aspect[0]), std::log(p_.aspect[1])));
      const long height = python_round(std::sqrt(area * aspect));
      const long width = python_round(std::sqrt(area / aspect));
      if (height >= grid_.height || width >= grid_.width) {
        continue;
      }
      Rect block{.x = 0, .y = 0, .width = static_cast<int>(width), .height = static_cast<int>(height)};
      block.y = static_cast<int>(draws.below(static_cast<std::uint64_t>(grid_.height - height) + 1));
      block.x = static_cast<int>(draws.below(static_cast<std::uint64_t>(grid_.width - width) + 1));
      const std::size_t masked = grid_.count_zeros(drawn.mask, block);
      if (masked > 0 && masked <= left) {
        append_box(drawn.blocks, block);
        return grid_.set(drawn.mask, block, 1);
      }
    }
    return 0;
  }

  const PatchGrid grid_{p_.grid};
};

}  // namespace

OperationInfo random_block_mask_operation() { return operation_info<RandomBlockMask>(); }

}  // namespace penstock::inline v0
