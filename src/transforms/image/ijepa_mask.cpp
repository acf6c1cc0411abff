// IJEPAMask: a context block and target blocks of patches; the masks of I-JEPA (arXiv 2301.08243).

#include <cmath>

#include "transforms/image/patch_masks.hpp"
#include "transforms/operation_info.hpp"
#include "transforms/python_round.hpp"

namespace penstock::inline v0 {
namespace {

constexpr int kPlaceAttempts = 20;  // before one target less is cut out of the context
constexpr int kMaxTargets = 64;

struct JepaParameters {
  transforms::Size grid;
  std::array<double, 2> context_scale = {0.85, 1.0};
  std::array<double, 2> target_scale = {0.15, 0.2};
  std::array<double, 2> target_aspect = {0.75, 1.5};
  int targets = 4;
  int min_keep = 10;
  std::string context_name = "context_mask";
  std::string target_name = "target_mask";

  template <class V>
  void fields(V&& v) {
    v("grid", grid, kGridDoc);
    v("context_scale", context_scale,
      "range of the context's share of the patches, before targets are cut out");
    v("target_scale", target_scale, "range of a target's share of the patches");
    v("target_aspect", target_aspect, "range of a target's height divided by its width");
    v("targets", targets, "targets of each image");
    v("min_keep", min_keep,
      "the context is to keep more patches than that; if 20 places leave fewer, one "
      "target less is cut out");
    v("context_name", context_name, "what the field of contexts is called");
    v("target_name", target_name, "what the field of targets is called");
  }
};

struct DrawnJepa {
  std::vector<int> context;  ///< top, left, height and width
  std::vector<int> targets;  ///< of each
  int cut_out = 0;           ///< how many of these are cut out of the context, the first ones
  int context_patches = 0;   ///< that the context has in every image of the batch: its first ones

  // Memory for drawing, and what it has found for one batch, in which all rows have the same; no values.
  std::vector<std::uint8_t> mask;
  KnownBatch known;
  int fewest = 0;

  template <class V>
  void fields(V&& v) {
    v("context", context);
    v("targets", targets);
    v("cut_out", cut_out);
    v("context_patches", context_patches);
  }
};

/// Sizes of blocks, which all images of a batch have in common.
struct BlockSizes {
  ImageSize context;
  ImageSize target;
};

class IJEPAMask final : public ImageOperation<IJEPAMask, JepaParameters, DrawnJepa> {
 public:
  static constexpr const char* kName = "IJEPAMask";
  static constexpr const char* kSummary =
      "Adds the masks of I-JEPA: the patches of a context, as many in each image of a batch, and of some "
      "targets; True is part of them. The image stays.";
  using ImageOperation::ImageOperation;

  Status check() const override {
    PENSTOCK_TRY(check_grid(kName, p_.grid));
    PENSTOCK_TRY(check_range_within(kName, "context_scale", p_.context_scale, 0, 1));
    PENSTOCK_TRY(check_range_within(kName, "target_scale", p_.target_scale, 0, 1));
    PENSTOCK_TRY(check_range_within(kName, "target_aspect", p_.target_aspect, 0.001, 1000));
    if (p_.targets < 1 || p_.targets > kMaxTargets) {
      return wrong("targets", fmt::format("must be between 1 and {}, got {}", kMaxTargets, p_.targets), "");
    }
    if (p_.min_keep < 0) {
      return wrong("min_keep", fmt::format("must be a non-negative integer, got {}", p_.min_keep), "");
    }
    PENSTOCK_TRY(check_field(kName, "context_name", p_.context_name));
    return check_field(kName, "target_name", p_.target_name);
  }

  Result<ImageSpec> describe(const ImageSpec& in) const override {
    return spec_with_patches(kName, grid_, in);
  }

  std::vector<MaskField> mask_fields() const override {
    MaskField targets{p_.target_name, grid_.shape()};
    targets.shape.insert(targets.shape.begin(), static_cast<std::size_t>(p_.targets));
    return {{p_.context_name, grid_.shape()}, std::move(targets)};
  }

  /// Draws for each row of the batch, by places in it, since the shortest context decides for all.
  Status draw(const ImageSlots& in, Draws&, DrawnJepa& drawn) const {
    Draws common = in.common_draws(0);
    const BlockSizes sizes = draw_sizes(common);
    if (drawn.known.is_new(in)) {
      drawn.fewest = static_cast<int>(grid_.patches());
      for (std::uint64_t row = 0; row < in.batch.rows; ++row) {
        drawn.fewest = std::min(drawn.fewest, draw_row(in, row, sizes, drawn));
      }
    }
    draw_row(in, in.batch.row, sizes, drawn);
    drawn.context_patches = drawn.fewest;
    return {};
  }

