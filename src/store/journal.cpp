#include "store/journal.hpp"

#include "formats/json.hpp"
#include "io/storage.hpp"
#include "store/journal_lines.hpp"

namespace penstock::inline v0 {
namespace {

/// Checkpoints that are kept, counted from the last. Earlier ones are needed only if files were damaged
/// since.
constexpr int kRemembered = 64;

Json as_json(const StoreFile& file) {
  return Json::List{file.size, static_cast<std::uint64_t>(file.checksum)};
}

std::optional<StoreFile> file_of(const Json* value) {
  const Json::List* const pair = value != nullptr ? value->list() : nullptr;
  if (pair == nullptr || pair->size() != 2 || !(*pair)[0].whole() || !(*pair)[1].whole()) {
    return {};
  }
  return StoreFile{*(*pair)[0].whole(), static_cast<std::uint32_t>(*(*pair)[1].whole())};
}

/// `shards`: those that the journal has named so far.
std::optional<Checkpoint> checkpoint_of(const Json& line, const std::vector<StoreFile>& shards) {
  const auto whole = [&line](const char* name) {
    const Json* const value = line.find(name);
    return value != nullptr ? value->whole() : std::nullopt;
  };
  const auto done = whole("done");
  const auto samples = whole("samples");
  const auto skipped = whole("skipped");
  const auto open = file_of(line.find("open_shard"));
  const auto rows = file_of(line.find("rows"));
  const auto keys = file_of(line.find("keys"));
  const Json* const reasons = line.find("kept_because");
  if (!done || !samples || !skipped || !open || !rows || !keys || reasons == nullptr ||
      reasons->list() == nullptr) {
    return {};
  }
  Checkpoint checkpoint{.done = *done,
                        .samples = *samples,
                        .skipped = *skipped,
                        .shards = shards,
                        .open_shard = *open,
                        .rows = *rows,
                        .keys = *keys,
                        .kept_because = {}};
  for (const Json& reason : *reasons->list()) {
    if (reason.string() == nullptr) {
      return {};
    }
    checkpoint.kept_because.push_back(*reason.string());
  }
  return checkpoint;
}

}  // namespace

std::optional<JournalContents> read_journal(const std::string& path) {
  const auto read = local_storage()->read(path);
  if (!read.ok()) {
    return {};
  }
  const ByteSpan bytes = *read;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  JournalContents contents;
  std::vector<StoreFile> shards;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', begin)) {
    const auto line = journal_text(text.substr(begin, end - begin));
    begin = end + 1;
    if (!line) {
      break;  // what follows a damaged line counts for nothing
    }
    if (contents.build.empty()) {
      contents.build = std::string(*line);
      continue;
    }
    const auto json = Json::parse(*line);
    if (!json.ok()) {
      break;
    }
    if (const auto shard = file_of(json->find("shard"))) {
      shards.push_back(*shard);
    } else if (auto checkpoint = checkpoint_of(*json, shards)) {
      contents.checkpoints.push_back(std::move(*checkpoint));
      contents.ends.push_back(begin);
      if (contents.checkpoints.size() > std::size_t{2} * kRemembered) {
        contents.checkpoints.erase(contents.checkpoints.begin(), contents.checkpoints.begin() + kRemembered);
        contents.ends.erase(contents.ends.begin(), contents.ends.begin() + kRemembered);
      }
    } else {
      break;
    }
  }
  if (contents.build.empty()) {
    return {};
  }
  return contents;
}

Result<Journal> Journal::begin(const Folder& folder, const std::string& build) {
  PENSTOCK_ASSIGN(DiskFile file, folder.open_file(kJournalName, 0));
  Journal journal(std::move(file));
  PENSTOCK_TRY(append_journal_line(journal.file_, build));
  return journal;
}

Result<Journal> Journal::resume(const Folder& folder, std::uint64_t size) {
  PENSTOCK_ASSIGN(DiskFile file, folder.open_file(kJournalName, size));
  return Journal(std::move(file));
}

Status Journal::add(const Checkpoint& checkpoint, std::size_t known_shards) {
  for (std::size_t i = known_shards; i < checkpoint.shards.size(); ++i) {
    PENSTOCK_TRY(
        append_journal_line(file_, Json(Json::Members{{"shard", as_json(checkpoint.shards[i])}}).text()));
  }
  return append_journal_line(
      file_, Json(Json::Members{{"done", checkpoint.done},
                                {"samples", checkpoint.samples},
                                {"skipped", checkpoint.skipped},
                                {"open_shard", as_json(checkpoint.open_shard)},
                                {"rows", as_json(checkpoint.rows)},
                                {"keys", as_json(checkpoint.keys)},
                                {"kept_because",
                                 Json::List(checkpoint.kept_because.begin(), checkpoint.kept_because.end())}})
                 .text());
}

}  // namespace penstock::inline v0
