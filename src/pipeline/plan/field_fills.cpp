#include "pipeline/plan/field_fills.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pipeline/fill/annotation_filler.hpp"
#include "pipeline/fill/array_filler.hpp"
#include "pipeline/fill/audio_filler.hpp"
#include "pipeline/fill/bytes_filler.hpp"
#include "pipeline/fill/image_filler.hpp"
#include "pipeline/fill/number_filler.hpp"
#include "pipeline/fill/stored_image_filler.hpp"
#include "pipeline/plan/list_fields.hpp"
#include "pipeline/plan/plan_parts.hpp"
#include "transforms/batch/batch_operation.hpp"

namespace penstock::inline v0 {

Result<FillPlanPtr> FieldFills::of(std::size_t number) const {
  const FieldInfo& field = dataset.fields()[number];
  const auto chosen = std::find_if(lists.begin(), lists.end(),
                                   [&field](const auto& list) { return list.first == field.name; });
  FieldList list;
  if (chosen != lists.end()) {
    list = {.operations = chosen->second,
            .name = transforms[static_cast<std::size_t>(chosen - lists.begin())].first,
            .room = draws_by_field(lists) ? view_room(field.name) : 0};
  }
  if (rows.fill) {
    PENSTOCK_ASSIGN(FillPlanPtr fill, rows.fill(*dataset.table(), number, list, format, options));
    if (fill) {
      return fill;
    }
  }
  if (plane && number == plane->image.number) {
    const std::vector<View> all = views.empty() ? std::vector<View>{{"", 0, chosen->second}} : views;
    return plan_plane(*dataset.table(), *plane, all, format, options);
  }
  if (plane && lies_in_plane(dataset.reading(number))) {
    return FillPlanPtr();
  }
  if (const int classes = classes_for(batch_operations); classes > 0 && number == sample_label(dataset)) {
    return plan_one_hot(field, number, classes);
  }
  return of_kind(number, list);
}

Result<FillPlanPtr> FieldFills::of_kind(std::size_t number, const FieldList& list) const {
  const SampleTable& table = *dataset.table();
  const FieldInfo& field = dataset.fields()[number];
  const FieldReading& reading = dataset.reading(number);
  switch (field.kind) {
    case FieldKind::image:
      if (const std::optional<PixelLayout> layout = layout_of(reading.mode)) {
        PENSTOCK_ASSIGN(const int images, images_of(list.operations));
        if (images > 1 || adds_masks(list.operations)) {
          return plan_image_plane(table, {.number = number, .name = field.name, .reading = reading}, list,
                                  format, options);
        }
        return plan_images(table, field, number, *layout, list, format, options);
      }
      return plan_stored_images(table, field, number, reading.mode, list, format, options);
    case FieldKind::audio:
      return plan_audio(table, field, number, list);
    default:
      break;
  }
  if (!list.operations.empty()) {
    return invalid(fmt::format("cannot transform field '{}': it holds {}", field.name, name_of(field.kind)),
                   "transforms work on fields of kind image and audio");
  }
  if (reading.annotations) {
    return plan_annotations(field, number, *reading.annotations);
  }
  switch (field.kind) {
    case FieldKind::array:
      return plan_arrays(table.spec(number), number);
    case FieldKind::integer:
    case FieldKind::real:
      return plan_numbers(field, number);
    default:
      return plan_bytes(field, number);
  }
}

}  // namespace penstock::inline v0
