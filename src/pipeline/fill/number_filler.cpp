#include "pipeline/fill/number_filler.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pipeline/fill/one_field_plan.hpp"

namespace penstock::inline v0 {
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

class OneHotFiller final : public Filler {
 public:
  OneHotFiller(const FillerTools& tools, std::size_t column, std::size_t field, std::size_t classes)
      : Filler(tools, column), field_(field), classes_(classes) {}

  Status fill(const RowTask& task) override {
    return read(task.parts.front(), field_, WorkStage::assemble, [&](const StoredValue& value) -> Status {
      PENSTOCK_ASSIGN(const std::int64_t label, integer_of(value));
      if (label < 0 || static_cast<std::uint64_t>(label) >= classes_) {
        return Error{.kind = ErrorKind::invalid,
                     .message = fmt::format("label must be between 0 and {}, got {}", classes_ - 1, label),
                     .advice = "raise num_classes, or check the labels",
                     .place = {.stage = "transform"}};
      }
      auto* const row = static_cast<float*>(room(task, 0, {classes_}));
      std::fill_n(row, classes_, 0.0F);
      row[label] = 1.0F;
      return {};
    });
  }

 private:
  const std::size_t field_;
  const std::size_t classes_;
};

class OneHotPlan final : public OneFieldPlan {
 public:
  using OneFieldPlan::OneFieldPlan;
  std::unique_ptr<Filler> make_filler(const FillerTools& tools, std::size_t column_number) const override {
    return std::make_unique<OneHotFiller>(tools, column_number, field(), column().spec.shape[0]);
  }
  std::string rows_in_words(std::size_t) const override {
    return fmt::format("float32 rows of {} classes", column().spec.shape[0]);
  }
};

}  // namespace

FillPlanPtr plan_one_hot(const FieldInfo& field, std::size_t number, int classes) {
  // What the rows hold by now are arrays.
  const FieldInfo info{.name = field.name, .kind = FieldKind::array};
  return std::make_unique<OneHotPlan>(
      number, ColumnPlan{.info = info,
                         .spec = {.type = Scalar::float32, .shape = {static_cast<std::size_t>(classes)}}});
}

FillPlanPtr plan_numbers(const FieldInfo& field, std::size_t number) {
  const Scalar type = field.kind == FieldKind::real ? Scalar::float64 : Scalar::int64;
  return std::make_unique<NumberPlan>(number, ColumnPlan{.info = field, .spec = {.type = type, .shape = {}}});
}

}  // namespace penstock::inline v0
