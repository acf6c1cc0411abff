// MixUp: every image and its label are mixed with those of another row; torchvision's rule, and timm's.

#include "transforms/batch/mixing.hpp"

namespace penstock::inline v0 {
namespace {

struct DrawnShares {
  Shares lam;

  template <class V>
  void fields(V&& v) {
    v("lam", lam);
  }
};

class MixUp final : public BatchOperation<MixUp, MixParameters, DrawnShares> {
 public:
  static constexpr const char* kName = "MixUp";
  static constexpr const char* kSummary =
      "Mixes every image of a batch, and its label, with the one before it; the first with the last.";
  using BatchOperation::BatchOperation;

  Status check() const override { return check_mix(kName, p_); }

  int num_classes() const noexcept override { return p_.num_classes; }

  Status check_for(const BatchSpec& in) const override {
    PENSTOCK_TRY(cannot_mix(kName, in.masks.empty() ? in.others : in.masks));
    PENSTOCK_TRY(needs_values(kName, in));
    return needs_labels(kName, in);
  }

  void draw(const BatchSlots& in, Draws& draws, DrawnShares& drawn) const {
    drawn.lam.each.resize(MixUnits{p_.mode, in.labels.size()}.count());
    for (double& lam : drawn.lam.each) {
      lam = beta_number(p_.alpha, draws);
    }
  }

  Status check_drawn(const DrawnShares& drawn, const BatchSlots& batch) const {
    return check_shares(kName, drawn.lam, {p_.mode, batch.labels.size()});
  }

  void run(const DrawnShares& drawn, const BatchSlots& batch, Scratch& scratch) const {
    const MixUnits units{p_.mode, batch.labels.size()};
    for_each_mixed(batch.images.rows, batch.images.row_bytes(), p_.pairing, scratch,
                   [&](std::size_t row, std::uint8_t* own, const std::uint8_t* other) {
                     mix_image(batch, own, other, drawn.lam.each[units.of(row)]);
                   });
    smooth_labels(batch, p_.label_smoothing);
    mix_labels(batch, p_.pairing, units, drawn.lam, scratch);
  }
};

}  // namespace

OperationInfo mix_up_operation() { return operation_info<MixUp>(); }

}  // namespace penstock::inline v0
