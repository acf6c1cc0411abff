#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "codecs/audio_decoder.hpp"
#include "codecs/image_decoder.hpp"
#include "core/cpu.hpp"
#include "core/crc32c.hpp"
#include "formats/field_value.hpp"
#include "formats/original_file.hpp"
#include "formats/sample_table.hpp"
#include "formats/store.hpp"
#include "io/storage.hpp"
#include "penstock/store.hpp"
#include "store/build_options.hpp"
#include "store/counterpart.hpp"
#include "store/verify_run.hpp"

namespace penstock::inline v0 {
namespace {

/// What all threads share. Immutable.
struct Subject {
  const StoreFiles& files;
  const SampleTable& table;
  const Counterpart* source = nullptr;
  bool same_pixels = true;  ///< nothing was resized or encoded again
  bool decode = true;
  std::uint64_t max_pixels = 0;
};

/// One per thread.
class Checker {
 public:
  explicit Checker(const Subject& subject)
      : subject_(subject),
        decoder_(DecodeLimits{.max_pixels = subject.max_pixels}),
        source_decoder_(DecodeLimits{.max_pixels = subject.max_pixels}) {}

  Findings check(std::uint64_t sample) {
    Findings found;
    if (subject_.source != nullptr) {
      check_key(sample, found);
    }
    for (std::size_t field = 0; field < subject_.table.fields().size(); ++field) {
      if (Status status = check_field(sample, field, found); !status.ok()) {
        note(found, sample, field, status.error().kind, status.error().message);
        found.errors.back().systemic = status.error().systemic;
      }
    }
    return found;
  }

 private:
  void check_key(std::uint64_t sample, Findings& found) const {
    const std::uint64_t row = subject_.source->row(sample);
    if (row == Counterpart::kNowhere) {
      note(found, sample, 0, ErrorKind::corrupt, "its key is not in the source");
    } else if (row == Counterpart::kUsedUp) {
      note(found, sample, 0, ErrorKind::corrupt, "its key occurs more often in the store than in the source");
    } else if (subject_.source->table->key(row) != subject_.table.key(sample)) {
      note(found, sample, 0, ErrorKind::corrupt, "its key differs from the source's");
    }
  }

  void note(Findings& found, std::uint64_t sample, std::size_t field, ErrorKind kind,
            std::string message) const {
    Error error{.kind = kind,
                .message = std::move(message),
                .advice = {},
                .place = subject_.table.place(sample, field)};
    error.place.stage = "verify";
    if (subject_.table.fields().size() > 1) {
      error.message = fmt::format("field '{}': {}", subject_.table.fields()[field].name, error.message);
    }
    found.errors.push_back(std::move(error));
  }

  Status check_field(std::uint64_t sample, std::size_t field, Findings& found) {
    PENSTOCK_ASSIGN(const FieldRecord record, subject_.files.record(sample, field));
    PENSTOCK_ASSIGN(const Bytes bytes, subject_.files.stored(sample, record));
    found.bytes += bytes.size();
    if (crc32c(bytes) != record.checksum) {
      PENSTOCK_TRY(bytes.intact());
      return wrong("its checksum is wrong");
    }
    return use_value(subject_.table, sample, field, [&](const StoredValue& stored) {
      return check_value_of(sample, field, record, stored, found);
    });
  }

  Status check_value_of(std::uint64_t sample, std::size_t field, const FieldRecord& record,
                        const StoredValue& stored, Findings& found) {
    const bool image = subject_.table.fields()[field].kind == FieldKind::image;
    WholeImage whole;
    if (image && subject_.decode) {
      PENSTOCK_ASSIGN(whole,
                      decode_whole(decoder_, stored, subject_.table.spec(field).reading.mode, pixels_));
      ++found.images;
      if (record.width != 0 && whole.size != ImageSize{record.width, record.height}) {
        return wrong("the index gives another size than the image has");
      }
    }
    if (subject_.decode && subject_.table.fields()[field].kind == FieldKind::audio) {
      PENSTOCK_ASSIGN(const AudioInfo audio, check_audio(recordings_, stored.bytes));
      ++found.recordings;
      found.recordings_of_unknown_length += audio.repaired ? 1 : 0;
    }
    PENSTOCK_TRY(check_value(subject_.table.spec(field), stored));
    if (subject_.source == nullptr) {
      return {};
    }
    return compare(sample, field, stored, image, whole, found);
  }

  Status compare(std::uint64_t sample, std::size_t field, const StoredValue& stored, bool image,
                 const WholeImage& whole, Findings& found) {
    if (image && !subject_.same_pixels) {
      return {};  // it was changed on purpose
    }
    const std::uint64_t row = subject_.source->row(sample);
    const std::uint64_t column = subject_.source->columns[field];
    if (row >= Counterpart::kUsedUp || column == Counterpart::kNowhere) {
      return {};  // said elsewhere
    }
    ++found.compared;
    return use_value(*subject_.source->table, row, column,
                     [&](const StoredValue& theirs) { return compare(field, stored, theirs, image, whole); });
  }

