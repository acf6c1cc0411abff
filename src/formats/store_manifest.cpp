#include "formats/store_manifest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/crc32c.hpp"
#include "formats/json.hpp"
#include "formats/json_members.hpp"
#include "formats/store_fields.hpp"
#include "formats/store_format.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::string_view kFormat = "penstock store";
/// Three for each of the most shards, and as many for classes and sources.
constexpr std::uint64_t kMaxValues = 6 * kStoreMaxShards;
constexpr std::string_view kChecksumMember = "\n  \"crc32c\": \"";

ByteSpan as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Json checksum_text(std::uint32_t checksum) { return Json(fmt::format("{:08x}", checksum)); }

Json as_json(const StoreFile& file) {
  return Json::Members{{"size", file.size}, {"crc32c", checksum_text(file.checksum)}};
}

Json as_json(const std::optional<std::uint64_t>& number) { return number ? Json(*number) : Json(); }

Error damaged(std::string what) {
  return {.kind = ErrorKind::corrupt,
          .message = fmt::format("the manifest of the store is damaged: {}", what),
          .advice = "rebuild the store, or copy it again",
          .place = {.stage = "open"}};
}

StoreFile file_of(JsonMembers& parent, const Json& object) {
  JsonMembers members(object);
  StoreFile file{.size = members.whole("size"), .checksum = members.checksum("crc32c")};
  parent.join(members);
  return file;
}

Status check_version(const Json& document) {
  const Json* const format = document.find("format");
  const Json* const version = document.find("version");
  if (format == nullptr || format->string() == nullptr || *format->string() != kFormat) {
    return damaged("it is not the manifest of a store");
  }
  if (version == nullptr || !version->whole()) {
    return damaged("'version' is missing or wrong");
  }
  if (*version->whole() > kStoreVersion) {
    return Error{.kind = ErrorKind::unsupported,
                 .message = fmt::format(
                     "the store has version {}, but this version of penstock reads up to version {}",
                     *version->whole(), kStoreVersion),
                 .advice = "use a newer version of penstock, or rebuild the store",
                 .place = {.stage = "open"}};
  }
  if (*version->whole() != kStoreVersion) {
    return damaged(fmt::format("there is no version {}", *version->whole()));
  }
  return {};
}

Status check_checksum(std::string_view text) {
  const std::size_t at = text.rfind(kChecksumMember);
  if (at == std::string_view::npos) {
    return damaged("its checksum is missing");
  }
  const std::string expected =
      fmt::format("{}{:08x}\"\n}}\n", kChecksumMember, crc32c(as_bytes(text.substr(0, at))));
  if (text.substr(at) != expected) {
    return damaged("its checksum is wrong");
  }
  return {};
}

}  // namespace

std::string StoreManifest::text() const {
  Json::List source_list;
  for (const StoreSource& source : sources) {
    Json::Members members{{"description", source.description},
                          {"fingerprint", source.fingerprint},
                          {"samples", source.samples}};
    if (!source.identity.empty()) {
      members.emplace_back("identity", source.identity);
    }
    source_list.push_back(std::move(members));
  }
  Json::List shard_list;
  for (const StoreFile& shard : shards) {
    shard_list.push_back(as_json(shard));
  }
  const Json document(Json::Members{
      {"format", kFormat},
      {"version", kStoreVersion},
      {"written_by", written_by},
      {"fingerprint", fingerprint},
      {"samples", samples},
      {"skipped", skipped},
      {"fields", store_fields(*this)},
      {"classes", classes.empty() ? Json() : Json(Json::List(classes.begin(), classes.end()))},
      {"sources", std::move(source_list)},
      {"settings", Json::Members{{"image", settings.image},
                                 {"resize_shorter", as_json(settings.resize_shorter)},
                                 {"resize_longest", as_json(settings.resize_longest)},
                                 {"quality", as_json(settings.quality)},
                                 {"shard_bytes", settings.shard_bytes}}},
      {"kept_because", Json::List(kept_because.begin(), kept_because.end())},
      {"index", as_json(index)},
      {"keys", as_json(keys)},
      {"tables", tables ? as_json(*tables) : Json()},
      {"shards", std::move(shard_list)},
  });
  std::string text = document.text(2);
  text.resize(text.size() - 2);  // the line break and bracket, to continue with the last member
  text += ',';
  const std::uint32_t checksum = crc32c(as_bytes(text));
  return text + fmt::format("{}{:08x}\"\n}}\n", kChecksumMember, checksum);
}

bool StoreManifest::recognises(std::string_view text) noexcept {
  return text.find("\"penstock store\"") != std::string_view::npos;
}

Result<StoreManifest> StoreManifest::parse(std::string_view text) {
  PENSTOCK_ASSIGN(const Json document, Json::parse(text, kMaxValues));
  PENSTOCK_TRY(check_version(document));
  PENSTOCK_TRY(check_checksum(text));
  JsonMembers members(document);
  StoreManifest manifest;
  manifest.written_by = members.text("written_by");
  manifest.fingerprint = members.text("fingerprint");
  manifest.samples = members.whole("samples");
  manifest.skipped = members.whole("skipped");
  read_store_fields(members, manifest);
  if (!members.get("classes").is_null()) {
    members.list("classes", [&](const Json& item) {
      item.string() != nullptr ? manifest.classes.push_back(*item.string()) : void(members.wrong("classes"));
    });
  }
  members.list("sources", [&](const Json& item) {
    JsonMembers source(item);
    manifest.sources.push_back({.description = source.text("description"),
                                .fingerprint = source.text("fingerprint"),
                                .samples = source.whole("samples"),
                                .identity = item.find("identity") != nullptr ? source.text("identity") : ""});
    members.join(source);
  });
  JsonMembers settings(members.get("settings"));
  manifest.settings = {.image = settings.text("image"),
                       .resize_shorter = settings.optional_whole("resize_shorter"),
                       .resize_longest = settings.optional_whole("resize_longest"),
                       .quality = settings.optional_whole("quality"),
                       .shard_bytes = settings.whole("shard_bytes")};
  members.join(settings);
  members.list("kept_because", [&](const Json& item) {
    item.string() != nullptr ? manifest.kept_because.push_back(*item.string())
                             : void(members.wrong("kept_because"));
  });
  manifest.index = file_of(members, members.get("index"));
  manifest.keys = file_of(members, members.get("keys"));
  if (!members.get("tables").is_null()) {
    manifest.tables = file_of(members, members.get("tables"));
  }
  members.list("shards", [&](const Json& item) { manifest.shards.push_back(file_of(members, item)); });
  if (!members.problem().empty()) {
    return damaged(fmt::format("'{}' is missing or wrong", members.problem()));
  }
  if (manifest.fields.empty() || manifest.fields.size() > kStoreMaxFields ||
      manifest.shards.size() > kStoreMaxShards || manifest.fingerprint.size() != 32) {
    return damaged("a count is impossible");
  }
  for (std::size_t i = 0; i < manifest.fields.size(); ++i) {
    const auto same = [&](const FieldInfo& other) { return other.name == manifest.fields[i].name; };
    if (std::any_of(manifest.fields.begin() + static_cast<std::ptrdiff_t>(i) + 1, manifest.fields.end(),
                    same)) {
      return damaged("duplicate field");
    }
  }
  return manifest;
}

}  // namespace penstock::inline v0
