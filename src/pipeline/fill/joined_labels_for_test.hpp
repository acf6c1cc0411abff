#pragma once
// A filler of rows of several parts, for tests.

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "formats/field_value.hpp"
#include "pipeline/fill/one_field_plan.hpp"

namespace penstock::inline v0 {

/// Joins the labels of all parts of a row, each with a number drawn for it: [2 x parts] int64.
class JoinedLabels final : public OneFieldPlan {
 public:
  explicit JoinedLabels(std::size_t field)
      : OneFieldPlan(field, {.info = {"label", FieldKind::array},
                             .spec = {.type = Scalar::int64, .shape = {kAnyExtent}}}) {}
  bool takes_several_parts() const noexcept override { return true; }
  std::unique_ptr<Filler> make_filler(const FillerTools& tools, std::size_t first_column) const override {
    return std::make_unique<Joiner>(tools, first_column, field());
  }
  std::string rows_in_words(std::size_t) const override { return "labels and draws"; }

 private:
  class Joiner final : public Filler {
   public:
    Joiner(const FillerTools& tools, std::size_t first_column, std::size_t field)
        : Filler(tools, first_column), field_(field) {}
    Status fill(const RowTask& task) override {
      joined_.clear();
      for (std::size_t number = 0; number < task.parts.size(); ++number) {
        PENSTOCK_TRY(
            read(task.parts[number], field_, WorkStage::assemble, [&](const StoredValue& value) -> Status {
              PENSTOCK_ASSIGN(const std::int64_t label, integer_of(value));
              joined_.push_back(label);
              return {};
            }));
        joined_.push_back(static_cast<std::int64_t>(Draws(task.key(number), 0).next32()));
      }
      std::memcpy(room(task, 0, {joined_.size()}), joined_.data(), joined_.size() * sizeof(std::int64_t));
      return {};
    }

   private:
    const std::size_t field_;
    std::vector<std::int64_t> joined_;
  };
};

inline Result<FillPlanPtr> joined_labels(const SampleTable&, std::size_t field, const FieldList& list,
                                         MemoryFormat, const LoaderOptions&) {
  if (!list.operations.empty()) {
    return Error{.kind = ErrorKind::invalid,
                 .message = fmt::format("labels of {} operation", list.operations.size())};
  }
  return FillPlanPtr(std::make_unique<JoinedLabels>(field));
}

}  // namespace penstock::inline v0