  Status plan(const ImageSpec&, const DrawnJepa& drawn, ImageEdits&) const {
    PENSTOCK_TRY(check_boxes(kName, "context", drawn.context, grid_));
    PENSTOCK_TRY(check_boxes(kName, "targets", drawn.targets, grid_));
    if (box_count(drawn.context) != 1) {
      return detail::wrong_drawn(kName, "context", "must have one block");
    }
    if (box_count(drawn.targets) != static_cast<std::size_t>(p_.targets)) {
      return detail::wrong_drawn(kName, "targets", fmt::format("must have {} blocks", p_.targets));
    }
    if (drawn.cut_out < 0 || drawn.cut_out > p_.targets) {
      return detail::wrong_drawn(kName, "cut_out", "must be a number of targets");
    }
    return {};
  }

  void write_mask(const Drawn& drawn, std::size_t field, std::span<std::uint8_t> out) const override {
    const DrawnJepa& blocks = of(drawn);
    if (field == 0) {
      write_context(blocks, out);
      return;
    }
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    for (std::size_t i = 0; i < box_count(blocks.targets); ++i) {
      grid_.set(out.subspan(i * grid_.patches(), grid_.patches()), box_at(blocks.targets, i), 1);
    }
  }

 private:
  /// One number decides about the share and the aspect of a block.
  ImageSize draw_size(Draws& draws, const std::array<double, 2>& scale,
                      const std::array<double, 2>& aspect) const {
    const double where = draws.uniform();
    const auto between = [where](const std::array<double, 2>& range) {
      return range[0] + where * (range[1] - range[0]);
    };
    const double patches = std::floor(static_cast<double>(grid_.patches()) * between(scale));
    const auto side = [](double area, int whole) {
      const int most = std::max(whole - 1, 1);  // no block is as wide or as high as the image
      return std::clamp(static_cast<int>(python_round(std::sqrt(area))), 1, most);
    };
    return {.width = side(patches / between(aspect), grid_.width),
            .height = side(patches * between(aspect), grid_.height)};
  }

  BlockSizes draw_sizes(Draws& draws) const {
    BlockSizes sizes;
    sizes.target = draw_size(draws, p_.target_scale, p_.target_aspect);
    sizes.context = draw_size(draws, p_.context_scale, {1.0, 1.0});
    return sizes;
  }

  /// The last place, at the bottom or on the right, is never drawn, as in I-JEPA's code.
  Rect draw_place(Draws& draws, ImageSize size) const {
    const auto below = [&draws](int places) {
      return static_cast<int>(draws.below(static_cast<std::uint64_t>(std::max(places, 1))));
    };
    Rect block{.x = 0, .y = 0, .width = size.width, .height = size.height};
    block.y = below(grid_.height - size.height);
    block.x = below(grid_.width - size.width);
    return block;
  }

  /// The blocks of one row of the batch; how many patches its context has.
  int draw_row(const ImageSlots& in, std::uint64_t row, const BlockSizes& sizes, DrawnJepa& drawn) const {
    Draws draws = in.common_draws(static_cast<std::uint32_t>(row) + 1);
    drawn.targets.clear();
    for (int i = 0; i < p_.targets; ++i) {
      append_box(drawn.targets, draw_place(draws, sizes.target));
    }
    for (drawn.cut_out = p_.targets;; --drawn.cut_out) {
      for (int attempt = 0; attempt < kPlaceAttempts; ++attempt) {
        drawn.context.clear();
        append_box(drawn.context, draw_place(draws, sizes.context));
        drawn.mask.resize(grid_.patches());
        const int patches = paint_context(drawn, drawn.mask);
        if (patches > p_.min_keep || drawn.cut_out == 0) {
          return patches;
        }
      }
    }
  }

  /// The whole context without the targets; how many patches it has.
  int paint_context(const DrawnJepa& drawn, std::span<std::uint8_t> out) const {
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    std::size_t patches = grid_.set(out, box_at(drawn.context, 0), 1);
    for (int i = 0; i < drawn.cut_out; ++i) {
      patches -= grid_.set(out, box_at(drawn.targets, static_cast<std::size_t>(i)), 0);
    }
    return static_cast<int>(patches);
  }

  void write_context(const DrawnJepa& drawn, std::span<std::uint8_t> out) const {
    paint_context(drawn, out);
    int left = drawn.context_patches;
    for (std::uint8_t& patch : out) {
      patch = patch != 0 && left > 0 ? 1 : 0;
      left -= patch;
    }
  }

  const PatchGrid grid_{p_.grid};
};

}  // namespace

OperationInfo ijepa_mask_operation() { return operation_info<IJEPAMask>(); }

}  // namespace penstock::inline v0
