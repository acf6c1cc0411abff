#include <string>
#include <utility>

#include "penstock/foreign_stage.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {
namespace {

/// Stands in lists of operations; programs of images end before it and begin after it.
class ForeignOperation final : public Transform {
 public:
  explicit ForeignOperation(std::shared_ptr<ForeignStage> stage) : stage_(std::move(stage)) {}

  std::string_view name() const noexcept override { return "Python"; }
  Params params() const override { return {{"fn", stage_->identity()}}; }
  const std::shared_ptr<ForeignStage>& foreign() const noexcept override { return stage_; }

 private:
  const std::shared_ptr<ForeignStage> stage_;
};

}  // namespace

TransformPtr foreign_transform(std::shared_ptr<ForeignStage> stage) {
  return std::make_shared<const ForeignOperation>(std::move(stage));
}

const std::shared_ptr<ForeignStage>& Transform::foreign() const noexcept {
  static const std::shared_ptr<ForeignStage> none;
  return none;
}

}  // namespace penstock::inline v0
