#include "formats/annotations.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "core/printable.hpp"
#include "formats/json.hpp"

namespace penstock::inline v0 {
namespace {

Error wrong(const std::string& path, std::string_view what) {
  return {.kind = ErrorKind::corrupt,
          .message = fmt::format("path '{}': {}", printable(path), what),
          .advice = {},
          .place = {.stage = "decode"}};
}

/// Calls use(value) for every value that the rest of a path leads to.
template <class Use>
Status walk(const Json& value, std::string_view rest, const std::string& path, Use&& use) {
  if (rest.empty()) {
    return use(value);
  }
  const std::size_t dot = rest.find('.');
  const std::string_view name = rest.substr(0, dot);
  const std::string_view after = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
  if (const Json::List* list = value.list()) {
    if (name == "*") {
      for (const Json& item : *list) {
        PENSTOCK_TRY(walk(item, after, path, use));
      }
      return {};
    }
    std::size_t place = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), place);
    if (problem != std::errc() || end != name.data() + name.size() || place >= list->size()) {
      return wrong(path, fmt::format("a list of {} has no '{}'", list->size(), printable(std::string(name))));
    }
    return walk((*list)[place], after, path, use);
  }
  const Json* member = value.find(name);
  if (member == nullptr) {
    return wrong(path, name == "*" ? "'*' stands for the elements of a list, and there is none"
                                   : fmt::format("there is no '{}'", printable(std::string(name))));
  }
  return walk(*member, after, path, use);
}

/// The list's numbers from `first` on.
Status take_numbers(const Json::List& list, std::size_t first, std::size_t count, const std::string& path,
                    float* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = list[first + i].number();
    if (!number) {
      return wrong(path, "something is not a number");
    }
    out[i] = static_cast<float>(*number);
  }
  return {};
}

/// In float32, as torchvision converts boxes.
void to_corners(BoxFormat format, float* box) {
  if (format == BoxFormat::xywh) {
    box[2] += box[0];
    box[3] += box[1];
  } else if (format == BoxFormat::cxcywh) {
    const float half_width = 0.5F * box[2], half_height = 0.5F * box[3];
    const float x = box[0], y = box[1];
    box[0] = x - half_width;
    box[1] = y - half_height;
    box[2] = x + half_width;
    box[3] = y + half_height;
  }
}

/// One box or key point, or several.
Status take(const Json& value, const AnnotationSpec& spec, Annotations& out);

/// What a path leads to; `grouped`: one of several values, whose key points belong together.
Status take_all(const Json& value, const AnnotationSpec& spec, bool grouped, Annotations& out) {
  const Json::List* list = value.list();
  if (spec.kind == AnnotationKind::keypoints && !grouped && list != nullptr && !list->empty() &&
      list->front().list() != nullptr) {
    for (const Json& item : *list) {
      PENSTOCK_TRY(take_all(item, spec, true, out));
    }
    return {};
  }
  const std::size_t before = out.count;
  PENSTOCK_TRY(take(value, spec, out));
  if (spec.kind == AnnotationKind::keypoints) {
    out.groups.push_back(static_cast<std::uint32_t>(out.count - before));
  }
  return {};
}

Status take(const Json& value, const AnnotationSpec& spec, Annotations& out) {
  const Json::List* list = value.list();
  if (list == nullptr) {
    return wrong(spec.path, "there is no list");
  }
  if (!list->empty() && list->front().list() != nullptr) {
    for (const Json& item : *list) {
      PENSTOCK_TRY(take(item, spec, out));
    }
    return {};
  }
  const bool boxes = spec.kind == AnnotationKind::boxes;
  const std::size_t each = numbers_each(spec.kind);
  // Key points may have a third number, and then follow each other: COCO's visibility.
  const std::size_t stride = boxes || list->size() % 3 != 0 ? each : 3;
  if (list->size() % stride != 0 || ((boxes || stride == each) && list->size() > stride)) {
    return wrong(spec.path, fmt::format("{} numbers are not {}", list->size(),
                                        boxes ? "a box, which has 4" : "a key point, which has 2 or 3"));
  }
  for (std::size_t first = 0; first < list->size(); first += stride) {
    out.numbers.resize(out.numbers.size() + each);
    float* const numbers = out.numbers.data() + out.numbers.size() - each;
    PENSTOCK_TRY(take_numbers(*list, first, each, spec.path, numbers));
    if (boxes) {
      to_corners(spec.format, numbers);
    }
    ++out.count;
  }
  return {};
}

Status take_labels(const Json& value, const std::string& path, std::vector<std::int64_t>& out) {
  if (const Json::List* list = value.list()) {
    for (const Json& item : *list) {
      PENSTOCK_TRY(take_labels(item, path, out));
    }
    return {};
  }
  if (const auto whole = value.whole(); whole && *whole <= INT64_MAX) {
    out.push_back(static_cast<std::int64_t>(*whole));
  } else if (const std::int64_t* negative = value.negative()) {
    out.push_back(*negative);
  } else {
    return wrong(path, "a label is not an integer of 64 bits");
  }
  return {};
}

}  // namespace

Status check_annotations(const AnnotationSpec& spec) {
  for (const std::string* path : {&spec.path, &spec.labels}) {
    if (path->starts_with('.') || path->ends_with('.') || path->find("..") != std::string::npos) {
      return Error{.kind = ErrorKind::invalid,
                   .message = fmt::format("the path '{}' has an empty part", printable(*path)),
                   .advice = "use names, places in lists and *, joined by dots: \"annotations.*.bbox\"",
                   .place = {.stage = "open"}};
    }
  }
  return {};
}

Status read_annotations(ByteSpan json, const AnnotationSpec& spec, Annotations& out) {
  out.numbers.clear();
  out.labels.clear();
  out.groups.clear();
  out.count = 0;
  PENSTOCK_ASSIGN(const Json value, Json::parse({reinterpret_cast<const char*>(json.data()), json.size()}));
  const bool grouped = spec.path.find('*') != std::string::npos;
  PENSTOCK_TRY(walk(value, spec.path, spec.path,
                    [&](const Json& found) { return take_all(found, spec, grouped, out); }));
  if (spec.labels.empty()) {
    return {};
  }
  PENSTOCK_TRY(walk(value, spec.labels, spec.labels,
                    [&](const Json& found) { return take_labels(found, spec.labels, out.labels); }));
  if (out.labels.size() != out.count) {
    return wrong(spec.labels, fmt::format("{} labels for {} boxes", out.labels.size(), out.count));
  }
  return {};
}

}  // namespace penstock::inline v0
