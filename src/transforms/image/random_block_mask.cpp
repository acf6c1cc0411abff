// RandomBlockMask: blocks of patches until their number is reached; the masks of BEiT, iBOT and DINOv2.

#include <cmath>
#include <numeric>

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
  std::vector<int> blocks;  ///< top, left, height and width of each

  // Memory for drawing, and for one batch how many rows are masked, and each row's place in a random order;
  // no values.
  std::vector<std::uint8_t> mask;
  KnownBatch known;
  double masked_rows = 0;
  std::vector<std::uint32_t> places;

  template <class V>
  void fields(V&& v) {
    v("blocks", blocks);
  }
};

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
    auto left = static_cast<std::size_t>(static_cast<double>(grid_.patches()) * draw_ratio(in, draws, drawn));
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
  double draw_ratio(const ImageSlots& in, Draws& draws, DrawnPatchBlocks& drawn) const {
    const auto [low, high] = p_.mask_ratio;
    if (!p_.per_batch) {
      return draws.chance(p_.p) ? draws.uniform(low, high) : 0;
    }
    if (drawn.known.is_new(in)) {
      order_rows(in, drawn);
    }
    const double place = drawn.places[static_cast<std::size_t>(in.batch.row)];
    const bool masked = place < drawn.masked_rows;
    return masked ? low + (high - low) * (place + draws.uniform()) / drawn.masked_rows : 0;
  }

  void order_rows(const ImageSlots& in, DrawnPatchBlocks& drawn) const {
    Draws common = in.common_draws(0);
    // Where the share is no whole number of rows, one more by chance.
    drawn.masked_rows = std::floor(static_cast<double>(in.batch.rows) * p_.p + common.uniform());
    drawn.places.resize(static_cast<std::size_t>(in.batch.rows));
    std::iota(drawn.places.begin(), drawn.places.end(), 0);
    for (std::size_t left = drawn.places.size(); left > 1; --left) {
      std::swap(drawn.places[left - 1], drawn.places[static_cast<std::size_t>(common.below(left))]);
    }
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
