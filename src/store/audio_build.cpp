#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <variant>

#include "core/seconds_since.hpp"
#include "formats/folder_scan.hpp"
#include "formats/format.hpp"
#include "formats/json.hpp"
#include "formats/sample_table.hpp"
#include "formats/store.hpp"
#include "formats/text.hpp"
#include "io/file.hpp"
#include "io/machine.hpp"
#include "io/storage.hpp"
#include "penstock/audio_build.hpp"
#include "store/audio_build_names.hpp"
#include "store/audio_journal.hpp"
#include "store/audio_pipeline.hpp"
#include "store/audio_structure.hpp"
#include "store/audio_table.hpp"
#include "store/build_options.hpp"
#include "store/hdf5_file.hpp"

namespace penstock::inline v0 {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kDataName = "data.h5";

Error error_of(const BadRecording& bad, const AudioFiles& files) {
  Place place = files.place(bad.file);
  place.stage = bad.stage;
  return {.kind = bad.kind, .message = bad.message, .advice = bad.advice, .place = std::move(place)};
}

/// A file that is missing or impossible is damage of the source; a library that is missing is not.
ErrorKind kind_of_source(ErrorKind kind) {
  return kind == ErrorKind::unsupported || kind == ErrorKind::io ? kind : ErrorKind::corrupt;
}

/// How many bad files a build endures.
std::uint64_t max_errors(const AudioBuildSettings& settings, std::uint64_t files) {
  constexpr std::uint64_t kUsual = 10;
  constexpr std::uint64_t kUsualShare = 20;
  if (!settings.skip_errors) {
    return 0;
  }
  if (settings.max_errors) {
    return *settings.max_errors;
  }
  if (settings.max_error_share) {
    return static_cast<std::uint64_t>(*settings.max_error_share * static_cast<double>(files));
  }
  return std::max(kUsual, files / kUsualShare);
}

std::string text_of(const decltype(AudioFileContents::attributes)& configuration) {
  Json::Members members;
  for (const auto& [name, value] : configuration) {
    members.emplace_back(name, std::visit([](const auto& held) { return Json(held); }, value));
  }
  return Json(std::move(members)).text();
}

class AudioBuild {
 public:
  AudioBuild(std::string destination, const AudioBuildSettings& settings, AudioShape shape, AudioFiles files,
             Clock::time_point begun)
      : destination_(std::move(destination)),
        settings_(settings),
        shape_(shape),
        files_(std::move(files)),
        configuration_(text_of(configuration_of(settings))),
        names_(audio_build_names(files_, configuration_)),
        begun_(begun) {
    report_.files = files_.keys.size();
    report_.warnings = files_.warnings;
  }

  Result<AudioBuildReport> run() {
    PENSTOCK_ASSIGN(const bool is_there, is_there_already());
    const auto [above, name] = split_path(destination_);
    const std::string building = name + ".building";
    const std::string advice =
        "choose another destination, or let the owner of '" + building + "' move it away";
    PENSTOCK_ASSIGN(const Folder parent,
                    Folder::make(above, 0777, {.permissions = kAsTheUmaskSays, .advice = advice}));
    PENSTOCK_ASSIGN(const std::optional<Entry> begun, parent.find(building));
    if (is_there && !begun) {
      return std::move(report_);
    }
    auto taken = parent.lock_folder(building);
    if (!taken.ok() && is_there) {
      return std::move(report_);  // who is at work there tidies up
    }
    PENSTOCK_ASSIGN(const Folder::Locked locked, std::move(taken));
    const Folder& folder = locked.folder;
    // Who had the lock before may have made the file.
    if (const auto made_since = is_there_already(); !made_since.ok() || *made_since) {
      PENSTOCK_TRY(tidy_up(parent, building, folder));
      return made_since.ok() ? Result<AudioBuildReport>(std::move(report_)) : made_since.error();
    }
    PENSTOCK_ASSIGN(AudioJournal journal, begin_or_continue(folder));
    PENSTOCK_ASSIGN(DiskFile file, opened(folder));
    PENSTOCK_TRY(run_pipeline(file, journal));
    PENSTOCK_TRY(write_structure(file, folder));
    report_.seconds = seconds_since(begun_);
    const Clock::time_point flush = Clock::now();
    PENSTOCK_TRY(file.sync());
    PENSTOCK_TRY(folder.rename(kDataName, parent, name));
    PENSTOCK_TRY(parent.sync());
    report_.flush_seconds = seconds_since(flush);
    PENSTOCK_TRY(tidy_up(parent, building, folder));
    return std::move(report_);
  }

 private:
  /// The file is there; nobody needs the folder any more. What others put into it stays.
  static Status tidy_up(const Folder& parent, const std::string& name, const Folder& folder) {
    for (const char* const file : {kDataName, kAudioTrialName, kAudioJournalName}) {
      (void)folder.remove(file);  // what cannot be deleted harms nobody
    }
    PENSTOCK_TRY(folder.remove(kLockName));
    (void)parent.remove_folder(name);
    return {};
  }

