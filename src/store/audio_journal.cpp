#include "store/audio_journal.hpp"

#include "formats/json.hpp"
#include "store/journal_lines.hpp"

namespace penstock::inline v0 {
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
bool take_line(const Json& line, AudioProgress& progress) {
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

Result<AudioJournal> AudioJournal::begin(const Folder& folder, const std::string& build) {
  PENSTOCK_ASSIGN(DiskFile file, folder.open_file(kAudioJournalName, 0));
  AudioJournal journal(std::move(file));
  PENSTOCK_TRY(append_journal_line(journal.file_, build));
  return journal;
}

Result<std::optional<AudioJournal::Found>> AudioJournal::resume(const Folder& folder,
                                                                const std::string& build) {
  const auto file = folder.open_source(kAudioJournalName);
  const auto read = file ? (*file)->read_all() : Result<Bytes>(file.error());
  if (!read.ok()) {
    return std::optional<Found>();
  }
  const ByteSpan bytes = *read;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  AudioProgress progress;
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
  PENSTOCK_ASSIGN(DiskFile journal, folder.open_file(kAudioJournalName, begin));
  return std::optional<Found>(Found{AudioJournal(std::move(journal)), std::move(progress)});
}

Status AudioJournal::add(std::uint64_t files, std::uint64_t rows, const std::vector<BadRecording>& bad) {
  Json::List entries;
  for (const BadRecording& entry : bad) {
    entries.push_back(Json::Members{{"file", entry.file},
                                    {"kind", name_of(entry.kind)},
                                    {"message", entry.message},
                                    {"advice", entry.advice},
                                    {"stage", entry.stage}});
  }
  return append_journal_line(
      file_, Json(Json::Members{{"files", files}, {"rows", rows}, {"bad", std::move(entries)}}).text());
}

}  // namespace penstock::inline v0
