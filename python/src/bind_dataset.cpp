#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "array_type.hpp"
#include "bind.hpp"
#include "formats/format.hpp"
#include "penstock/dataset.hpp"
#include "watched.hpp"

namespace nb = nanobind;

namespace penstock::python {

namespace {

nb::bytes to_bytes(const std::vector<std::uint8_t>& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

nb::object to_array(Value value) {
  auto bytes = std::make_unique<std::vector<std::uint8_t>>(std::move(value.bytes));
  std::uint8_t* data = bytes->data();
  nb::capsule owner(bytes.release(),
                    [](void* held) noexcept { delete static_cast<std::vector<std::uint8_t>*>(held); });
  const std::vector<std::size_t>& shape = value.array.shape;
  return nb::cast(
      nb::ndarray<nb::numpy>(data, shape.size(), shape.data(), owner, nullptr, array_type(value.array.type)));
}

nb::object to_audio(Value value) {
  auto samples = std::make_unique<std::vector<float>>(std::move(value.samples));
  float* data = samples->data();
  const auto channels = static_cast<std::size_t>(value.channels);
  const std::size_t shape[2] = {channels, channels == 0 ? 0 : samples->size() / channels};
  nb::capsule owner(samples.release(),
                    [](void* held) noexcept { delete static_cast<std::vector<float>*>(held); });
  return nb::cast(nb::ndarray<nb::numpy, float>(data, 2, shape, owner));
}

nb::object to_object(Value value) {
  switch (value.kind) {
    case FieldKind::audio:
      return to_audio(std::move(value));
    case FieldKind::image:
    case FieldKind::array:
      return to_array(std::move(value));
    case FieldKind::integer:
      return nb::int_(value.integer);
    case FieldKind::real:
      return nb::float_(value.real);
    default:
      return to_bytes(value.bytes);
  }
}

/// From the order in which Python's classes list them (python/penstock/_readings.py).
FieldReading to_reading(const std::tuple<std::string, std::string, std::string, std::string>& given) {
  const auto& [kind, how, path, labels] = given;
  static const std::map<std::string, ImageMode> kModes = {{"RGB", ImageMode::rgb},
                                                          {"L", ImageMode::gray},
                                                          {"I;16", ImageMode::gray_16},
                                                          {"RGBA", ImageMode::rgba},
                                                          {"uint8", ImageMode::mask},
                                                          {"int32", ImageMode::wide_mask},
                                                          {"unchanged", ImageMode::unchanged}};
  static const std::map<std::string, BoxFormat> kFormats = {
      {"xyxy", BoxFormat::xyxy}, {"xywh", BoxFormat::xywh}, {"cxcywh", BoxFormat::cxcywh}};
  if (kind == "image") {
    return {.mode = kModes.at(how)};
  }
  if (kind == "keypoints") {
    return {.annotations = AnnotationSpec{
                .kind = AnnotationKind::keypoints, .path = path, .visibility = how == "visibility"}};
  }
  return {.annotations = AnnotationSpec{.path = path, .format = kFormats.at(how), .labels = labels}};
}

nb::list to_list(const std::vector<std::string>& texts) {
  nb::list list;
  for (const std::string& text : texts) {
    list.append(to_str(text));
  }
  return list;
}

template <class Work>
auto without_gil(Work&& work) {
  const GilRelease release;
  return work();
}

}  // namespace

void bind_dataset(nb::module_& m) {
  nb::class_<Dataset>(m, "Dataset", "Samples by number, read in place.")
      .def_static(
          "open",
          [](const nb::typed<nb::list, nb::str>& sources, const nb::typed<nb::dict, nb::str, nb::str>& fields,
             std::uint64_t max_pixels,
             const std::map<std::string, std::tuple<std::string, std::string, std::string, std::string>>&
                 readings) {
            std::vector<std::string> paths;
            for (const nb::handle source : sources) {
              paths.push_back(from_str(source));
            }
            DatasetOptions options{.fields = {}, .max_pixels = max_pixels};
            for (const auto& [name, reading] : readings) {
              options.readings.emplace(name, to_reading(reading));
            }
            for (const auto& [name, extension] : fields) {
              options.fields.emplace_back(from_str(name), from_str(extension));
            }
            return value_or_raise(interruptible([paths = std::move(paths), options = std::move(options)] {
              return Dataset::open(paths, options);
            }));
          },
          nb::arg("sources"), nb::arg("fields"), nb::arg("max_pixels"), nb::arg("readings"))
      .def("__len__", &Dataset::size)
      .def_prop_ro(
          "fields",
          [](const Dataset& self) {
            nb::dict fields;
            for (std::size_t field = 0; field < self.fields().size(); ++field) {
              const FieldReading& reading = self.reading(field);
              const bool is_array = reading.annotations || is_mask(reading.mode);
              fields[to_str(self.fields()[field].name)] =
                  name_of(is_array ? FieldKind::array : self.fields()[field].kind);
            }
            for (std::size_t field = 0; field < self.fields().size(); ++field) {
              const auto& annotations = self.reading(field).annotations;
              if (annotations && !annotations->beside().empty()) {
                fields[to_str(self.fields()[field].name + annotations->beside())] = name_of(FieldKind::array);
              }
            }
            return fields;
          },
          nb::sig("def fields(self) -> dict[str, str]"))
      .def_prop_ro(
          "planes",
          [](const Dataset& self) {
            nb::dict planes;
            for (std::size_t field = 0; field < self.fields().size(); ++field) {
              const FieldReading& reading = self.reading(field);
              if (reading.annotations) {
                const bool boxes = reading.annotations->kind == AnnotationKind::boxes;
                planes[to_str(self.fields()[field].name)] = boxes ? "boxes" : "keypoints";
              } else if (is_mask(reading.mode)) {
                planes[to_str(self.fields()[field].name)] = "mask";
              }
            }
            return planes;
          },
          nb::sig("def planes(self) -> dict[str, str]"),
          "Which fields are masks, boxes and key points: {name: \"mask\", \"boxes\" or \"keypoints\"}.")
      .def_prop_ro(
          "classes", [](const Dataset& self) { return to_list(self.classes()); },
          nb::sig("def classes(self) -> list[str]"))
      .def_prop_ro("fingerprint",
                   [](const Dataset& self) { return without_gil([&] { return self.fingerprint(); }); })
      .def_prop_ro(
          "warnings", [](const Dataset& self) { return to_list(self.warnings()); },
          nb::sig("def warnings(self) -> list[str]"))
      .def_prop_ro("description", [](const Dataset& self) { return to_str(self.description()); })
      .def(
          "key",
          [](const Dataset& self, std::uint64_t sample) { return to_str(value_or_raise(self.key(sample))); },
          nb::arg("sample"))
      .def(
          "at",
          [](const Dataset& self, std::uint64_t sample) {
            auto values = value_or_raise(without_gil([&] { return self.at(sample); }));
            nb::dict fields;
            nb::list lost;
            for (auto& [name, value] : values) {
              if (!value.lost.empty()) {
                lost.append(to_str(value.lost));
              }
              if (value.kind == FieldKind::audio) {
                fields[to_str(name + "_rate")] = value.rate;
              }
              fields[to_str(name)] = to_object(std::move(value));
            }
            return nb::make_tuple(fields, lost);
          },
          nb::arg("sample"), nb::sig("def at(self, sample: int) -> tuple[dict[str, Any], list[str]]"))
      .def(
          "raw",
          [](const Dataset& self, std::uint64_t sample) {
            const auto values = value_or_raise(without_gil([&] { return self.raw(sample); }));
            nb::dict fields;
            for (const auto& [name, bytes] : values) {
              fields[to_str(name)] = to_bytes(bytes);
            }
            return fields;
          },
          nb::arg("sample"), nb::sig("def raw(self, sample: int) -> dict[str, bytes]"));

  m.def(
      "format_catalog",
      [] {
        std::vector<std::string> names;
        for (const Format* const format : formats()) {
          names.emplace_back(format->name);
        }
        return names;
      },
      "The names of all formats, in the order in which they are asked whether a source is theirs.");
}

}  // namespace penstock::python
