#include "pipeline/fill/array_filler.hpp"

#include <fmt/format.h>

#include <cstring>

#include "pipeline/fill/one_field_plan.hpp"

namespace penstock::inline v0 {
namespace {

class ArrayFiller final : public Filler {
 public:
  ArrayFiller(const FillerTools& tools, std::size_t column, std::size_t field)
      : Filler(tools, column), field_(field) {}

  Status fill(const RowTask& task) override {
    return read(task.parts.front(), field_, WorkStage::assemble, [&](const StoredValue& value) -> Status {
      const std::size_t planned = column_of(task.storage).row_bytes;
      if (value.bytes.size() != planned) {
        return Error{.kind = ErrorKind::corrupt,
                     .message = fmt::format("an array of {} bytes, and those of the field have {}",
                                            value.bytes.size(), planned),
                     .advice = {},
                     .place = {.stage = "read"}};
      }
      std::memcpy(room(task, 0, {}), value.bytes.data(), planned);
      return {};
    });
  }

 private:
  const std::size_t field_;
};

class ArrayPlan final : public OneFieldPlan {
 public:
  using OneFieldPlan::OneFieldPlan;
  std::unique_ptr<Filler> make_filler(const FillerTools& tools, std::size_t column) const override {
    return std::make_unique<ArrayFiller>(tools, column, field());
  }
  std::string rows_in_words(std::size_t) const override { return "rows of " + column().spec.to_string(); }
};

}  // namespace

FillPlanPtr plan_arrays(const FieldInfo& field, std::size_t number, ArraySpec spec) {
  return std::make_unique<ArrayPlan>(number, ColumnPlan{.info = field, .spec = std::move(spec)});
}

}  // namespace penstock::inline v0
