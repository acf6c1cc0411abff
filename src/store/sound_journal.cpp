#include "store/sound_journal.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>

#include "core/crc32c.hpp"
#include "formats/json.hpp"
#include "io/mapped_file.hpp"

namespace penstock {
namespace {

ByteSpan as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// The JSON text of a whole, undamaged line.
std::optional<std::string_view> content_of(std::string_view line) {
  constexpr std::size_t kBefore = 9;
  std::uint32_t checksum = 0;
  if (line.size() < kBefore) {
    return {};
  }
  const auto [end, failure] = std::from_chars(line.data(), line.data() + kBefore - 1, checksum, 16);
  const std::string_view text = line.substr(kBefore);
  const bool whole = failure == std::errc() && end == line.data() + kBefore - 1;
  return whole && crc32c(as_bytes(text)) == checksum ? std::optional(text) : std::nullopt;
}

std::optional<ErrorKind> kind_named(const std::string& name) {
  for (const ErrorKind kind : {ErrorKind::not_found, ErrorKind::corrupt, ErrorKind::unsupported,
                               ErrorKind::invalid, ErrorKind::io, ErrorKind::timeout, ErrorKind::cancelled}) {
    if (name == name_of(kind)) {
      return kind;
    }
  }
  return {};
}

/// Adds what a line says; false if it says anything else.
bool take_line(const Json& line, SoundProgress& progress) {
  const auto whole = [](const Json* value) { return value != nullptr ? value->whole() : std::nullopt; };
  const auto files = whole(line.find("files"));
  const auto rows = whole(line.find("rows"));
  const Json* const bad = line.find("bad");
  if (!files || !rows || bad == nullptr || bad->list() == nullptr) {
    return false;
  }
  for (const Json& entry : *bad->list()) {
    const auto text = [&entry](const char* name) {
      const Json* const value = entry.find(name);
      return value != nullptr && value->string() != nullptr ? *value->string() : std::string();
    };
    const auto file = whole(entry.find("file"));
    const auto kind = kind_named(text("kind"));
    if (!file || !kind) {
      return false;
    }
    progress.bad.push_back(
        {.file = *file, .kind = *kind, .message = text("message"), .stage = text("stage")});
  }
  progress.files = *files;
  progress.rows = *rows;
  return true;
}

}  // namespace

std::string boot_name() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string name;
  file >> name;
  return name;
}

Result<SoundJournal> SoundJournal::begin(const std::string& path, const std::string& build) {
  PENSTOCK_ASSIGN(DiskFile file, DiskFile::open(path, 0));
  SoundJournal journal(std::move(file));
  PENSTOCK_TRY(journal.add_line(build));
  return journal;
}

Result<std::optional<SoundJournal::Found>> SoundJournal::go_on(const std::string& path,
                                                               const std::string& build) {
  const auto file = MappedFile::open(path);
  if (!file.ok()) {
    return std::optional<Found>();
  }
  const ByteSpan bytes = (*file)->bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  SoundProgress progress;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', begin)) {
    const auto line = content_of(text.substr(begin, end - begin));
    if (begin == 0 && line != build) {
      return std::optional<Found>();  // of another build
    }
    const auto json = line ? Json::parse(*line) : Result<Json>(Json());
    if (!line || !json.ok()) {
      break;
    }
    if (begin > 0 && json->find("end") != nullptr) {
      return std::optional<Found>();  // killed while the file was made shorter
    }
    if (begin > 0 && !take_line(*json, progress)) {
      break;
    }
    begin = end + 1;
  }
  if (begin == 0) {
    return std::optional<Found>();
  }
  PENSTOCK_ASSIGN(DiskFile journal, DiskFile::open(path, begin));
  return std::optional<Found>(Found{SoundJournal(std::move(journal)), std::move(progress)});
}

Status SoundJournal::add_line(const std::string& json) {
  const std::string line = fmt::format("{:08x} {}\n", crc32c(as_bytes(json)), json);
  return file_.append(as_bytes(line));
}

Status SoundJournal::add(std::uint64_t files, std::uint64_t rows, const std::vector<BadSound>& bad) {
  Json::List entries;
  for (const BadSound& entry : bad) {
    entries.push_back(Json::Members{{"file", entry.file},
                                    {"kind", name_of(entry.kind)},
                                    {"message", entry.message},
                                    {"stage", entry.stage}});
  }
  return add_line(Json(Json::Members{{"files", files}, {"rows", rows}, {"bad", std::move(entries)}}).text());
}

Status SoundJournal::add_end() { return add_line(Json(Json::Members{{"end", true}}).text()); }

}  // namespace penstock
