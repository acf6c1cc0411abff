#include "pipeline/fill/annotation_filler.hpp"

#include <array>
#include <cstring>

#include "formats/annotations.hpp"

namespace penstock::inline v0 {
namespace {

class AnnotationFiller final : public Filler {
 public:
  AnnotationFiller(const FillerTools& tools, std::size_t first_column, std::size_t field,
                   const AnnotationSpec& spec)
      : Filler(tools, first_column), field_(field), spec_(spec) {}

  Status fill(const RowTask& task) override {
    return read(task.parts.front(), field_, WorkStage::assemble, [&](const StoredValue& value) -> Status {
      PENSTOCK_TRY(read_annotations(value.bytes, spec_, found_));
      put(room(task, 0, {found_.count, numbers_each(spec_.kind)}), found_.numbers);
      if (!spec_.beside().empty()) {
        put(room(task, 1, {found_.count}), found_.labels);
      }
      return {};
    });
  }

 private:
  template <class Element>
  static void put(void* out, const std::vector<Element>& elements) {
    if (!elements.empty()) {
      std::memcpy(out, elements.data(), elements.size() * sizeof(Element));
    }
  }

  const std::size_t field_;
  const AnnotationSpec& spec_;
  Annotations found_;
};

class AnnotationPlan final : public FillPlan {
 public:
  AnnotationPlan(const FieldInfo& field, std::size_t number, const AnnotationSpec& spec)
      : field_{number}, spec_(spec) {
    columns_.push_back({.info = {field.name, FieldKind::array},
                        .spec = {.type = Scalar::float32, .shape = {kAnyExtent, numbers_each(spec.kind)}}});
    if (!spec.beside().empty()) {
      columns_.push_back({.info = {field.name + spec.beside(), FieldKind::array},
                          .spec = {.type = Scalar::int64, .shape = {kAnyExtent}}});
    }
  }

  const std::vector<ColumnPlan>& columns() const noexcept override { return columns_; }
  std::span<const std::size_t> fields() const noexcept override { return field_; }
  std::unique_ptr<Filler> make_filler(const FillerTools& tools, std::size_t first_column) const override {
    return std::make_unique<AnnotationFiller>(tools, first_column, field_[0], spec_);
  }
  std::string rows_in_words(std::size_t column) const override {
    return column == 1 ? std::string("list of int64 arrays, one ") +
                             (spec_.visibility ? "visibility for each key point" : "label for each box")
           : spec_.kind == AnnotationKind::boxes ? "list of float32 arrays, boxes by their corners"
                                                 : "list of float32 arrays, key points";
  }

 private:
  std::array<std::size_t, 1> field_;
  AnnotationSpec spec_;
  std::vector<ColumnPlan> columns_;
};

}  // namespace

FillPlanPtr plan_annotations(const FieldInfo& field, std::size_t number, const AnnotationSpec& spec) {
  return std::make_unique<AnnotationPlan>(field, number, spec);
}

}  // namespace penstock::inline v0
