#include "pipeline/plan/list_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "pipeline/plan/plan_parts.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {
namespace {

const FieldInfo* find_kind(const std::vector<FieldInfo>& fields, FieldKind kind) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [kind](const FieldInfo& field) { return field.kind == kind; });
  return found != fields.end() ? &*found : nullptr;
}

/// The field that a list for the sample is for.
std::string usual_field(const std::vector<FieldInfo>& fields) {
  const FieldInfo* const audio = find_kind(fields, FieldKind::audio);
  return audio != nullptr && find_kind(fields, FieldKind::image) == nullptr ? audio->name : kViewedField;
}

bool is_for_sample(const FieldTransforms& transforms) {
  return std::any_of(transforms.begin(), transforms.end(),
                     [](const auto& entry) { return entry.first.empty() && !entry.second.empty(); });
}

/// Operations of a list that move pixels by what they draw.
std::vector<TransformPtr> random_geometry(const std::vector<TransformPtr>& list) {
  std::vector<TransformPtr> found;
  for (const TransformPtr& operation : list) {
    const auto* image = dynamic_cast<const ImageTransform*>(operation.get());
    if (image != nullptr && image->moves_pixels() && !image->make_drawn()->values().empty()) {
      found.push_back(operation);
    }
  }
  return found;
}

/// Whether all of them have keys, and the others the same.
bool draw_alike(const std::vector<TransformPtr>& a, const std::vector<TransformPtr>& b) {
  const auto keys = [](const std::vector<TransformPtr>& operations) {
    std::set<std::string> all;
    for (const TransformPtr& operation : operations) {
      all.insert(operation->key());
    }
    return all;
  };
  return keys(a) == keys(b) && !keys(a).contains("");
}

std::string drawn_apart(const Dataset& dataset, const FieldTransforms& transforms) {
  std::string first;
  std::vector<TransformPtr> before;
  for (const FieldInfo& field : dataset.fields()) {
    const auto list = std::find_if(transforms.begin(), transforms.end(),
                                   [&field](const auto& entry) { return entry.first == field.name; });
    if (field.kind != FieldKind::image || list == transforms.end()) {
      continue;
    }
    std::vector<TransformPtr> drawing = random_geometry(list->second);
    if (drawing.empty()) {
      continue;
    }
    if (!before.empty() && !draw_alike(before, drawing)) {
      return fmt::format(
          "the geometry of fields '{}' and '{}' is drawn apart, so their pixels do not lie on each other; "
          "use "
          "one key for operations that belong together, in both lists: {}(..., key=\"name\")",
          first, field.name, drawing[0]->name());
    }
    first = field.name;
    before = std::move(drawing);
  }
  return {};
}

std::string left_behind(const Dataset& dataset, const FieldTransforms& transforms) {
  const auto moves = [](const TransformPtr& operation) {
    const auto* image = dynamic_cast<const ImageTransform*>(operation.get());
    return image != nullptr && image->moves_pixels();
  };
  const auto list_of = [&transforms](const std::string& name) {
    return std::find_if(transforms.begin(), transforms.end(),
                        [&name](const auto& entry) { return entry.first == name; });
  };
  const auto image = list_of(kViewedField);
  if (image == transforms.end() || std::none_of(image->second.begin(), image->second.end(), moves)) {
    return {};
  }
  std::string names;
  for (std::size_t number = 0; number < dataset.fields().size(); ++number) {
    const std::string& name = dataset.fields()[number].name;
    if (lies_in_plane(dataset.reading(number)) && list_of(name) == transforms.end()) {
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", name);
    }
  }
  return names.empty() ? ""
                       : fmt::format(
                             "transforms={{\"{}\": [...]}} moves the image and leaves {} as stored; pass "
                             "the list itself, transforms=[...], to move them together",
                             kViewedField, names);
}

}  // namespace

bool draws_by_field(const FieldTransforms& transforms) {
  return std::count_if(transforms.begin(), transforms.end(),
                       [](const auto& entry) { return !entry.second.empty(); }) > 1;
}

Result<FieldTransforms> lists_by_field(const Dataset& dataset, const FieldTransforms& transforms) {
  FieldTransforms lists;
  for (const auto& [given, operations] : transforms) {
    const std::string name = given.empty() ? usual_field(dataset.fields()) : given;
    if (std::any_of(lists.begin(), lists.end(), [&name](const auto& list) { return list.first == name; })) {
      return invalid(fmt::format("there are two lists of transforms for field '{}'", name),
                     "keep one of them");
    }
    lists.emplace_back(name, operations);
  }
  return lists;
}

std::optional<PlaneFields> plane_of(const Dataset& dataset, const FieldTransforms& transforms,
                                    const std::vector<View>& views) {
  std::optional<PlaneField> image;
  std::vector<PlaneField> others;
  for (std::size_t number = 0; number < dataset.fields().size(); ++number) {
    const FieldInfo& field = dataset.fields()[number];
    const FieldReading& reading = dataset.reading(number);
    if (field.name == kViewedField && field.kind == FieldKind::image && !lies_in_plane(reading)) {
      image = {.number = number, .name = field.name, .reading = reading};
    } else if (lies_in_plane(reading)) {
      others.push_back({.number = number, .name = field.name, .reading = reading});
    }
  }
  if (!image || (views.empty() && (others.empty() || !is_for_sample(transforms)))) {
    return std::nullopt;
  }
  return PlaneFields{.image = *std::move(image), .others = std::move(others)};
}

Status check_views(const std::vector<View>& views, const std::vector<FieldInfo>& fields,
                   const FieldTransforms& lists, const LoaderOptions& options) {
  const auto image = std::find_if(fields.begin(), fields.end(),
                                  [](const FieldInfo& field) { return field.name == kViewedField; });
  if (image == fields.end() || image->kind != FieldKind::image) {
    return invalid("cannot make views: the data set has no field 'image' that holds images",
                   fmt::format("its fields are: {}", names_of(fields)));
  }
  if (!options.decode) {
    return invalid("decode=False cannot be combined with views",
                   "stored bytes cannot be transformed; omit one of them");
  }
  for (const auto& [name, operations] : lists) {
    if (name == kViewedField && !operations.empty()) {
      return invalid("transforms for field 'image' cannot be combined with views of it",
                     "put them into each view");
    }
  }
  for (const View& view : views) {
    const bool taken = view.name == "index" || view.name == "key" ||
                       std::any_of(fields.begin(), fields.end(), [&](const FieldInfo& field) {
                         return field.name == view.name && field.name != kViewedField;
                       });
    if (taken || view.name.empty()) {
      return invalid(fmt::format("a view is called '{}', a name that batches have already", view.name),
                     "use another name");
    }
  }
  return {};
}

std::vector<Loader::Problem> list_problems(const Dataset& dataset, const FieldTransforms& transforms) {
  std::vector<Loader::Problem> problems;
  if (std::string text = drawn_apart(dataset, transforms); !text.empty()) {
    problems.push_back({.about = "draws", .text = std::move(text)});
  }
  if (std::string text = left_behind(dataset, transforms); !text.empty()) {
    problems.push_back({.about = "plane", .text = std::move(text)});
  }
  return problems;
}

}  // namespace penstock::inline v0