  /// Nothing is done twice, and nothing that others made is overwritten.
  Result<bool> is_there_already() {
    const auto state = local_storage()->stat(destination_);
    if (!state.ok() || !state->exists()) {
      return false;
    }
    const auto build = audio_file_attribute(destination_, "build");
    if (!build.ok() || *build != names_.contents) {
      return refused("the file already exists, built from other files or settings",
                     "delete it, or choose another name");
    }
    PENSTOCK_ASSIGN(const std::string rows, audio_file_attribute(destination_, "summary"));
    PENSTOCK_ASSIGN(const Json summary, Json::parse(rows));
    const Json* const count = summary.find("rows");
    report_.samples = count != nullptr ? count->whole().value_or(0) : 0;
    report_.skipped = report_.files - std::min(report_.files, report_.samples);
    if (report_.skipped > 0 && !settings_.skip_errors) {
      return refused(fmt::format("the existing file lacks {} bad files", report_.skipped),
                     "pass on_error='skip' (--on-error skip) to accept it, or delete it");
    }
    if (!settings_.resume) {
      return refused("a complete file of these recordings and settings already exists",
                     "delete it to rebuild it: resume=False (--no-resume) is for interrupted builds");
    }
    report_.was_complete = true;
    return true;
  }

  Error refused(std::string message, std::string advice) const {
    return {.kind = ErrorKind::invalid,
            .message = std::move(message),
            .advice = std::move(advice),
            .place = {.shard = destination_, .stage = "build"}};
  }

  /// Of all files but `bad` ones.
  AudioFileContents contents_without(const std::vector<BadRecording>& left_out) const {
    AudioFileContents all{.waveform = {shape_.longs, shape_.shorts, shape_.samples},
                          .mel = {shape_.longs, shape_.shorts, shape_.mels, shape_.frames},
                          .half = shape_.half,
                          .keys = {},
                          .labels = {},
                          .label_names = files_.label_names,
                          .splits = {},
                          .split_names = files_.split_names,
                          .attributes = {}};
    auto bad = left_out.begin();
    for (std::size_t i = 0; i < files_.keys.size(); ++i) {
      if (bad != left_out.end() && bad->file == i) {
        ++bad;
        continue;
      }
      all.keys.push_back(files_.keys[i]);
      all.labels.push_back(files_.labels[i]);
      if (!files_.splits.empty()) {
        all.splits.push_back(files_.splits[i]);
      }
    }
    const Json summary(Json::Members{{"files", report_.files}, {"rows", std::uint64_t{all.keys.size()}}});
    all.attributes = {{"format", "penstock sound"},    {"version", std::int64_t{1}},
                      {"written_by", penstock_name()}, {"build", names_.contents},
                      {"summary", summary.text()},     {"configuration", configuration_}};
    const auto configuration = configuration_of(settings_);
    all.attributes.insert(all.attributes.end(), configuration.begin(), configuration.end());
    return all;
  }

  Result<AudioJournal> begin_or_continue(const Folder& folder) {
    const std::string build = Json(Json::Members{{"build", names_.contents},
                                                 {"files", names_.files},
                                                 {"boot", boot_name()},
                                                 {"penstock", penstock_name()}})
                                  .text();
    if (settings_.resume) {
      PENSTOCK_ASSIGN(auto found, AudioJournal::resume(folder, build));
      // The same contents come to lie at the same places.
      if (found) {
        PENSTOCK_ASSIGN(places_, audio_file_places(folder, contents_without({})));
      }
      if (found && holds_rows(folder, found->progress.rows)) {
        progress_ = std::move(found->progress);
        report_.resumed_at = progress_.files;
        return std::move(found->journal);
      }
    }
    PENSTOCK_TRY(folder.remove(kAudioJournalName));
    PENSTOCK_ASSIGN(places_, create_audio_file_in(folder, kDataName, contents_without({})));
    return AudioJournal::begin(folder, build);
  }

  /// A journal whose data are gone, or shorter than it says, is of no use.
  bool holds_rows(const Folder& folder, std::uint64_t rows) const {
    const std::uint64_t size = data_size(folder);
    return size >= places_.waveform + rows * shape_.wave_bytes() &&
           size >= places_.mel + rows * shape_.mel_bytes();
  }

  static std::uint64_t data_size(const Folder& folder) {
    const auto found = folder.find(kDataName);
    return found && *found ? (*found)->state.size : 0;
  }

  static Result<DiskFile> opened(const Folder& folder) {
    return folder.open_file(kDataName, data_size(folder));
  }

  Status run_pipeline(DiskFile& file, AudioJournal& journal) {
    AudioPipeline pipeline(settings_, shape_, files_, {});
    const auto write = [&](std::uint64_t row, std::size_t count, const void* waves,
                           const void* mels) -> Status {
      const auto* const wave_bytes = static_cast<const std::uint8_t*>(waves);
      const auto* const mel_bytes = static_cast<const std::uint8_t*>(mels);
      PENSTOCK_TRY(file.write_at(places_.waveform + row * shape_.wave_bytes(),
                                 {wave_bytes, count * shape_.wave_bytes()}));
      return file.write_at(places_.mel + row * shape_.mel_bytes(), {mel_bytes, count * shape_.mel_bytes()});
    };
    const auto written = [&](const AudioBuffer& buffer, std::uint64_t rows) {
      return end_batch(buffer, rows, journal);
    };
    Status status =
        pipeline.run({.first_file = progress_.files, .first_row = progress_.rows}, write, written, report_);
    for (std::size_t i = 0; i < std::min(progress_.bad.size(), kErrorsKept); ++i) {
      report_.errors.push_back(error_of(progress_.bad[i], files_));
    }
    report_.samples = progress_.rows;
    report_.skipped = progress_.bad.size();
    return status;
  }

