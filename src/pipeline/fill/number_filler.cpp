#include "pipeline/fill/number_filler.hpp"

#include "pipeline/fill/one_field_plan.hpp"

namespace penstock {
namespace {

template <class Value, Result<Value> (*value_of)(const StoredValue&)>
class NumberFiller final : public Filler {
 public:
  NumberFiller(const FillerTools& tools, std::size_t column, std::size_t field)
      : Filler(tools, column), field_(field) {}

  Status fill(const RowTask& task) override {
    return read(task.parts.front(), field_, WorkStage::assemble, [&](const StoredValue& value) -> Status {
      PENSTOCK_ASSIGN(*static_cast<Value*>(room(task, 0, {})), value_of(value));
      return {};
    });
  }

 private:
  const std::size_t field_;
};

class NumberPlan final : public OneFieldPlan {
 public:
  using OneFieldPlan::OneFieldPlan;
  std::unique_ptr<Filler> make_filler(const FillerTools& tools, std::size_t column) const override {
    if (this->column().spec.type == Scalar::float64) {
      return std::make_unique<NumberFiller<double, real_of>>(tools, column, field());
    }
    return std::make_unique<NumberFiller<std::int64_t, integer_of>>(tools, column, field());
  }
  std::string rows_in_words(std::size_t) const override { return name_of(column().spec.type); }
};

}  // namespace

FillPlanPtr plan_numbers(const FieldInfo& field, std::size_t number) {
  const Scalar type = field.kind == FieldKind::real ? Scalar::float64 : Scalar::int64;
  return std::make_unique<NumberPlan>(number, ColumnPlan{.info = field, .spec = {.type = type, .shape = {}}});
}

}  // namespace penstock
