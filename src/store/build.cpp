#include "store/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>

#include "core/cpu.hpp"
#include "core/seconds_since.hpp"
#include "formats/sample_table.hpp"
#include "formats/store.hpp"
#include "io/path.hpp"
#include "store/build_identity.hpp"
#include "store/build_options.hpp"
#include "store/building_folder.hpp"
#include "store/finish.hpp"
#include "store/ordered_run.hpp"
#include "store/sample_packer.hpp"
#include "store/store_writer.hpp"
#include "store/table_training.hpp"

namespace penstock::inline v0 {
namespace {

using Clock = std::chrono::steady_clock;

class Build {
 public:
  /// `parent`: the folder above the destination, if it is open already. `identity`: of the source.
  Build(const SampleTable& source, std::string description, std::string destination,
        std::optional<Folder> parent, std::string identity, const BuildSettings& settings)
      : source_(source),
        given_(settings),
        settings_(completed(settings, nullptr)),
        destination_(std::move(destination)),
        parent_(std::move(parent)),
        identity_(std::move(identity)),
        added_{.description = std::move(description),
               .fingerprint = source.fingerprint(),
               .samples = source.size(),
               // A cache is found by it. Stores that are copied and compared hold nothing of one machine.
               .identity = parent_ ? identity_ : std::string()},
        readings_(named_readings(source, settings.readings)) {}

  Result<BuildReport> run() {
    PENSTOCK_TRY(look_at_destination());
    if (report_.was_complete) {
      clean_up_after_kill(destination_, existing_->manifest());
      return finished_report(existing_->manifest());
    }
    PENSTOCK_TRY(refuse_spoiled_fields(source_, settings_));
    PENSTOCK_ASSIGN(BuildingFolder folder, BuildingFolder::open(destination_, std::move(parent_)));
    // Another build may have ended between the look and the lock.
    PENSTOCK_TRY(look_at_destination());
    if (report_.was_complete) {
      PENSTOCK_TRY(folder.discard());
      return finished_report(existing_->manifest());
    }
    if (const auto manifest = settings_.resume ? folder.finished() : std::nullopt;
        manifest && is_result(*manifest, source_, settings_, readings_, all_sources())) {
      PENSTOCK_TRY(
          check_left_out(manifest->skipped - skipped_before(), source_.size(), "the interrupted build"));
      report_.resumed_at = source_.size();
      PENSTOCK_TRY(folder.publish(existing_ != nullptr, kStoreManifestName));
      return finished_report(*manifest);
    }
    PENSTOCK_ASSIGN(StoreWriter writer, begin_or_resume(folder));
    PENSTOCK_TRY(write_samples(writer));
    PENSTOCK_TRY(writer.finish());
    PENSTOCK_ASSIGN(const StoreManifest manifest, finished_manifest(folder, writer.state()));
    PENSTOCK_TRY(folder.write_manifest(manifest));
    PENSTOCK_TRY(folder.publish(existing_ != nullptr, kStoreManifestName));
    report_.bytes_written = writer.bytes_written();
    return finished_report(manifest);
  }

