// OneHot: labels as a number for each class, smoothed or not; the targets of a loss without mixing.

#include "transforms/batch/mixing.hpp"

namespace penstock::inline v0 {
namespace {

struct OneHotParameters {
  int num_classes = 0;
  double label_smoothing = 0;

  template <class V>
  void fields(V&& v) {
    v("num_classes", num_classes,
      "labels become that many float32 numbers: 1 for the class and 0 for others");
    v("label_smoothing", label_smoothing, "share of each label that all classes are given alike");
  }
};

class OneHot final : public BatchOperation<OneHot, OneHotParameters, NoDraw> {
 public:
  static constexpr const char* kName = "OneHot";
  static constexpr const char* kSummary =
      "Makes every label of a batch a number for each class, smoothed or not.";
  using BatchOperation::BatchOperation;

  Status check() const override {
    PENSTOCK_TRY(check_classes(kName, p_.num_classes));
    return check_smoothing(kName, p_.label_smoothing);
  }

  int num_classes() const noexcept override { return p_.num_classes; }
  Status check_for(const BatchSpec& in) const override { return needs_labels(kName, in); }
  void draw(const BatchSlots&, Draws&, NoDraw&) const {}
  Status check_drawn(const NoDraw&, const BatchSlots&) const { return {}; }
  void run(const NoDraw&, const BatchSlots& batch, Scratch&) const {
    smooth_labels(batch, p_.label_smoothing);
  }
};

}  // namespace

OperationInfo one_hot_operation() { return operation_info<OneHot>(); }

}  // namespace penstock::inline v0
