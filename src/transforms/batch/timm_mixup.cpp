// TimmMixup: MixUp, CutMix or nothing, for the batch, each pair or each row; timm's rule.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "transforms/batch/mixing.hpp"

namespace penstock::inline v0 {
namespace {

struct TimmMixupParameters {
  double mixup_alpha = 1.0;
  double cutmix_alpha = 0.0;
  std::optional<std::array<double, 2>> cutmix_minmax;
  double prob = 1.0;
  double switch_prob = 0.5;
  MixMode mode = MixMode::batch;
  bool correct_lam = true;
  double label_smoothing = 0.1;
  int num_classes = 1000;

  template <class V>
  void fields(V&& v) {
    v("mixup_alpha", mixup_alpha,
      "of the Beta distribution that MixUp's share of a row's own image is drawn from; 0: no MixUp");
    v("cutmix_alpha", cutmix_alpha, "the same of CutMix; 0: no CutMix, unless cutmix_minmax is given");
    v("cutmix_minmax", cutmix_minmax,
      "(min, max) share of each side that CutMix's box has, drawn apart; None: the box follows from "
      "the share");
    v("prob", prob, "probability of mixing at all");
    v("switch_prob", switch_prob, "probability of CutMix, where both are possible");
    v("mode", mode,
      "what has draws of its own: the 'batch', each 'pair' of rows that mirror each other, or each row "
      "('elem')");
    v("correct_lam", correct_lam, "labels are mixed by the area of the box as it was cut off at the edges");
    v("label_smoothing", label_smoothing,
      "share of each label, before it is mixed, that all classes are given alike");
    v("num_classes", num_classes, "labels become that many numbers, mixed as the images are");
  }
};

struct DrawnMixes {
  std::vector<int> cutmix;  ///< 1: CutMix, 0: MixUp, of each
  std::vector<int> box;     ///< left, top, right, bottom of each; zeros without CutMix
  Shares lam;

  template <class V>
  void fields(V&& v) {
    v("cutmix", cutmix);
    v("box", box);
    v("lam", lam);
  }
};

class TimmMixup final : public BatchOperation<TimmMixup, TimmMixupParameters, DrawnMixes> {
 public:
  static constexpr const char* kName = "TimmMixup";
  static constexpr const char* kSummary =
      "Mixes the rows of a batch that mirror each other, by MixUp or CutMix, with their labels: timm's "
      "Mixup.";
  using BatchOperation::BatchOperation;

  Status check() const override {
    PENSTOCK_TRY(check_classes(kName, p_.num_classes));
    PENSTOCK_TRY(check_smoothing(kName, p_.label_smoothing));
    for (const auto& [name, alpha] :
         {std::pair{"mixup_alpha", p_.mixup_alpha}, std::pair{"cutmix_alpha", p_.cutmix_alpha}}) {
      if (alpha != 0) {
        PENSTOCK_TRY(check_alpha(kName, name, alpha));
      }
    }
    if (p_.mixup_alpha == 0 && cutmix_alpha() == 0) {
      return wrong("mixup_alpha", "and cutmix_alpha are both 0", "omit TimmMixup, or use OneHot for labels");
    }
    for (const auto& [name, p] : {std::pair{"prob", p_.prob}, std::pair{"switch_prob", p_.switch_prob}}) {
      if (!(p >= 0 && p <= 1)) {
        return wrong(name, fmt::format("must be between 0 and 1, got {}", p), "");
      }
    }
    if (const auto& sides = p_.cutmix_minmax;
        sides && !((*sides)[0] >= 0 && (*sides)[0] <= (*sides)[1] && (*sides)[1] <= 1)) {
      return wrong("cutmix_minmax",
                   fmt::format("must be (min, max) between 0 and 1, got ({}, {})", (*sides)[0], (*sides)[1]),
                   "");
    }
    return {};
  }

  int num_classes() const noexcept override { return p_.num_classes; }

  Status check_for(const BatchSpec& in) const override {
    const bool mixes = p_.mixup_alpha > 0;
    PENSTOCK_TRY(cannot_mix(kName, mixes && !in.masks.empty() ? in.masks : in.others));
    PENSTOCK_TRY(mixes ? needs_values(kName, in) : needs_images(kName, in));
    return needs_labels(kName, in);
  }