  Status compare(std::size_t field, const StoredValue& stored, const StoredValue& theirs, bool image,
                 WholeImage whole) {
    auto file = original_.of(stored);
    auto source_file = source_original_.of(theirs);
    if (file.ok() && source_file.ok()) {
      const bool equal = std::equal(file->begin(), file->end(), source_file->begin(), source_file->end());
      return equal ? Status() : wrong("the original file differs from the source's");
    }
    if (!image) {
      return file.ok() ? std::move(source_file).error() : std::move(file).error();
    }
    const ImageMode mode = subject_.table.spec(field).reading.mode;
    if (!subject_.decode) {
      PENSTOCK_ASSIGN(whole, decode_whole(decoder_, stored, mode, pixels_));
    }
    PENSTOCK_ASSIGN(const WholeImage source, decode_whole(source_decoder_, theirs, mode, source_pixels_));
    if (whole.size != source.size || whole.layout != source.layout ||
        !std::equal(whole.pixels.begin(), whole.pixels.end(), source.pixels.begin())) {
      return wrong("the pixels differ from the source's");
    }
    return {};
  }

  static Error wrong(const char* message) {
    return {.kind = ErrorKind::corrupt, .message = message, .advice = {}, .place = {}};
  }

  const Subject& subject_;
  ImageDecoder decoder_;
  AudioDecoder recordings_;
  ImageDecoder source_decoder_;
  OriginalFile original_;
  OriginalFile source_original_;
  Scratch pixels_;
  Scratch source_pixels_;
};

void note_file(VerifyReport& report, const StoreFiles& files, const std::string& path, std::string message) {
  ++report.problems;
  report.errors.push_back({.kind = ErrorKind::corrupt,
                           .message = std::move(message),
                           .advice = {},
                           .place = {.source = files.folder().named, .shard = path, .stage = "verify"}});
}

/// The files as a whole.
/// In pieces: a shard may be larger than memory. Nothing if it cannot be read.
std::optional<std::uint32_t> checksum_of(const Source& shard) {
  constexpr std::uint64_t kPiece = std::uint64_t{64} << 20;
  std::uint32_t checksum = 0;
  for (std::uint64_t at = 0; at < shard.size(); at += kPiece) {
    const auto bytes = shard.read(at, std::min(kPiece, shard.size() - at));
    if (!bytes.ok()) {
      return {};
    }
    checksum = crc32c(*bytes, checksum);
  }
  return checksum;
}

void check_files(const StoreFiles& files, VerifyReport& report) {
  const std::string& folder = files.folder().path;
  report.bytes += files.index().size() + files.keys().size() + files.tables().size();
  if (crc32c(files.index()) != files.manifest().index.checksum) {
    note_file(report, files, folder + "/" + kStoreIndexName, "the checksum of the index is wrong");
  }
  if (crc32c(files.keys()) != files.manifest().keys.checksum) {
    note_file(report, files, folder + "/" + kStoreKeysName, "the checksum of the keys is wrong");
  }
  if (const Status keys = files.check_keys(); !keys.ok()) {
    note_file(report, files, folder + "/" + kStoreIndexName, keys.error().message);
  }
  for (std::size_t i = 0; i < files.manifest().shards.size(); ++i) {
    const auto shard = files.shard(i);
    if (!shard.ok()) {
      note_file(report, files, files.shard_path(i), shard.error().message);
    } else if (checksum_of(**shard) != files.manifest().shards[i].checksum) {
      note_file(report, files, files.shard_path(i), "the checksum of the shard is wrong");
    }
  }
}

/// The folder of a store that the user named.
Result<NamedPath> find_store(const std::string& path) {
  PENSTOCK_ASSIGN(NamedPath folder, find_named(path));
  const auto state = folder.storage->stat(folder.path);
  const bool there = state.ok() && state->exists();
  if (there && is_store(folder)) {
    return folder;
  }
  return Error{.kind = there ? ErrorKind::invalid : ErrorKind::not_found,
               .message = there ? "not a store" : "no such file or folder",
               .advice = there ? "pass the folder that penstock build created" : "check the path",
               .place = {.source = path, .stage = "verify"}};
}

}  // namespace

Result<VerifyReport> verify_store(const std::string& path, const VerifySettings& settings) {
  PENSTOCK_ASSIGN([[maybe_unused]] const CpuTarget target, active_cpu_target());
  PENSTOCK_TRY(check_workers(settings.workers, "verify"));
  PENSTOCK_ASSIGN(const NamedPath folder, find_store(path));
  PENSTOCK_ASSIGN(std::shared_ptr<const StoreFiles> files, StoreFiles::open(folder));
  const std::unique_ptr<SampleTable> table = store_table(files);
  std::optional<Counterpart> source;
  VerifyReport report;
  report.samples = files->size();
  check_files(*files, report);
  report.warnings = table->warnings();
  if (settings.table || !settings.sources.empty()) {
    PENSTOCK_ASSIGN(source, open_counterpart(*files, settings));
    report.not_in_store = source->not_in_store;
    report.notes = source->notes;
    for (const std::string& problem : source->problems) {
      note_file(report, *files, path, problem);
    }
    const std::vector<std::string>& theirs = source->table->warnings();
    report.warnings.insert(report.warnings.end(), theirs.begin(), theirs.end());
  }
  const StoreSettings& built = files->manifest().settings;
  const Subject subject{.files = *files,
                        .table = *table,
                        .source = source ? &*source : nullptr,
                        .same_pixels = !built.resize_shorter && !built.resize_longest && !built.quality,
                        .decode = settings.decode,
                        .max_pixels = settings.max_pixels};
  PENSTOCK_TRY(check_samples(
      files->size(), settings, [&] { return std::make_unique<Checker>(subject); }, report));
  return report;
}

}  // namespace penstock::inline v0