  Status end_batch(const AudioBuffer& buffer, std::uint64_t rows, AudioJournal& journal) {
    std::vector<BadRecording> bad;
    for (std::size_t row = 0; row < buffer.count; ++row) {
      if (const auto& error = buffer.bad[row]) {
        bad.push_back({.file = buffer.first_file + row,
                       .kind = error->kind,
                       .message = error->message,
                       .advice = error->advice,
                       .stage = error->place.stage});
      }
    }
    progress_.files = buffer.first_file + buffer.count;
    progress_.rows = rows;
    progress_.bad.insert(progress_.bad.end(), bad.begin(), bad.end());
    if (const std::uint64_t limit = max_errors(settings_, report_.files); progress_.bad.size() > limit) {
      Error error = error_of(progress_.bad[static_cast<std::size_t>(limit)], files_);
      if (settings_.skip_errors) {
        error.kind = kind_of_source(error.kind);
        error.message = fmt::format("{} of {} files are bad, more than max_errors allows; one of them: {}",
                                    progress_.bad.size(), progress_.files, error.message);
      } else {
        error.advice = "pass on_error='skip' to leave out such files";
      }
      return error;
    }
    return journal.add(progress_.files, progress_.rows, bad);
  }

  /// Leaves out the rows of bad files.
  Status write_structure(DiskFile& file, const Folder& folder) const {
    if (progress_.rows == 0) {
      Error error = error_of(progress_.bad.front(), files_);
      error.kind = kind_of_source(error.kind);
      error.message = "all files are bad; the first: " + error.message;
      return error;
    }
    if (progress_.bad.empty()) {
      return {};
    }
    return write_audio_structure(file, folder, contents_without({}), contents_without(progress_.bad));
  }

  std::string destination_;
  const AudioBuildSettings& settings_;
  AudioShape shape_;
  AudioFiles files_;
  std::string configuration_;
  AudioBuildNames names_;
  AudioFilePlaces places_;
  AudioProgress progress_;
  AudioBuildReport report_;
  Clock::time_point begun_;
};

Status check_destination(const std::string& destination) {
  if (destination.empty() || destination.back() == '/' || destination.find('\0') != std::string::npos) {
    return Error{.kind = ErrorKind::invalid,
                 .message = fmt::format("'{}' is not a valid file name", printable(destination)),
                 .advice = "use one such as recordings.h5",
                 .place = {.stage = "build"}};
  }
  return {};
}

/// Whether the source is a folder of files with recordings somewhere below it, and no store or tars.
bool is_folder_of_recordings(const std::string& source) {
  const auto named = find_named(source);
  if (!named.ok()) {
    return false;
  }
  const Candidate candidate(*named);
  if (!candidate.is_folder() || is_store(candidate.path())) {
    return false;
  }
  const Result<FolderNames>& names = candidate.names();
  return !names.ok() || std::none_of(names->files.begin(), names->files.end(), [](const std::string& name) {
    return lower_case(name).ends_with(".tar");
  });
}

Result<AudioBuildReport> build_from(const SampleTable& table, const std::string& description,
                                    const std::string& destination, const AudioBuildSettings& settings,
                                    Clock::time_point begun) {
  PENSTOCK_ASSIGN(const AudioShape shape, shape_of(settings));
  PENSTOCK_TRY(check_destination(destination));
  PENSTOCK_ASSIGN(AudioFiles files, recordings_of(table, description, settings.label_pattern));
  return AudioBuild(absolute_path(destination), settings, shape, std::move(files), begun).run();
}

}  // namespace

Result<AudioBuildReport> build_audio(const SampleTable& source, const std::string& description,
                                     const std::string& destination, const AudioBuildSettings& settings) {
  return build_from(source, description, destination, settings, Clock::now());
}

Result<AudioBuildReport> build_audio(const std::string& source, const std::string& destination,
                                     const AudioBuildSettings& settings) {
  const Clock::time_point begun = Clock::now();
  PENSTOCK_ASSIGN(const AudioShape shape, shape_of(settings));
  PENSTOCK_TRY(check_destination(destination));
  if (!is_folder_of_recordings(source)) {
    PENSTOCK_ASSIGN(const std::unique_ptr<SampleTable> table, open_samples({source}, {}));
    return build_from(*table, source, destination, settings, begun);
  }
  PENSTOCK_ASSIGN(AudioFiles files, find_audio_files(source, settings.label_pattern));
  return AudioBuild(absolute_path(destination), settings, shape, std::move(files), begun).run();
}

}  // namespace penstock::inline v0
