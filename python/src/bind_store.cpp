#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "core/must_be.hpp"
#include "penstock/dataset.hpp"
#include "penstock/store.hpp"
#include "watched.hpp"

namespace nb = nanobind;

namespace penstock::python {

namespace {

std::optional<StoreImage> image_named(const nb::handle& given) {
  if (given.is_none()) {
    return {};
  }
  const std::string name = from_str(given);
  const std::optional<StoreImage> image = store_image_named(name);
  if (!image) {
    throw Raise{must_be("image", "'repack', 'repack_pixels', 'keep' or 'raw'", "'" + name + "'", "")};
  }
  return image;
}

FieldReadings readings_of(const Dataset& dataset) {
  FieldReadings readings;
  for (std::size_t field = 0; field < dataset.fields().size(); ++field) {
    readings.emplace(dataset.fields()[field].name, dataset.reading(field));
  }
  return readings;
}

nb::dict build(const Dataset& source, const nb::str& destination, const nb::dict& given,
               const nb::object& show) {
  Watched<BuildProgress> watched;
  BuildSettings settings;
  settings.image = image_named(given["image"]);
  settings.resize_shorter = nb::cast<std::optional<int>>(given["resize_shorter"]);
  settings.resize_longest = nb::cast<std::optional<int>>(given["resize_longest"]);
  settings.quality = nb::cast<std::optional<int>>(given["quality"]);
  settings.shard_bytes = nb::cast<std::optional<std::uint64_t>>(given["shard_bytes"]);
  settings.workers = nb::cast<std::optional<int>>(given["workers"]);
  settings.skip_errors = nb::cast<bool>(given["skip_errors"]);
  settings.max_errors = nb::cast<std::optional<std::uint64_t>>(given["max_errors"]);
  settings.max_error_share = nb::cast<std::optional<double>>(given["max_error_share"]);
  settings.append = nb::cast<bool>(given["append"]);
  settings.resume = nb::cast<bool>(given["resume"]);
  settings.max_pixels = source.max_pixels();
  settings.readings = readings_of(source);
  settings.progress = [&watched](const BuildProgress& progress) { return watched.report(progress); };
  const std::string path = from_str(destination);
  const BuildReport report =
      watched.run([&] { return build_store(*source.table(), source.description(), path, settings); }, show);
  nb::dict values;
  values["samples"] = report.samples;
  values["added"] = report.added;
  values["skipped"] = report.skipped;
  values["resumed_at"] = report.resumed_at;
  values["was_complete"] = report.was_complete;
  values["bytes_read"] = report.bytes_read;
  values["bytes_written"] = report.bytes_written;
  values["seconds"] = report.seconds;
  values["fingerprint"] = report.fingerprint;
  values["errors"] = exceptions(report.errors);
  values["warnings"] = texts(report.warnings);
  values["lost"] = texts(report.lost);
  return values;
}

std::vector<std::string> strings(const nb::typed<nb::list, nb::str>& list) {
  std::vector<std::string> texts;
  for (const nb::handle text : list) {
    texts.push_back(from_str(text));
  }
  return texts;
}

/// `opened`: the data set to check, in place of `paths`.
nb::dict verify(const Dataset* opened, const nb::typed<nb::list, nb::str>& paths, const Dataset* source,
                const nb::typed<nb::list, nb::str>& sources,
                const nb::typed<nb::dict, nb::str, nb::str>& fields, const nb::object& show) {
  Watched<CountProgress> watched;
  VerifySettings settings;
  if (opened != nullptr) {
    settings.max_pixels = opened->max_pixels();
    settings.readings = readings_of(*opened);
  }
  if (source != nullptr) {
    settings.table = source->table();
    settings.max_pixels = source->max_pixels();
  }
  settings.sources = strings(sources);
  for (const auto& [name, extension] : fields) {
    settings.fields.emplace_back(from_str(name), from_str(extension));
  }
  settings.progress = count_reporter(watched);
  const std::vector<std::string> named = strings(paths);
  const VerifyReport report = watched.run(
      [&] {
        return opened != nullptr ? verify_samples(*opened->table(), settings)
                                 : penstock::verify(named, settings);
      },
      show);
  nb::dict values;
  values["samples"] = report.samples;
  values["images"] = report.images;
  values["recordings"] = report.recordings;
  values["compared"] = report.compared;
  values["bytes"] = report.bytes;
  values["not_in_store"] = report.not_in_store;
  values["problems"] = report.problems;
  values["notes"] = texts(report.notes);
  values["warnings"] = texts(report.warnings);
  values["errors"] = exceptions(report.errors);
  return values;
}

}  // namespace

void bind_store(nb::module_& m) {
  m.def("build", &build, nb::arg("source"), nb::arg("destination"), nb::arg("settings"),
        nb::arg("show").none(),
        nb::sig("def build(source: Dataset, destination: str, settings: dict[str, Any], "
                "show: collections.abc.Callable[[int, int, int, float], None] | None) -> dict[str, Any]"));
  m.def("verify", &verify, nb::arg("opened").none(), nb::arg("paths"), nb::arg("source").none(),
        nb::arg("sources"), nb::arg("fields"), nb::arg("show").none(),
        nb::sig("def verify(opened: Dataset | None, paths: list[str], source: Dataset | None, "
                "sources: list[str], fields: dict[str, str], "
                "show: collections.abc.Callable[[int, int, int, float], None] | None) -> dict[str, Any]"));
}

}  // namespace penstock::python
