#include "pipeline/fill/number_filler.hpp"

#include "pipeline/fill/one_field_plan.hpp"

namespace penstock::inline v0 {
namespace {

class IntegerFiller final : public Filler {
 public:
  IntegerFiller(const FillerTools& tools, std::size_t column, std::size_t field)
      : Filler(tools, column), field_(field) {}

  Status fill(const RowTask& task) override {
    return read(task.parts.front(), field_, WorkStage::assemble, [&](const StoredValue& value) -> Status {
      PENSTOCK_ASSIGN(*static_cast<std::int64_t*>(room(task, 0, {})), integer_of(value));
      return {};
    });
  }

 private:
  const std::size_t field_;
};

class IntegerPlan final : public OneFieldPlan {
 public:
  using OneFieldPlan::OneFieldPlan;
  std::unique_ptr<Filler> make_filler(const FillerTools& tools, std::size_t column) const override {
    return std::make_unique<IntegerFiller>(tools, column, field());
  }
  std::string rows_in_words(std::size_t) const override { return "int64"; }
};

}  // namespace

FillPlanPtr plan_integers(const FieldInfo& field, std::size_t number) {
  return std::make_unique<IntegerPlan>(
      number, ColumnPlan{.info = field, .spec = {.type = Scalar::int64, .shape = {}}});
}

}  // namespace penstock::inline v0
