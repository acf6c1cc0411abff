// MixUp: every image and its label are mixed with those of the row before; torchvision's rule.

#include "transforms/batch/batch_operation.hpp"
#include "transforms/distributions.hpp"

namespace penstock::inline v0 {
namespace {

struct MixUpParameters {
  double alpha = 1.0;
  int num_classes = 0;

  template <class V>
  void fields(V&& v) {
    v("alpha", alpha,
      "of the Beta(alpha, alpha) distribution that the share of each row's own image is drawn from");
    v("num_classes", num_classes,
      "labels become that many numbers: 1 for the class and 0 for others, mixed alike");
  }
};

struct DrawnShare {
  double lam = 1;

  template <class V>
  void fields(V&& v) {
    v("lam", lam);
  }
};

class MixUp final : public BatchOperation<MixUp, MixUpParameters, DrawnShare> {
 public:
  static constexpr const char* kName = "MixUp";
  static constexpr const char* kSummary =
      "Mixes every image of a batch, and its label, with the one before it; the first with the last.";
  using BatchOperation::BatchOperation;

  Status check() const override {
    PENSTOCK_TRY(check_alpha(kName, p_.alpha));
    return check_classes(kName, p_.num_classes);
  }

  int num_classes() const noexcept override { return p_.num_classes; }

  Status check_for(const BatchSpec& in) const override {
    PENSTOCK_TRY(cannot_mix(kName, in.masks.empty() ? in.others : in.masks));
    if (in.images.type != ElementType::float32 || !in.images.fixed_size()) {
      return Error{ErrorKind::invalid,
                   "MixUp mixes float32 images of one size",
                   "add RandomResizedCrop, CenterCrop or Resize([h, w]), and ToFloat or Normalize before it",
                   {}};
    }
    return needs_labels(kName, in);
  }

  void draw(const BatchSlots&, Draws& draws, DrawnShare& drawn) const {
    drawn.lam = beta_number(p_.alpha, draws);
  }

  void run(const DrawnShare& drawn, const BatchSlots& batch, Scratch& scratch) const {
    mix_with_row_before(batch.images.rows, batch.images.row_bytes() / sizeof(float), drawn.lam, scratch);
    mix_with_row_before(batch.labels, batch.classes, drawn.lam, scratch);
  }
};

}  // namespace

OperationInfo mix_up_operation() { return operation_info<MixUp>(); }

}  // namespace penstock::inline v0
