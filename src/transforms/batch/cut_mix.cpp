// CutMix: a box of every image is that of another row, and labels are mixed by its area; torchvision's rule.

#include <algorithm>
#include <cmath>

#include "transforms/batch/mixing.hpp"

namespace penstock::inline v0 {
namespace {

struct DrawnCuts {
  std::vector<int> box;  ///< left, top, right, bottom of each
  Shares lam;            ///< of the image that stays

  template <class V>
  void fields(V&& v) {
    v("box", box);
    v("lam", lam);
  }
};

class CutMix final : public BatchOperation<CutMix, MixParameters, DrawnCuts> {
 public:
  static constexpr const char* kName = "CutMix";
  static constexpr const char* kSummary =
      "Pastes a box of the image before into every image of a batch, and mixes labels by its area.";
  using BatchOperation::BatchOperation;

  Status check() const override { return check_mix(kName, p_); }

  int num_classes() const noexcept override { return p_.num_classes; }

  Status check_for(const BatchSpec& in) const override {
    PENSTOCK_TRY(cannot_mix(kName, in.others));
    PENSTOCK_TRY(needs_images(kName, in));
    return needs_labels(kName, in);
  }

  void draw(const BatchSlots& in, Draws& draws, DrawnCuts& drawn) const {
    const MixUnits units{p_.mode, in.labels.size()};
    drawn.box.clear();
    drawn.lam.each.resize(units.count());
    for (double& lam : drawn.lam.each) {
      const MixBox box = draw_box(in.images.size, beta_number(p_.alpha, draws), draws);
      append_box(box, drawn.box);
      lam = units.share(share_outside(box, in.images.size));
    }
  }

  Status check_drawn(const DrawnCuts& drawn, const BatchSlots& batch) const {
    const MixUnits units{p_.mode, batch.labels.size()};
    PENSTOCK_TRY(check_shares(kName, drawn.lam, units));
    return check_boxes(kName, drawn.box, units, batch.images.size);
  }

  void run(const DrawnCuts& drawn, const BatchSlots& batch, Scratch& scratch) const {
    const MixUnits units{p_.mode, batch.labels.size()};
    for_each_moving_plane(batch, [&](const BatchPlane& plane) {
      for_each_mixed(plane.rows, plane.row_bytes(), p_.pairing, scratch,
                     [&](std::size_t row, std::uint8_t* own, const std::uint8_t* other) {
                       paste_box(plane, box_at(drawn.box, units.of(row)), own, other);
                     });
    });
    smooth_labels(batch, p_.label_smoothing);
    mix_labels(batch, p_.pairing, units, drawn.lam, scratch);
  }

 private:
  static MixBox draw_box(ImageSize size, double lam, Draws& draws) {
    const auto [width, height] = size;
    const auto x = static_cast<int>(draws.below(static_cast<std::uint64_t>(width)));
    const auto y = static_cast<int>(draws.below(static_cast<std::uint64_t>(height)));
    const double r = 0.5 * std::sqrt(1.0 - lam);
    const int half_width = static_cast<int>(r * width);
    const int half_height = static_cast<int>(r * height);
    return {std::max(x - half_width, 0), std::max(y - half_height, 0), std::min(x + half_width, width),
            std::min(y + half_height, height)};
  }
};

}  // namespace

OperationInfo cut_mix_operation() { return operation_info<CutMix>(); }

}  // namespace penstock::inline v0
