#include "pipeline/fill/plane_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/annotations.hpp"
#include "penstock/foreign_stage.hpp"
#include "pipeline/fill/known_size.hpp"
#include "pipeline/fill/plane_filler.hpp"

namespace penstock::inline v0 {
namespace {

Error plane_error(std::string message, std::string advice) {
  return Error{.kind = ErrorKind::invalid,
               .message = std::move(message),
               .advice = std::move(advice),
               .place = {.stage = "plan"}};
}

/// What goes into the operations, of images read in that mode.
Result<ImageSpec> plane_input(const PlaneField& image) {
  const std::optional<PixelLayout> layout = layout_of(image.reading.mode);
  if (!layout) {
    return plane_error(
        fmt::format("field '{}' has views, or masks and boxes that move with it, but it is read unchanged",
                    image.name),
        "read it in one mode: penstock.Image(..., mode=\"RGB\")");
  }
  return image_spec(*layout);
}

std::size_t extent_of(int pixels) { return pixels > 0 ? static_cast<std::size_t>(pixels) : kAnyExtent; }

bool may_drop(const std::vector<TransformPtr>& operations) {
  return std::any_of(operations.begin(), operations.end(), [](const TransformPtr& operation) {
    const auto* image = dynamic_cast<const ImageTransform*>(operation.get());
    return image != nullptr && image->drops_annotations();
  });
}

/// The part of a path that leads to objects, "annotations.*" of "annotations.*.bbox"; empty: it names none.
std::string_view objects_of(const std::string& path) {
  const std::size_t star = path.rfind('*');
  return star == std::string::npos ? std::string_view() : std::string_view(path).substr(0, star + 1);
}

/// Finds the boxes that key points belong to: those of the same objects in the same json.
void pair_up(const SampleTable& table, std::vector<PlaneField>& others) {
  for (PlaneField& points : others) {
    for (std::size_t i = 0; i < others.size() && points.reading.annotations && !points.of_boxes; ++i) {
      const auto& boxes = others[i].reading.annotations;
      const AnnotationSpec& spec = *points.reading.annotations;
      if (spec.kind == AnnotationKind::keypoints && boxes && boxes->kind == AnnotationKind::boxes &&
          table.spec(points.number).choice() == table.spec(others[i].number).choice() &&
          !objects_of(spec.path).empty() && objects_of(spec.path) == objects_of(boxes->path)) {
        points.of_boxes = i;
      }
    }
  }
}

Status check_no_functions(const PlaneFields& fields, const std::vector<View>& views) {
  for (const View& view : views) {
    PENSTOCK_ASSIGN(const int images, images_of(view.operations));
    const bool masks = adds_masks(view.operations);
    for (const TransformPtr& operation : view.operations) {
      if (!operation || !operation->foreign()) {
        continue;
      }
      if (masks) {
        return plane_error(
            fmt::format("{} is in a list that makes masks of patches", operation->foreign()->name()),
            "omit it, or call it on the images of the batch");
      }
      if (images > 1) {
        return plane_error(
            fmt::format("{} is in a list that makes several images of one", operation->foreign()->name()),
            "omit it, or call it on the images of the batch");
      }
      if (!fields.others.empty()) {
        return plane_error(
            fmt::format("{} is in a list that moves '{}' with the image, but it acts on the image alone",
                        operation->foreign()->name(), fields.others[0].name),
            fmt::format(
                "use the list for the image alone, transforms={{\"{}\": [...]}}, and '{}' stays as it is",
                fields.image.name, fields.others[0].name));
      }
    }
  }
  return {};
}

}  // namespace

bool lies_in_plane(const FieldReading& reading) noexcept {
  return reading.annotations || is_mask(reading.mode);
}

PlanePlan::PlanePlan(PlaneFields fields, const FieldSpec& image, SampleProgram program, MemoryFormat format,
                     ImageSize input)
    : fields_(std::move(fields)),
      loss_(image.name, image.choice()),
      program_(std::move(program)),
      format_(format),
      input_(input) {
  numbers_.push_back(fields_.image.number);
  for (const PlaneField& field : fields_.others) {
    numbers_.push_back(field.number);
  }
}

Status PlanePlan::lay_out(const std::vector<View>& views, bool pad_images, const std::string& draws) {
  std::size_t number = 0;
  for (const View& view : views) {
    PENSTOCK_ASSIGN(const int images, images_of(view.operations));
    const auto count = static_cast<std::size_t>(images > 1 ? images : view.count);
    const ImageProgram& image_program = program_.views()[number].image;
    const ImageSpec& spec = image_program.output();
    if (count > 0 && !spec.fixed_size()) {
      return plane_error(fmt::format("view '{}' is counted, but its images differ in size", view.name),
                         "add RandomResizedCrop, CenterCrop, RandomCrop or Resize([h, w])");
    }
    const bool has_annotations =
        std::any_of(fields_.others.begin(), fields_.others.end(),
                    [](const auto& other) { return other.reading.annotations.has_value(); });
    if (count > 0 && has_annotations && may_drop(view.operations)) {
      return plane_error(
          fmt::format("view '{}' is counted, but drops boxes or key points: its images would have "
                      "different numbers of them",
                      view.name),
          "use views without a count, or omit the operation that drops");
    }
    drops_ = drops_ || (has_annotations && may_drop(view.operations));
    for (std::size_t i = 0; i < std::max<std::size_t>(count, 1); ++i, ++number) {
      const bool apart = images == 1 || i == 0;
      places_.push_back({.column = columns_.size(), .number = i, .count = count, .drawn_apart = apart});
      if (apart) {
        draws_.push_back(
            {view.name.empty() ? draws : view.name, view.count > 0, ListDraws(view.operations, {})});
      }
    }
    add({.info = {view.name.empty() ? fields_.image.name : view.name, FieldKind::image},
         .spec = {.type = scalar_of(spec.type),
                  .shape = plane_shape<std::vector<std::size_t>>(spec, format_)},
         .format = format_,
         .padded = pad_images && count == 0},
        count);
    for (const PlaneField& field : fields_.others) {
      add_columns_of(field, view.name, count, image_program, pad_images);
    }
    add_patch_masks(view, number - std::max<std::size_t>(count, 1), count);
  }
  return {};
}

void PlanePlan::add_patch_masks(const View& view, std::size_t first, std::size_t count) {
  const std::vector<ProgramMask>& masks = program_.views()[first].image.masks();
  for (std::size_t i = 0; i < masks.size(); ++i) {
    const MaskField& field = masks[i].field;
    for (std::size_t image = 0; image < std::max<std::size_t>(count, 1); ++image) {
      patch_masks_.push_back({.view = first + image,
                              .number = i,
                              .column = columns_.size() - places_[first].column,
                              .shape = Extents(field.shape)});
    }
    add({.info = {view.name.empty() ? field.name : view.name + "." + field.name, FieldKind::array},
         .spec = {.type = Scalar::boolean, .shape = field.shape}},
        count);
  }
}

void PlanePlan::add(ColumnPlan column, std::size_t count) {
  if (count > 0) {
    column.spec.shape.insert(column.spec.shape.begin(), count);
  }
  columns_.push_back(std::move(column));
}

void PlanePlan::add_columns_of(const PlaneField& field, const std::string& view, std::size_t count,
                               const ImageProgram& image, bool pad_images) {
  const ImageSize size = image.output().size;
  const std::string name = view.empty() ? field.name : view + "." + field.name;
  if (!field.reading.annotations) {
    add({.info = {name, FieldKind::array},
         .spec = {.type = field.reading.mode == ImageMode::wide_mask ? Scalar::int32 : Scalar::uint8,
                  .shape = {extent_of(size.height), extent_of(size.width)}},
         .padded = pad_images,
         .role = PlaneRole::mask},
        count);
    return;
  }
  const AnnotationSpec& spec = *field.reading.annotations;
  add({.info = {name, FieldKind::array},
       .spec = {.type = Scalar::float32, .shape = {kAnyExtent, numbers_each(spec.kind)}},
       .role = spec.kind == AnnotationKind::boxes ? PlaneRole::boxes : PlaneRole::points,
       .boxes = image.box_format()},
      count);
  if (field.columns() > 1) {
    const bool labels = spec.kind == AnnotationKind::boxes;
    add({.info = {name + spec.beside(), FieldKind::array},
         .spec = {.type = Scalar::int64, .shape = {kAnyExtent}},
         .role = labels ? PlaneRole::box_labels : PlaneRole::point_visibility},
        count);
  }
}

std::unique_ptr<Filler> PlanePlan::make_filler(const FillerTools& tools, std::size_t first_column) const {
  return make_plane_filler(*this, tools, first_column);
}

std::string PlanePlan::rows_in_words(std::size_t column) const {
  const ColumnPlan& plan = columns_[column];
  return plan.spec.fixed() ? "rows of " + plan.spec.to_string()
         : plan.padded
             ? fmt::format("{}, padded with zeros to the largest of the batch", name_of(plan.spec.type))
             : fmt::format("list of {} arrays, shapes vary", name_of(plan.spec.type));
}

std::string PlanePlan::work_in_words() const {
  std::string text;
  if (program_.views().size() > 1) {
    text += "one decode for all views\n";
  }
  if (!fields_.others.empty()) {
    std::string names;
    for (const PlaneField& field : fields_.others) {
      names += (names.empty() ? "" : ", ") + field.name;
    }
    text += fmt::format("geometry moves {} too\n", names);
  }
  for (const SampleView& view : program_.views()) {
    if (view.number == 0) {
      text += (view.name.empty() ? "" : "view " + view.name + "\n") + view.image.describe();
    }
  }
  return text;
}

namespace {

/// `draws`, `room`: the name and the room of what one view without a name draws.
Result<FillPlanPtr> plan_together(const SampleTable& table, PlaneFields fields,
                                  const std::vector<View>& views, MemoryFormat format,
                                  const LoaderOptions& options, const std::string& draws,
                                  std::uint64_t room) {
  PENSTOCK_TRY(check_no_functions(fields, views));
  PENSTOCK_ASSIGN(ImageSpec input, plane_input(fields.image));
  PENSTOCK_ASSIGN(SampleProgram program, SampleProgram::compile(views, input, format, options.fuse, room));
  if (std::any_of(program.views().begin(), program.views().end(),
                  [](const SampleView& view) { return !view.image.output().fixed_size(); })) {
    input.size = known_size(table, fields.image.number, options);
    if (input.fixed_size()) {
      PENSTOCK_ASSIGN(program, SampleProgram::compile(views, input, format, options.fuse, room));
    }
  }
  pair_up(table, fields.others);
  const FieldSpec image = table.spec(fields.image.number);
  auto plan = std::make_unique<PlanePlan>(std::move(fields), image, std::move(program), format, input.size);
  PENSTOCK_TRY(plan->lay_out(views, options.pad_images, draws));
  return FillPlanPtr(std::move(plan));
}

}  // namespace

Result<FillPlanPtr> plan_plane(const SampleTable& table, PlaneFields fields, const std::vector<View>& views,
                               MemoryFormat format, const LoaderOptions& options) {
  return plan_together(table, std::move(fields), views, format, options, "", 0);
}

Result<FillPlanPtr> plan_image_plane(const SampleTable& table, PlaneField image, const FieldList& list,
                                     MemoryFormat format, const LoaderOptions& options) {
  return plan_together(table, {.image = std::move(image), .others = {}}, {{"", 0, list.operations}}, format,
                       options, list.name, list.room);
}

}  // namespace penstock::inline v0
