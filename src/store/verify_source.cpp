#include <fmt/format.h>

#include <memory>
#include <utility>

#include "codecs/audio_decoder.hpp"
#include "codecs/image_decoder.hpp"
#include "formats/field_value.hpp"
#include "formats/sample_table.hpp"
#include "formats/store.hpp"
#include "store/verify_run.hpp"

namespace penstock::inline v0 {

Result<WholeImage> decode_whole(ImageDecoder& decoder, const StoredValue& stored, ImageMode mode,
                                Scratch& pixels) {
  PENSTOCK_ASSIGN(const ImageSize size, decoder.open(stored.image()));
  PENSTOCK_ASSIGN(const PixelLayout layout, decoder.layout_for(mode));
  const std::size_t stride = pixel_bytes(layout) * static_cast<std::size_t>(size.width);
  const std::size_t bytes = stride * static_cast<std::size_t>(size.height);
  PENSTOCK_TRY(decoder.decode({0, 0, size.width, size.height}, {.data = pixels.reserve(bytes),
                                                                .stride = stride,
                                                                .width = size.width,
                                                                .height = size.height,
                                                                .layout = layout}));
  return WholeImage{.size = size, .layout = layout, .pixels = {pixels.data(), bytes}};
}

void note_unknown_lengths(VerifyReport& report, std::uint64_t recordings) {
  if (recordings > 0) {
    report.notes.push_back(fmt::format(
        "{} recording{} not say how long {} (their writer left a placeholder): all that is there counts",
        recordings, recordings == 1 ? " does" : "s do", recordings == 1 ? "it is" : "they are"));
  }
}

void add_findings(VerifyReport& report, Findings found) {
  constexpr std::size_t kFindingsKept = 100'000;
  report.images += found.images;
  report.recordings += found.recordings;
  report.compared += found.compared;
  report.bytes += found.bytes;
  report.problems += found.errors.size();
  for (Error& error : found.errors) {
    if (report.errors.size() < kFindingsKept) {
      report.errors.push_back(std::move(error));
    }
  }
}

namespace {

/// Reads and decodes what a loader would. One per thread.
class SourceChecker {
 public:
  SourceChecker(const SampleTable& table, const VerifySettings& settings)
      : table_(table),
        readings_(readings_of(table, settings.readings)),
        decodes_(settings.decode),
        decoder_(DecodeLimits{.max_pixels = settings.max_pixels}) {}

  Findings check(std::uint64_t sample) {
    Findings found;
    for (std::size_t field = 0; field < table_.fields().size(); ++field) {
      if (Status status = check_field(sample, field, found); !status) {
        found.errors.push_back(at_sample(std::move(status).error(), table_, sample, field));
      }
    }
    return found;
  }

 private:
  Status check_field(std::uint64_t sample, std::size_t field, Findings& found) {
    return use_value(table_, sample, field, [&](const StoredValue& stored) {
      found.bytes += stored.bytes.size();
      FieldSpec spec = table_.spec(field);
      spec.reading = readings_[field];
      return check_contents(spec, stored, found);
    });
  }

  Status check_contents(const FieldSpec& spec, const StoredValue& stored, Findings& found) {
    if (spec.kind == FieldKind::image && decodes_) {
      PENSTOCK_TRY(decode_whole(decoder_, stored, spec.reading.mode, pixels_));
      ++found.images;
    }
    if (spec.kind == FieldKind::audio && decodes_) {
      PENSTOCK_ASSIGN(const AudioInfo audio, check_audio(recordings_, stored.bytes));
      ++found.recordings;
      found.recordings_of_unknown_length += audio.repaired ? 1 : 0;
    }
    return check_value(spec, stored);
  }

  const SampleTable& table_;
  const std::vector<FieldReading> readings_;
  const bool decodes_;
  ImageDecoder decoder_;
  AudioDecoder recordings_;
  Scratch pixels_;
};

}  // namespace

Result<VerifyReport> verify_samples(const SampleTable& table, const VerifySettings& settings) {
  PENSTOCK_TRY(check_workers(settings.workers, "verify"));
  VerifyReport report;
  report.samples = table.size();
  report.warnings = table.warnings();
  PENSTOCK_TRY(check_samples(
      table.size(), settings, [&] { return std::make_unique<SourceChecker>(table, settings); }, report));
  if (table.size() > 0 && table.fields().empty()) {
    Findings nothing;
    nothing.errors.push_back({.kind = ErrorKind::invalid,
                              .message = "nothing was checked: there is no field that all samples have",
                              .advice = "name the fields to check; samples that lack one are then found",
                              .place = {.stage = "verify"}});
    add_findings(report, std::move(nothing));
  }
  return report;
}

Result<VerifyReport> verify(const std::vector<std::string>& paths, const VerifySettings& settings) {
  const bool has_source = settings.table || !settings.sources.empty();
  const auto first = paths.size() == 1 ? find_named(paths[0]) : Result<NamedPath>(NamedPath());
  if (paths.size() == 1 && (has_source || (first.ok() && is_store(*first)))) {
    if (!settings.fields.empty() && settings.sources.empty()) {
      return Error{
          .kind = ErrorKind::invalid,
          .message = "fields can only be chosen for a source that is given by its path; a store has its own",
          .advice = "omit them, or pass the source too",
          .place = {.source = paths[0], .stage = "verify"}};
    }
    return verify_store(paths[0], settings);
  }
  if (has_source) {
    return Error{.kind = ErrorKind::invalid,
                 .message = "only one store at a time is compared with its source",
                 .advice = "pass one store",
                 .place = {.stage = "verify"}};
  }
  PENSTOCK_ASSIGN(const std::unique_ptr<SampleTable> table, open_samples(paths, {settings.fields}));
  return verify_samples(*table, settings);
}

}  // namespace penstock::inline v0
