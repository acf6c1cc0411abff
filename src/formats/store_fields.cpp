#include "formats/store_fields.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "formats/annotations.hpp"
#include "formats/store_format.hpp"

namespace penstock::inline v0 {
namespace {

StoredArrays array_of(JsonMembers& field, bool has_encoding) {
  const auto type = scalar_named(field.text("type"));
  ArraySpec array{.type = type.value_or(Scalar::uint8), .shape = {}};
  field.list("shape", [&](const Json& item) {
    const auto extent = item.is_null() ? std::optional<std::uint64_t>(kAnyExtent) : item.whole();
    extent ? array.shape.push_back(*extent) : void(field.wrong("shape"));
  });
  const bool npy = has_encoding && field.text("encoding") == "npy";
  if (has_encoding && !npy) {
    field.wrong("encoding");
  }
  const bool first_differs =
      !array.shape.empty() && array.shape.front() == kAnyExtent &&
      std::find(array.shape.begin() + 1, array.shape.end(), kAnyExtent) == array.shape.end();
  const bool fits = array.fixed() ? array.bytes() <= FieldRecord::kMaxField : npy || first_differs;
  if (!type || array.shape.size() > kMaxDimensions || !fits) {
    field.wrong(type ? "shape" : "type");
  }
  return {.spec = std::move(array), .npy = npy};
}

std::optional<FieldKind> kind_named(std::string_view name) {
  for (const FieldKind kind : {FieldKind::image, FieldKind::bytes, FieldKind::text, FieldKind::json,
                               FieldKind::integer, FieldKind::real, FieldKind::array, FieldKind::audio}) {
    if (name == name_of(kind)) {
      return kind;
    }
  }
  return {};
}

struct NamedMode {
  const char* name;
  ImageMode mode;
};
constexpr NamedMode kModes[] = {{"L", ImageMode::gray},    {"I;16", ImageMode::gray_16},
                                {"RGBA", ImageMode::rgba}, {"unchanged", ImageMode::unchanged},
                                {"mask", ImageMode::mask}, {"mask int32", ImageMode::wide_mask}};

std::optional<ImageMode> mode_named(std::string_view name) {
  for (const NamedMode& known : kModes) {
    if (name == known.name) {
      return known.mode;
    }
  }
  return {};
}

const char* mode_name(ImageMode mode) {
  for (const NamedMode& known : kModes) {
    if (mode == known.mode) {
      return known.name;
    }
  }
  return "RGB";
}

constexpr std::string_view kBoxFormats[] = {"xyxy", "xywh", "cxcywh"};  // in the order of BoxFormat

Json as_json(const AnnotationSpec& spec) {
  if (spec.kind == AnnotationKind::keypoints) {
    Json::Members members{{"kind", "keypoints"}, {"path", spec.path}};
    if (spec.visibility) {
      members.emplace_back("visibility", true);
    }
    return members;
  }
  Json::Members members{
      {"kind", "boxes"}, {"path", spec.path}, {"format", kBoxFormats[static_cast<std::size_t>(spec.format)]}};
  if (!spec.labels.empty()) {
    members.emplace_back("labels", spec.labels);
  }
  return members;
}

AnnotationSpec annotations_of(JsonMembers& field, const Json& object) {
  JsonMembers members(object);
  AnnotationSpec spec{.path = members.text("path")};
  const std::string kind = members.text("kind");
  if (kind == "keypoints") {
    spec.kind = AnnotationKind::keypoints;
    const Json* const visibility = object.find("visibility");
    spec.visibility = visibility != nullptr && visibility->boolean() != nullptr && *visibility->boolean();
  } else {
    const auto format = std::find(std::begin(kBoxFormats), std::end(kBoxFormats), members.text("format"));
    spec.format = static_cast<BoxFormat>(format - std::begin(kBoxFormats));
    spec.labels = object.find("labels") != nullptr ? members.text("labels") : std::string();
    if (kind != "boxes" || format == std::end(kBoxFormats)) {
      members.wrong("annotations");
    }
  }
  if (!check_annotations(spec).ok()) {
    members.wrong("annotations");
  }
  field.join(members);
  return spec;
}

/// How the field is read, if that is not what its kind alone says.
FieldReading reading_of(JsonMembers& field, const Json& item, std::optional<FieldKind> kind) {
  FieldReading reading;
  if (item.find("mode") != nullptr) {
    const auto mode = mode_named(field.text("mode"));
    mode&& kind == FieldKind::image ? void(reading.mode = *mode) : void(field.wrong("mode"));
  }
  if (const Json* const annotations = item.find("annotations")) {
    reading.annotations = annotations_of(field, *annotations);
    if (kind != FieldKind::json) {
      field.wrong("annotations");
    }
  }
  return reading;
}

}  // namespace

Json::List store_fields(const StoreManifest& manifest) {
  Json::List field_list;
  for (const FieldInfo& field : manifest.fields) {
    Json::Members members{{"name", field.name}, {"kind", name_of(field.kind)}};
    if (const auto array = manifest.arrays.find(field.name); array != manifest.arrays.end()) {
      members.emplace_back("type", name_of(array->second.spec.type));
      Json::List shape;
      for (const std::size_t extent : array->second.spec.shape) {
        if (extent == kAnyExtent) {
          shape.emplace_back();
        } else {
          shape.emplace_back(extent);
        }
      }
      members.emplace_back("shape", std::move(shape));
      if (array->second.npy) {
        members.emplace_back("encoding", "npy");
      }
    }
    if (const auto found = manifest.readings.find(field.name); found != manifest.readings.end()) {
      const auto& annotations = found->second.annotations;
      annotations ? members.emplace_back("annotations", as_json(*annotations))
                  : members.emplace_back("mode", mode_name(found->second.mode));
    }
    field_list.push_back(std::move(members));
  }
  return field_list;
}

void read_store_fields(JsonMembers& members, StoreManifest& manifest) {
  members.list("fields", [&](const Json& item) {
    JsonMembers field(item);
    const std::string name = field.text("name");
    const auto kind = kind_named(field.text("kind"));
    if (!kind || name.empty()) {
      field.wrong("fields");
    }
    manifest.fields.push_back({name, kind.value_or(FieldKind::bytes)});
    if (kind == FieldKind::array) {
      manifest.arrays.emplace(name, array_of(field, item.find("encoding") != nullptr));
    }
    if (const FieldReading reading = reading_of(field, item, kind); reading != FieldReading()) {
      manifest.readings.emplace(name, reading);
    }
    members.join(field);
  });
}

}  // namespace penstock::inline v0
