#include "pipeline/fill/array_filler.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/fill/one_field_plan.hpp"

namespace penstock::inline v0 {
namespace {

class ArrayFiller final : public Filler {
 public:
  ArrayFiller(const FillerTools& tools, std::size_t column, std::size_t field, const FieldSpec& spec)
      : Filler(tools, column), field_(field), spec_(spec) {}

  Status fill(const RowTask& task) override {
    return read(task.parts.front(), field_, WorkStage::assemble, [&](const StoredValue& value) -> Status {
      if (spec_.encoding == FieldSpec::Encoding::values) {
        PENSTOCK_TRY(spec_.check_length(value.bytes.size()));  // tables of others may not have done so
        void* const row = room(task, 0, spec_.shape_of_length(value.bytes.size()));
        std::copy_n(value.bytes.data(), value.bytes.size(), static_cast<std::uint8_t*>(row));
        return {};
      }
      PENSTOCK_ASSIGN(const StoredArray array, array_of(spec_, value));
      array.copy(room(task, 0, array.shape()));
      return {};
    });
  }

 private:
  const std::size_t field_;
  const FieldSpec& spec_;  // of the plan
};

class ArrayPlan final : public OneFieldPlan {
 public:
  ArrayPlan(std::size_t field, FieldSpec spec)
      : OneFieldPlan(field, ColumnPlan{.info = spec, .spec = *spec.array}), spec_(std::move(spec)) {}
  std::unique_ptr<Filler> make_filler(const FillerTools& tools, std::size_t column) const override {
    return std::make_unique<ArrayFiller>(tools, column, field(), spec_);
  }
  std::string rows_in_words(std::size_t) const override { return "rows of " + column().spec.to_string(); }

 private:
  const FieldSpec spec_;
};

}  // namespace

FillPlanPtr plan_arrays(FieldSpec spec, std::size_t number) {
  return std::make_unique<ArrayPlan>(number, std::move(spec));
}

}  // namespace penstock::inline v0