 private:
  /// Finds out whether there is something to append to, or to be done at all.
  Status look_at_destination() {
    existing_ = nullptr;
    if (!is_taken(destination_)) {
      if (settings_.append) {
        return build_refused(destination_, "no store to append to", "omit append to create one");
      }
      return {};
    }
    if (!is_store({destination_, destination_})) {
      return build_refused(destination_, "the destination exists and is not a store",
                           "choose a folder that does not exist yet");
    }
    PENSTOCK_ASSIGN(existing_, StoreFiles::open({destination_, destination_}));
    const StoreManifest& manifest = existing_->manifest();
    settings_ = completed(given_, settings_.append ? &manifest.settings : nullptr);
    const std::string setting = difference(as_stored(settings_), manifest.settings);
    const std::string reading =
        manifest.fields == source_.fields() ? difference(readings_, manifest.readings) : std::string();
    const std::string& differs = setting.empty() ? reading : setting;
    const bool of_this_source = !manifest.sources.empty() && same_source(manifest.sources.back(), added_) &&
                                (settings_.append || manifest.sources.size() == 1);
    if (settings_.resume && differs.empty() && of_this_source) {
      PENSTOCK_TRY(check_left_out(lacking_in(*existing_, source_), source_.size(), "the existing store"));
      report_.was_complete = true;
      return {};
    }
    if (!settings_.append) {
      return refuse_existing(differs, of_this_source);
    }
    if (!differs.empty()) {
      return build_refused(destination_, "the store was built with other settings: " + differs,
                           setting.empty() ? "choose the fields of the source as the store has them"
                                           : "append without it: the store's own settings are the default");
    }
    if (manifest.fields != source_.fields() || manifest.arrays != arrays_of(source_)) {
      return build_refused(destination_, "the source and the store have different fields",
                           "choose the same fields, in order");
    }
    if (manifest.classes != source_.classes()) {
      return build_refused(destination_, "the source and the store have different classes", {});
    }
    return {};
  }

  Error refuse_existing(const std::string& differs, bool of_this_source) const {
    if (!of_this_source) {
      return build_refused(destination_, "the store already exists, built from another source",
                           "choose another folder, delete it, or append to it");
    }
    if (!differs.empty()) {
      return build_refused(destination_, "the store already exists, built with other settings: " + differs,
                           "choose another folder, or delete it");
    }
    return build_refused(destination_, "a complete store of this source and settings already exists",
                         "delete it to rebuild it: resume=False (--no-resume) is for interrupted builds");
  }

  Status check_left_out(std::uint64_t left_out, std::uint64_t seen, const char* what) const {
    return refuse_left_out(destination_, settings_, what, left_out, seen, source_.size());
  }

  std::string identity_of_journal() const {
    return journal_identity(source_, added_, identity_, settings_, readings_,
                            existing_ ? &existing_->manifest() : nullptr);
  }

  std::uint64_t skipped_before() const { return existing_ ? existing_->manifest().skipped : 0; }

  std::vector<StoreSource> all_sources() const {
    std::vector<StoreSource> sources = existing_ ? existing_->manifest().sources : std::vector<StoreSource>();
    sources.push_back(added_);
    return sources;
  }

  Result<StoreWriter> begin_or_resume(BuildingFolder& folder) {
    if (settings_.resume) {
      const auto journal = read_journal(folder.file(kJournalName));
      if (journal && journal->build == identity_of_journal()) {
        for (std::size_t i = journal->checkpoints.size(); i-- > 0;) {
          const Checkpoint& checkpoint = journal->checkpoints[i];
          if (checkpoint.done <= source_.size() && holds(folder.path(), checkpoint)) {
            PENSTOCK_TRY(check_left_out(checkpoint.skipped - skipped_before(), checkpoint.done,
                                        "the interrupted build"));
            PENSTOCK_ASSIGN(Journal opened, Journal::resume(folder.folder(), journal->ends[i]));
            report_.resumed_at = checkpoint.done;
            PENSTOCK_TRY(prepare_tables(folder));
            return open_writer(folder, std::move(opened), checkpoint, checkpoint.shards.size());
          }
        }
      }
    }
    PENSTOCK_TRY(folder.clear());
    Checkpoint start;
    if (existing_) {
      PENSTOCK_TRY(folder.begin_with(*existing_));
      PENSTOCK_ASSIGN(start, state_of(*existing_));
    }
    PENSTOCK_TRY(prepare_tables(folder));
    PENSTOCK_ASSIGN(Journal journal, Journal::begin(folder.folder(), identity_of_journal()));
    PENSTOCK_TRY(journal.add(start, 0));
    return open_writer(folder, std::move(journal), start, start.shards.size());
  }

