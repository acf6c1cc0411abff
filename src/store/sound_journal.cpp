#include "store/sound_journal.hpp"

#include <fstream>

#include "formats/json.hpp"
#include "io/mapped_file.hpp"
#include "store/journal_lines.hpp"

namespace penstock {
namespace {

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
    progress.bad.push_back({.file = *file,
                            .kind = *kind,
                            .message = text("message"),
                            .advice = text("advice"),
                            .stage = text("stage")});
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

Result<SoundJournal> SoundJournal::begin(const Folder& folder, const std::string& build) {
  PENSTOCK_ASSIGN(DiskFile file, folder.open_file(kSoundJournalName, 0));
  SoundJournal journal(std::move(file));
  PENSTOCK_TRY(append_journal_line(journal.file_, build));
  return journal;
}

Result<std::optional<SoundJournal::Found>> SoundJournal::go_on(const Folder& folder,
                                                               const std::string& build) {
  const auto file = folder.map_file(kSoundJournalName);
  if (!file.ok()) {
    return std::optional<Found>();
  }
  const ByteSpan bytes = (*file)->bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  SoundProgress progress;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', begin)) {
    const auto line = journal_text(text.substr(begin, end - begin));
    if (begin == 0 && line != build) {
      return std::optional<Found>();  // of another build
    }
    const auto json = line ? Json::parse(*line) : Result<Json>(Json());
    if (!line || !json.ok()) {
      break;
    }
    if (begin > 0 && !take_line(*json, progress)) {
      break;
    }
    begin = end + 1;
  }
  if (begin == 0) {
    return std::optional<Found>();
  }
  PENSTOCK_ASSIGN(DiskFile journal, folder.open_file(kSoundJournalName, begin));
  return std::optional<Found>(Found{SoundJournal(std::move(journal)), std::move(progress)});
}

Status SoundJournal::add(std::uint64_t files, std::uint64_t rows, const std::vector<BadSound>& bad) {
  Json::List entries;
  for (const BadSound& entry : bad) {
    entries.push_back(Json::Members{{"file", entry.file},
                                    {"kind", name_of(entry.kind)},
                                    {"message", entry.message},
                                    {"advice", entry.advice},
                                    {"stage", entry.stage}});
  }
  return append_journal_line(
      file_, Json(Json::Members{{"files", files}, {"rows", rows}, {"bad", std::move(entries)}}).text());
}

}  // namespace penstock
