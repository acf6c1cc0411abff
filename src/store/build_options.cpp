#include "store/build_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "core/must_be.hpp"
#include "core/usable_cores.hpp"
#include "formats/store_format.hpp"
#include "formats/text.hpp"

namespace penstock::inline v0 {
namespace {

constexpr StoreImage kImages[] = {StoreImage::repack, StoreImage::repack_pixels, StoreImage::keep,
                                  StoreImage::raw};

Error invalid(std::string message, std::string advice, const char* stage) {
  return {.kind = ErrorKind::invalid,
          .message = std::move(message),
          .advice = std::move(advice),
          .place = {.stage = stage}};
}

std::optional<int> narrowed(const std::optional<std::uint64_t>& number) {
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::string text_of(const std::optional<std::uint64_t>& number) {
  return number ? std::to_string(*number) : "not given";
}

std::optional<std::uint64_t> widened(const std::optional<int>& number) {
  return number ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

}  // namespace

const char* name_of(StoreImage image) noexcept {
  switch (image) {
    case StoreImage::repack:
      return "repack";
    case StoreImage::repack_pixels:
      return "repack_pixels";
    case StoreImage::keep:
      return "keep";
    case StoreImage::raw:
      return "raw";
  }
  return "unknown";
}

std::optional<StoreImage> store_image_named(const std::string& name) noexcept {
  for (const StoreImage image : kImages) {
    if (name == name_of(image)) {
      return image;
    }
  }
  return {};
}

Status check(const BuildSettings& settings) {
  PENSTOCK_TRY(check_shard_bytes(settings.shard_bytes.value_or(kStoreShardBytes), "build"));
  for (const auto& [name, side] :
       {std::pair("resize_shorter", settings.resize_shorter), {"resize_longest", settings.resize_longest}}) {
    if (side && (*side < 1 || *side > 65535)) {
      return must_be(name, "between 1 and 65535 pixels", fmt::format("{}", *side), "build");
    }
  }
  if (settings.quality && (*settings.quality < 1 || *settings.quality > 100)) {
    return must_be("quality", "between 1 and 100", fmt::format("{}", *settings.quality), "build");
  }
  PENSTOCK_TRY(check_workers(settings.workers, "build"));
  if (settings.max_error_share && !(*settings.max_error_share >= 0 && *settings.max_error_share <= 1)) {
    return must_be("max_errors", "an integer, or a share between 0.0 and 1.0",
                   fmt::format("{}", *settings.max_error_share), "build");
  }
  return {};
}

Status check_shard_bytes(std::uint64_t bytes, const char* stage) {
  constexpr std::uint64_t kMinShard = 1 << 12;
  if (bytes < kMinShard || bytes > kStoreMaxShard) {
    return must_be("shard_bytes", "between 4096 and 2^40 bytes", fmt::format("{}", bytes), stage);
  }
  return {};
}

Status check_workers(const std::optional<int>& workers, const char* stage) {
  constexpr int kMaxWorkers = 4096;
  if (workers && (*workers < 1 || *workers > kMaxWorkers)) {
    return must_be("workers", "between 1 and 4096", fmt::format("{}", *workers), stage);
  }
  return {};
}

FieldReadings named_readings(const SampleTable& source, const FieldReadings& given) {
  FieldReadings named;
  const std::vector<FieldReading> readings = readings_of(source, given);
  for (std::size_t field = 0; field < readings.size(); ++field) {
    if (readings[field] != FieldReading()) {
      named.emplace(source.fields()[field].name, readings[field]);
    }
  }
  return named;
}

std::string difference(const FieldReadings& asked, const FieldReadings& built) {
  for (const auto& [one, other] : {std::pair(&asked, &built), std::pair(&built, &asked)}) {
    for (const auto& [name, reading] : *one) {
      const auto found = other->find(name);
      if (found == other->end() || found->second != reading) {
        return fmt::format("how field '{}' is read", printable(name));
      }
    }
  }
  return {};
}

Status refuse_spoiled_fields(const SampleTable& source, const BuildSettings& settings) {
  if (!settings.resize_shorter && !settings.resize_longest && !settings.quality) {
    return {};
  }
  const std::vector<FieldReading> readings = readings_of(source, settings.readings);
  for (std::size_t i = 0; i < readings.size() && (settings.resize_shorter || settings.resize_longest); ++i) {
    if (readings[i].annotations) {
      return invalid(
          fmt::format("resize makes images smaller, but field '{}' has boxes or key points, which stay "
                      "as they are",
                      printable(source.fields()[i].name)),
          "exclude the field, or build without resize and let Resize move both", "build");
    }
  }
  const bool to_jpeg = settings.image != StoreImage::raw || settings.quality;
  for (std::size_t i = 0; i < source.fields().size(); ++i) {
    const FieldInfo& field = source.fields()[i];
    const ImageMode mode = readings[i].mode;
    const bool mask = is_mask(mode);
    if (mask || (to_jpeg && mode != ImageMode::rgb)) {
      return invalid(fmt::format("resize and quality {}, but field '{}' is {}",
                                 mask ? "blend neighbouring pixels" : "make JPEG files of images",
                                 printable(field.name), mask ? "a mask" : "not read as RGB"),
                     mask ? "exclude the field, or build without resize and quality"
                          : "build with image='raw' and without quality, or read the field as RGB",
                     "build");
    }
    if (field.kind != FieldKind::image || field.name == "image" || source.size() == 0) {
      continue;
    }
    const Result<StoredValue> first = source.read(0, i);
    if (!first.ok()) {
      continue;  // whoever packs it tells
    }
    constexpr std::array<std::uint8_t, 3> kJpeg = {0xFF, 0xD8, 0xFF};
    const bool is_jpeg = first->codec == StoredCodec::repacked ||
                         (first->codec == StoredCodec::original && first->bytes.size() >= kJpeg.size() &&
                          std::equal(kJpeg.begin(), kJpeg.end(), first->bytes.begin()));
    if (!is_jpeg) {
      return invalid(
          fmt::format("resize and quality blend neighbouring pixels, in field '{}' too, whose images are "
                      "no JPEG files: masks and maps would hold values that mean nothing",
                      printable(field.name)),
          "exclude the field (fields, --field), or build without resize and quality", "build");
    }
  }
  return {};
}

Status check_fields(const SampleTable& source) {
  const std::vector<FieldInfo>& fields = source.fields();
  if (fields.empty() && source.size() == 0) {
    return invalid("the source has no samples", "check what it was made from", "build");
  }
  if (fields.empty() || fields.size() > kStoreMaxFields) {
    return invalid(fmt::format("the source has {} fields", fields.size()),
                   "a store holds 1 to 1024: choose some", "build");
  }
  std::set<std::string_view> names;
  for (const FieldInfo& field : fields) {
    if (field.name.empty() || !names.insert(field.name).second) {
      return invalid(
          field.name.empty() ? "a field of the source has no name: files end in a dot (a.)"
                             : fmt::format("two fields of the source are called '{}'", printable(field.name)),
          "choose fields and name them: Dataset(..., fields={name: extension}), --field NAME=EXTENSION",
          "build");
    }
  }
  return {};
}

BuildSettings completed(BuildSettings settings, const StoreSettings* store) {
  const auto take = [](auto& setting, const auto& otherwise) {
    if (!setting) {
      setting = otherwise;
    }
  };
  if (store != nullptr) {
    take(settings.image, store_image_named(store->image));
    take(settings.resize_shorter, narrowed(store->resize_shorter));
    take(settings.resize_longest, narrowed(store->resize_longest));
    take(settings.quality, narrowed(store->quality));
    take(settings.shard_bytes, store->shard_bytes);
  }
  take(settings.image, StoreImage::repack);
  take(settings.shard_bytes, kStoreShardBytes);
  return settings;
}

std::string difference(const StoreSettings& asked, const StoreSettings& built) {
  const std::tuple<const char*, std::string, std::string> settings[] = {
      {"image", asked.image, built.image},
      {"resize (shorter side)", text_of(asked.resize_shorter), text_of(built.resize_shorter)},
      {"resize (longest side)", text_of(asked.resize_longest), text_of(built.resize_longest)},
      {"quality", text_of(asked.quality), text_of(built.quality)},
      {"shard_bytes", text_of(asked.shard_bytes), text_of(built.shard_bytes)}};
  for (const auto& [name, ours, theirs] : settings) {
    if (ours != theirs) {
      return fmt::format("{} is {} and was {}", name, ours, theirs);
    }
  }
  return {};
}

StoreSettings as_stored(const BuildSettings& settings) {
  return {.image = name_of(*settings.image),
          .resize_shorter = widened(settings.resize_shorter),
          .resize_longest = widened(settings.resize_longest),
          .quality = widened(settings.quality),
          .shard_bytes = *settings.shard_bytes};
}

unsigned worker_count(const std::optional<int>& workers) {
  return workers ? static_cast<unsigned>(*workers) : usable_cores();
}

std::string penstock_name() { return "penstock " PENSTOCK_VERSION; }

}  // namespace penstock::inline v0