  /// Those of the folder, or new ones: training again gives the same.
  Status prepare_tables(const BuildingFolder& folder) {
    const bool repacks =
        settings_.image == StoreImage::repack || settings_.image == StoreImage::repack_pixels;
    if (!repacks) {
      return {};
    }
    PENSTOCK_ASSIGN(tables_, read_tables(folder.file(kStoreTablesName)));
    if (!tables_) {
      Status told;
      const auto goes_on = [&] {
        told = tell({.samples = report_.resumed_at, .total = source_.size()});
        return told.ok();
      };
      PENSTOCK_ASSIGN(tables_,
                      train_tables(source_, added_.fingerprint, worker_count(settings_.workers), goes_on));
      PENSTOCK_TRY(std::move(told));
      PENSTOCK_TRY(tables_ ? write_tables(*tables_, folder.folder()) : Status());
    }
    return {};
  }

  Result<StoreWriter> open_writer(const BuildingFolder& folder, Journal journal, const Checkpoint& from,
                                  std::size_t known_shards) {
    return StoreWriter::open(folder.folder(), source_.fields().size(), *settings_.shard_bytes,
                             std::move(journal), from, known_shards);
  }

  /// A sample on its way to the writer, or why it is left out.
  struct Slot {
    PackedSample sample{};
    std::optional<Error> failure{};
  };

  Status write_samples(StoreWriter& writer) {
    PENSTOCK_ASSIGN(const PackingPlan plan, PackingPlan::make(source_, settings_, tables_));
    const unsigned threads = worker_count(settings_.workers);
    std::vector<std::unique_ptr<SamplePacker>> packers(threads);
    start_ = Clock::now();
    std::vector<Slot> slots(kSamplesPerThread * threads);
    Status written = run_in_order(
        writer.state().done, source_.size(), {.threads = threads}, std::span(slots),
        [&](std::size_t worker, std::uint64_t sample, Slot& packed) {
          auto& packer = packers[worker];
          if (!packer) {
            packer = std::make_unique<SamplePacker>(plan);
          }
          Result<PackedSample> made = packer->pack(sample);
          packed = made.ok() ? Slot{.sample = std::move(*made)} : Slot{.failure = std::move(made).error()};
        },
        [](const Slot& packed) -> std::uint64_t { return packed.sample.bytes.size(); },
        [&](std::size_t, std::uint64_t, Slot& packed) { return take(writer, std::move(packed)); });
    for (const RgbLossNote& loss : plan.losses) {
      if (std::string text = loss.text(); !text.empty()) {
        report_.lost.push_back(std::move(text));
      }
    }
    return written;
  }

  Status take(StoreWriter& writer, Slot packed) {
    if (!packed.failure) {
      report_.bytes_read += packed.sample.bytes_read;
      PENSTOCK_TRY(writer.add(std::move(packed.sample)));
    } else {
      PENSTOCK_TRY(leave_out(writer, std::move(*packed.failure)));
    }
    PENSTOCK_TRY(check_bad(writer.state()));
    return report_progress(writer);
  }

  Status leave_out(StoreWriter& writer, Error error) {
    if (error.systemic) {
      return error;
    }
    if (!settings_.skip_errors) {
      error.advice = "pass on_error='skip' to leave out such samples";
      return error;
    }
    PENSTOCK_TRY(writer.skip());
    last_bad_ = error;
    if (report_.errors.size() < kErrorsKept) {
      report_.errors.push_back(std::move(error));
    }
    return {};
  }

  /// After good samples too: a share is one of those seen so far, once they are enough.
  Status check_bad(const Checkpoint& state) const {
    const std::uint64_t bad = state.skipped - skipped_before();
    if (bad == 0 || !too_many_bad(settings_, bad, state.done, source_.size())) {
      return {};
    }
    Error error =
        last_bad_.value_or(Error{.kind = ErrorKind::corrupt, .message = "in the interrupted build"});
    error.message = fmt::format("{} of {} samples are bad, more than max_errors allows; the last: {}", bad,
                                state.done, error.message);
    return error;
  }