  void draw(const BatchSlots& in, Draws& draws, DrawnMixes& drawn) const {
    const MixUnits units{p_.mode, in.labels.size()};
    drawn.cutmix.clear();
    drawn.box.clear();
    drawn.lam.each.resize(units.count());
    for (double& lam : drawn.lam.each) {
      MixBox box{};
      bool cuts = false;
      lam = 1;
      if (draws.chance(p_.prob)) {
        cuts = cutmix_alpha() > 0 && (p_.mixup_alpha == 0 || draws.chance(p_.switch_prob));
        lam = beta_number(cuts ? cutmix_alpha() : p_.mixup_alpha, draws);
      }
      if (cuts) {
        box = p_.cutmix_minmax ? draw_sides(in.images.size, draws) : draw_box(in.images.size, lam, draws);
        if (p_.correct_lam || p_.cutmix_minmax) {
          lam = units.share(share_outside(box, in.images.size));
        }
      }
      drawn.cutmix.push_back(cuts ? 1 : 0);
      append_box(box, drawn.box);
    }
  }

  Status check_drawn(const DrawnMixes& drawn, const BatchSlots& batch) const {
    const MixUnits units{p_.mode, batch.labels.size()};
    if (drawn.cutmix.size() != units.count()) {
      return detail::wrong_drawn(kName, "cutmix", fmt::format("must have {} numbers", units.count()));
    }
    PENSTOCK_TRY(check_shares(kName, drawn.lam, units));
    return check_boxes(kName, drawn.box, units, batch.images.size);
  }

  void run(const DrawnMixes& drawn, const BatchSlots& batch, Scratch& scratch) const {
    const MixUnits units{p_.mode, batch.labels.size()};
    for_each_moving_plane(batch, [&](const BatchPlane& plane) {
      for_each_mixed(plane.rows, plane.row_bytes(), Pairing::mirror, scratch,
                     [&](std::size_t row, std::uint8_t* own, const std::uint8_t* other) {
                       const std::size_t unit = units.of(row);
                       if (drawn.cutmix[unit] != 0) {
                         paste_box(plane, box_at(drawn.box, unit), own, other);
                       } else if (drawn.lam.each[unit] != 1) {
                         mix_image(batch, own, other, drawn.lam.each[unit]);
                       }
                     });
    });
    smooth_labels(batch, p_.label_smoothing);
    mix_labels(batch, Pairing::mirror, units, drawn.lam, scratch);
  }

 private:
  /// timm's, which is 1 where sides are given.
  double cutmix_alpha() const noexcept { return p_.cutmix_minmax ? 1.0 : p_.cutmix_alpha; }

  static int whole_below(int bound, Draws& draws) {
    return static_cast<int>(draws.below(static_cast<std::uint64_t>(std::max(bound, 1))));
  }

  static MixBox draw_box(ImageSize size, double lam, Draws& draws) {
    const double ratio = std::sqrt(1.0 - lam);
    const int width = static_cast<int>(size.width * ratio);
    const int height = static_cast<int>(size.height * ratio);
    const int y = whole_below(size.height, draws);
    const int x = whole_below(size.width, draws);
    return {std::max(x - width / 2, 0), std::max(y - height / 2, 0),
            std::min(x + (width + 1) / 2, size.width), std::min(y + (height + 1) / 2, size.height)};
  }

  MixBox draw_sides(ImageSize size, Draws& draws) const {
    const auto side = [&](int whole) {
      const int low = static_cast<int>(whole * (*p_.cutmix_minmax)[0]);
      const int high = static_cast<int>(whole * (*p_.cutmix_minmax)[1]);
      return low + whole_below(high - low, draws);
    };
    const int height = side(size.height);
    const int width = side(size.width);
    const int top = whole_below(size.height - height + 1, draws);
    const int left = whole_below(size.width - width + 1, draws);
    return {left, top, left + width, top + height};
  }
};

}  // namespace

OperationInfo timm_mixup_operation() { return operation_info<TimmMixup>(); }

}  // namespace penstock::inline v0
