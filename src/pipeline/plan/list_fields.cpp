#include "pipeline/plan/list_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "pipeline/plan/plan_parts.hpp"
#include "transforms/batch/batch_operation.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {
namespace {

const FieldInfo* find_kind(const std::vector<FieldInfo>& fields, FieldKind kind) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [kind](const FieldInfo& field) { return field.kind == kind; });
  return found != fields.end() ? &*found : nullptr;
}

/// Images that are not masks.
std::vector<std::size_t> images_of(const Dataset& dataset) {
  std::vector<std::size_t> images;
  for (std::size_t number = 0; number < dataset.fields().size(); ++number) {
    if (dataset.fields()[number].kind == FieldKind::image && !lies_in_plane(dataset.reading(number))) {
      images.push_back(number);
    }
  }
  return images;
}

/// The field of these that has the name, or the only one.
std::optional<std::size_t> named_or_only(const Dataset& dataset, const std::vector<std::size_t>& numbers,
                                         const char* name) {
  for (const std::size_t number : numbers) {
    if (dataset.fields()[number].name == name) {
      return number;
    }
  }
  return numbers.size() == 1 ? std::optional(numbers[0]) : std::nullopt;
}

/// `invalid`: what is meant for one image could be for each of several.
Error several_images(const Dataset& dataset, const std::string& what, std::string advice) {
  std::string names;
  for (const std::size_t number : images_of(dataset)) {
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", dataset.fields()[number].name);
  }
  return invalid(fmt::format("{}, and the data set has several: {}", what, names), std::move(advice));
}

/// The field that a list for the sample is for.
Result<std::string> usual_field(const Dataset& dataset) {
  const FieldInfo* const audio = find_kind(dataset.fields(), FieldKind::audio);
  if (audio != nullptr && find_kind(dataset.fields(), FieldKind::image) == nullptr) {
    return std::string(audio->name);
  }
  if (const auto image = sample_image(dataset)) {
    return std::string(dataset.fields()[*image].name);
  }
  if (images_of(dataset).size() > 1) {
    return several_images(dataset, "transforms is a list for the image of a sample",
                          fmt::format("name the one that it is for, transforms={{\"{}\": [...]}}, or call "
                                      "one 'image'",
                                      dataset.fields()[images_of(dataset)[0]].name));
  }
  return std::string(kViewedField);
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
          "the geometry of fields '{}' and '{}' is drawn separately, so their pixels do not line up; use one "
          "key for operations that belong together, in both lists: {}(..., key=\"name\")",
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
    const auto* batch = dynamic_cast<const BatchTransform*>(operation.get());
    return (image != nullptr && image->moves_pixels()) || (batch != nullptr && batch->moves_boxes());
  };
  const auto list_of = [&transforms](const std::string& name) {
    return std::find_if(transforms.begin(), transforms.end(),
                        [&name](const auto& entry) { return entry.first == name; });
  };
  const auto number = sample_image(dataset);
  const std::string name = number ? dataset.fields()[*number].name : kViewedField;
  const auto image = list_of(name);
  if (image == transforms.end() || std::none_of(image->second.begin(), image->second.end(), moves)) {
    return {};
  }
  std::string names;
  for (std::size_t number = 0; number < dataset.fields().size(); ++number) {
    const std::string& other = dataset.fields()[number].name;
    if (lies_in_plane(dataset.reading(number)) && list_of(other) == transforms.end()) {
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", other);
    }
  }
  return names.empty() ? ""
                       : fmt::format(
                             "transforms={{\"{}\": [...]}} moves the image and leaves {} as stored; pass "
                             "the list itself, transforms=[...], to move them together",
                             name, names);
}

}  // namespace

std::optional<std::size_t> sample_image(const Dataset& dataset) {
  return named_or_only(dataset, images_of(dataset), kViewedField);
}

std::optional<std::size_t> sample_label(const Dataset& dataset) {
  std::vector<std::size_t> integers;
  for (std::size_t number = 0; number < dataset.fields().size(); ++number) {
    if (dataset.fields()[number].kind == FieldKind::integer) {
      integers.push_back(number);
    }
  }
  return named_or_only(dataset, integers, kMixedLabels);
}

bool draws_by_field(const FieldTransforms& transforms) {
  return std::count_if(transforms.begin(), transforms.end(),
                       [](const auto& entry) { return !entry.second.empty(); }) > 1;
}

Result<FieldTransforms> lists_by_field(const Dataset& dataset, const FieldTransforms& transforms) {
  FieldTransforms lists;
  for (const auto& [given, operations] : transforms) {
    std::string name = given;
    if (given.empty()) {
      PENSTOCK_ASSIGN(name, operations.empty() ? Result<std::string>(kViewedField) : usual_field(dataset));
    }
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
  const auto field_of = [&dataset](std::size_t number) {
    return PlaneField{
        .number = number, .name = dataset.fields()[number].name, .reading = dataset.reading(number)};
  };
  std::vector<PlaneField> others;
  for (std::size_t number = 0; number < dataset.fields().size(); ++number) {
    if (lies_in_plane(dataset.reading(number))) {
      others.push_back(field_of(number));
    }
  }
  const std::optional<std::size_t> image = sample_image(dataset);
  if (!image || (views.empty() && (others.empty() || !is_for_sample(transforms)))) {
    return std::nullopt;
  }
  return PlaneFields{.image = field_of(*image), .others = std::move(others)};
}

Status check_views(const std::vector<View>& views, const Dataset& dataset, const FieldTransforms& lists,
                   const LoaderOptions& options) {
  const std::vector<FieldInfo>& fields = dataset.fields();
  const std::optional<std::size_t> number = sample_image(dataset);
  if (!number && images_of(dataset).size() > 1) {
    return several_images(dataset, "views are of the image of a sample",
                          "call one 'image': Dataset(..., fields={\"image\": ...})");
  }
  if (!number && find_kind(fields, FieldKind::image) != nullptr) {
    return invalid(fmt::format("cannot make views of field '{}': it is read as a mask",
                               find_kind(fields, FieldKind::image)->name),
                   "read it as an image");
  }
  if (!number) {
    return invalid("cannot make views: the data set has no field 'image' that holds images",
                   fmt::format("its fields are: {}", names_of(fields)));
  }
  const std::string& image = fields[*number].name;
  if (!options.decode) {
    return invalid("decode=False cannot be combined with views",
                   "stored bytes cannot be transformed; omit one of them");
  }
  for (const auto& [name, operations] : lists) {
    if (name == image && !operations.empty()) {
      return invalid(fmt::format("transforms for field '{}' cannot be combined with views of it", image),
                     "put them into each view");
    }
  }
  for (const View& view : views) {
    const bool taken = view.name == "index" || view.name == "key" ||
                       std::any_of(fields.begin(), fields.end(), [&](const FieldInfo& field) {
                         return field.name == view.name && field.name != image;
                       });
    if (taken || view.name.empty()) {
      return invalid(fmt::format("view name '{}' is already used by the batch", view.name),
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