  Status report_progress(const StoreWriter& writer) {
    constexpr double kSecondsBetween = 0.1;
    const double seconds = seconds_since(start_);
    if (!settings_.progress || (seconds - told_ < kSecondsBetween && !writer.at_checkpoint())) {
      return {};
    }
    told_ = seconds;
    const std::uint64_t done = writer.state().done;
    return tell(
        {.samples = done,
         .total = source_.size(),
         .bytes_read = report_.bytes_read,
         .bytes_written = writer.bytes_written(),
         .seconds = seconds,
         .samples_per_second = seconds > 0 ? static_cast<double>(done - report_.resumed_at) / seconds : 0});
  }

  Status tell(const BuildProgress& progress) const {
    if (!settings_.progress || settings_.progress(progress)) {
      return {};
    }
    return Error{.kind = ErrorKind::cancelled,
                 .message = "the build was cancelled",
                 .advice = "start it again to resume",
                 .place = {.source = destination_, .stage = "build"}};
  }

  Result<StoreManifest> finished_manifest(const BuildingFolder& folder, const Checkpoint& state) {
    StoreManifest manifest;
    manifest.written_by = penstock_name();
    manifest.fields = source_.fields();
    manifest.arrays = arrays_of(source_);
    manifest.readings = readings_;
    manifest.classes = source_.classes();
    manifest.sources = all_sources();
    manifest.settings = as_stored(settings_);
    PENSTOCK_TRY(complete_manifest(folder.path(), state, manifest));
    return manifest;
  }

  Result<BuildReport> finished_report(const StoreManifest& manifest) {
    report_.samples = manifest.samples;
    report_.fingerprint = manifest.fingerprint;
    report_.warnings = source_.warnings();
    report_.seconds = seconds_since(begun_);
    if (report_.was_complete) {
      report_.skipped = lacking_in(*existing_, source_);
    } else {
      report_.added = manifest.samples - (existing_ ? existing_->size() : 0);
      report_.skipped = manifest.skipped - skipped_before();
    }
    return std::move(report_);
  }

  const SampleTable& source_;
  const BuildSettings& given_;
  BuildSettings settings_;  ///< complete
  std::string destination_;
  std::optional<Folder> parent_;
  std::string identity_;
  StoreSource added_;
  FieldReadings readings_;                ///< as the manifest has them
  std::unique_ptr<StoreFiles> existing_;  ///< what is appended to
  std::shared_ptr<const RepackTables> tables_;
  BuildReport report_;
  std::optional<Error> last_bad_;  ///< of this run
  Clock::time_point begun_ = Clock::now();
  Clock::time_point start_;
  double told_ = 0;
};

}  // namespace

Result<BuildReport> build_store(const SampleTable& source, const std::string& description,
                                const std::string& destination, const BuildSettings& settings) {
  PENSTOCK_ASSIGN([[maybe_unused]] const CpuTarget target, active_cpu_target());
  PENSTOCK_TRY(check(settings));
  PENSTOCK_ASSIGN(const std::string folder, folder_name(destination));
  PENSTOCK_TRY(check_fields(source));
  PENSTOCK_TRY(refuse_inside(source, folder));
  return Build(source, description, folder, {}, source.identity(), settings).run();
}

Result<BuildReport> build_store_in(Folder parent, const std::string& name, const SampleTable& source,
                                   const std::string& description, const std::string& identity,
                                   const BuildSettings& settings) {
  PENSTOCK_ASSIGN([[maybe_unused]] const CpuTarget target, active_cpu_target());
  PENSTOCK_TRY(check(settings));
  PENSTOCK_TRY(check_fields(source));
  const std::string destination = parent.path_of(name);
  PENSTOCK_TRY(refuse_inside(source, destination));
  return Build(source, description, destination, std::move(parent), identity, settings).run();
}

Result<BuildReport> build_store(const std::vector<std::string>& sources, const std::string& destination,
                                const BuildSettings& settings) {
  PENSTOCK_ASSIGN(const std::unique_ptr<SampleTable> table, open_samples(sources, {}));
  std::string description;
  for (const std::string& source : sources) {
    description += (description.empty() ? "" : " ") + source;
  }
  return build_store(*table, description, destination, settings);
}

}  // namespace penstock::inline v0
