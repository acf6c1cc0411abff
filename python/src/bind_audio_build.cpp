#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "bind.hpp"
#include "mel_settings.hpp"
#include "penstock/audio_build.hpp"
#include "penstock/dataset.hpp"
#include "watched.hpp"

namespace nb = nanobind;

namespace penstock::python {
namespace {

/// Calls compute(waves, out) with views of the buffers: [count, samples] float32, and a row of bytes per
/// segment.
AudioCompute python_compute(const nb::object& compute, std::size_t samples, std::size_t segment_bytes) {
  return [&compute, samples, segment_bytes](const float* waves, std::size_t count, void* out) -> Status {
    const nb::gil_scoped_acquire acquire;
    try {
      // It is only read, but torch has no tensors that cannot be written.
      nb::ndarray<nb::numpy, float> in(const_cast<float*>(waves), {count, samples});
      nb::ndarray<nb::numpy, std::uint8_t> result(static_cast<std::uint8_t*>(out), {count, segment_bytes});
      compute(in.cast(nb::rv_policy::reference), result.cast(nb::rv_policy::reference));
      return {};
    } catch (const std::exception& problem) {  // Python's exceptions among them; they end with this thread
      return Error{.kind = ErrorKind::io,
                   .message = std::string("the features could not be computed: ") + problem.what(),
                   .advice = {},
                   .place = {.stage = "compute"}};
    }
  };
}

AudioBuildSettings settings_of(const nb::dict& given) {
  AudioBuildSettings settings;
  settings.sample_rate = nb::cast<int>(given["build_rate"]);
  settings.duration = nb::cast<double>(given["duration"]);
  settings.long_segment = nb::cast<int>(given["long_segment"]);
  settings.short_segment = nb::cast<int>(given["short_segment"]);
  settings.mel = mel_settings(given);
  settings.half = nb::cast<bool>(given["half"]);
  settings.label_pattern = from_str(given["label_pattern"]);
  settings.device = from_str(given["device"]);
  settings.num_mega_buffers = nb::cast<int>(given["num_mega_buffers"]);
  settings.seg_microbatch_segments = nb::cast<int>(given["seg_microbatch_segments"]);
  settings.batch_files = nb::cast<std::optional<int>>(given["batch_files"]);
  settings.autosize_gpu_batch = nb::cast<bool>(given["autosize_gpu_batch"]);
  settings.workers = nb::cast<std::optional<int>>(given["workers"]);
  settings.skip_errors = nb::cast<bool>(given["skip_errors"]);
  settings.max_errors = nb::cast<std::optional<std::uint64_t>>(given["max_errors"]);
  settings.max_error_share = nb::cast<std::optional<double>>(given["max_error_share"]);
  settings.resume = nb::cast<bool>(given["resume"]);
  return settings;
}

nb::dict as_dict(const AudioBuildReport& report) {
  nb::dict stages;
  stages["read"] = report.stages.read;
  stages["convert"] = report.stages.convert;
  stages["compute"] = report.stages.compute;
  stages["write"] = report.stages.write;
  stages["wait"] = report.stages.wait;
  nb::dict values;
  values["files"] = report.files;
  values["samples"] = report.samples;
  values["skipped"] = report.skipped;
  values["resumed_at"] = report.resumed_at;
  values["was_complete"] = report.was_complete;
  values["bytes_read"] = report.bytes_read;
  values["bytes_written"] = report.bytes_written;
  values["seconds"] = report.seconds;
  values["flush_seconds"] = report.flush_seconds;
  values["workers"] = report.workers;
  values["batch_files"] = report.batch_files;
  values["stages"] = stages;
  values["bottleneck"] = to_str(report.bottleneck);
  values["warnings"] = texts(report.warnings);
  values["errors"] = exceptions(report.errors);
  return values;
}

nb::dict build_audio_file(const Dataset* opened, const nb::str& source, const nb::str& destination,
                          const nb::dict& given, const nb::object& show, const nb::object& compute) {
  Watched<AudioBuildProgress> watched;
  AudioBuildSettings settings = settings_of(given);
  settings.progress = [&watched](const AudioBuildProgress& progress) { return watched.report(progress); };
  if (!compute.is_none()) {
    settings.compute = python_compute(compute, static_cast<std::size_t>(settings.short_segment),
                                      nb::cast<std::size_t>(given["segment_bytes"]));
  }
  const std::string from = from_str(source);
  const std::string to = from_str(destination);
  return as_dict(watched.run(
      [&] {
        return opened != nullptr ? build_audio(*opened->table(), opened->description(), to, settings)
                                 : build_audio(from, to, settings);
      },
      show));
}

}  // namespace

void bind_audio_build(nb::module_& m) {
  m.def(
      "build_audio", &build_audio_file, nb::arg("opened").none(), nb::arg("source"), nb::arg("destination"),
      nb::arg("settings"), nb::arg("show").none(), nb::arg("compute").none(),
      nb::sig(
          "def build_audio(opened: Dataset | None, source: str, destination: str, settings: dict[str, Any], "
          "show: collections.abc.Callable[[int, int, int, float], None] | None, "
          "compute: collections.abc.Callable[[Any, Any], None] | None) -> dict[str, Any]"));
}

}  // namespace penstock::python
