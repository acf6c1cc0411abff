#include "store/build_identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "formats/json.hpp"
#include "store/build_options.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kSamplesForShare = 100;

Json as_json(const FieldReading& reading) {
  if (!reading.annotations) {
    return static_cast<std::uint64_t>(reading.mode);
  }
  const AnnotationSpec& spec = *reading.annotations;
  return Json::List{static_cast<std::uint64_t>(spec.kind), spec.path, static_cast<std::uint64_t>(spec.format),
                    spec.labels};
}

}  // namespace

Error build_refused(const std::string& destination, std::string message, std::string advice) {
  return {
      .kind = ErrorKind::invalid,
      .message = std::move(message),
      .advice = std::move(advice),
      .place = {.source = destination, .shard = {}, .offset = {}, .key = {}, .index = {}, .stage = "build"}};
}

bool same_source(const StoreSource& a, const StoreSource& b) {
  return a.fingerprint == b.fingerprint && a.samples == b.samples && a.identity == b.identity;
}

bool is_result(const StoreManifest& manifest, const SampleTable& source, const BuildSettings& settings,
               const FieldReadings& readings, const std::vector<StoreSource>& sources) {
  bool equal = manifest.sources.size() == sources.size() && manifest.settings == as_stored(settings) &&
               manifest.fields == source.fields() && manifest.arrays == arrays_of(source) &&
               manifest.readings == readings && manifest.written_by == penstock_name();
  for (std::size_t i = 0; equal && i < sources.size(); ++i) {
    equal = same_source(manifest.sources[i], sources[i]);
  }
  return equal;
}

std::string journal_identity(const SampleTable& source, const StoreSource& added, const std::string& identity,
                             const BuildSettings& settings, const FieldReadings& readings,
                             const StoreManifest* existing) {
  Json::List fields;
  for (std::size_t i = 0; i < source.fields().size(); ++i) {
    const FieldInfo& field = source.fields()[i];
    Json::List what{field.name, name_of(field.kind)};
    if (field.kind == FieldKind::array) {
      what.emplace_back(source.spec(i).array->to_string());
    }
    if (const auto found = readings.find(field.name); found != readings.end()) {
      what.push_back(as_json(found->second));
    }
    fields.push_back(std::move(what));
  }
  const StoreSettings stored = as_stored(settings);
  const auto number = [](const std::optional<std::uint64_t>& n) { return n ? Json(*n) : Json(); };
  return Json(Json::Members{
                  {"written_by", penstock_name()},
                  {"format", kStoreVersion},
                  {"source", added.fingerprint},
                  {"identity", identity},
                  {"samples", added.samples},
                  {"fields", std::move(fields)},
                  {"image", stored.image},
                  {"resize", Json::List{number(stored.resize_shorter), number(stored.resize_longest)}},
                  {"quality", number(stored.quality)},
                  {"shard_bytes", stored.shard_bytes},
                  {"max_pixels", settings.max_pixels},
                  {"keep_damaged", settings.keep_damaged},
                  {"append_to", existing != nullptr ? Json(existing->fingerprint) : Json()}})
      .text();
}

std::uint64_t lacking_in(const StoreFiles& store, const SampleTable& source) {
  const StoreManifest& manifest = store.manifest();
  if (manifest.skipped == 0 || manifest.sources.size() == 1) {
    return manifest.skipped;
  }
  std::uint64_t lacking = 0;
  std::uint64_t left = store.size();
  for (std::uint64_t i = source.size(); i > 0 && lacking < manifest.skipped; --i) {
    if (left > 0 && store.key(left - 1) == source.key(i - 1)) {
      --left;
    } else {
      ++lacking;
    }
  }
  return lacking;
}

bool too_many_bad(const BuildSettings& settings, std::uint64_t bad, std::uint64_t seen,
                  std::uint64_t samples) {
  return (settings.max_errors && bad > *settings.max_errors) ||
         (settings.max_error_share && seen >= std::min(kSamplesForShare, samples) &&
          static_cast<double>(bad) > *settings.max_error_share * static_cast<double>(seen));
}

Status refuse_left_out(const std::string& destination, const BuildSettings& settings, const char* what,
                       std::uint64_t left_out, std::uint64_t seen, std::uint64_t samples) {
  if (left_out == 0 || (settings.skip_errors && !too_many_bad(settings, left_out, seen, samples))) {
    return {};
  }
  const bool skips = settings.skip_errors;
  return build_refused(destination,
                       fmt::format("{} lacks {} bad samples, {}", what, left_out,
                                   skips ? "more than max_errors allows" : "left out by on_error='skip'"),
                       fmt::format("pass {} to accept it, or fix the source and rebuild with resume=False "
                                   "(--no-resume), into another folder if this one is complete",
                                   skips ? "a larger max_errors" : "on_error='skip' (--on-error skip)"));
}

}  // namespace penstock::inline v0
