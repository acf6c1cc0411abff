#pragma once
// Stores: any data set, written once in penstock's own format, with images that decode faster or need less
// room.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "penstock/field_reading.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

class SampleTable;

/// What becomes of images. What cannot be done with an image leaves it as it is, and is counted.
enum class StoreImage : std::uint8_t {
  repack,         ///< JPEG coefficients in a layout for wide CPUs; the file can be rebuilt byte for byte
  repack_pixels,  ///< also where only the pixels can be kept, not the file's bytes
  keep,           ///< the files as they are
  raw             ///< pixels: large, nothing to decode
};
/// "repack", "repack_pixels", "keep", "raw".
const char* name_of(StoreImage image) noexcept;
/// Nothing for another name.
std::optional<StoreImage> store_image_named(const std::string& name) noexcept;

/// Given to the callback a few times a second. Counts include what an interrupted build had done.
struct BuildProgress {
  std::uint64_t samples = 0;        ///< of the source, done
  std::uint64_t total = 0;          ///< of the source
  std::uint64_t bytes_read = 0;     ///< of the source, in this run
  std::uint64_t bytes_written = 0;  ///< to shards, in this run
  double seconds = 0;               ///< of this run
  double samples_per_second = 0;    ///< of this run
};

inline constexpr std::uint64_t kStoreShardBytes = std::uint64_t{256} << 20;

/// When appending, what is absent is as the store was built.
struct BuildSettings {
  std::optional<StoreImage> image{};  ///< absent = repack
  /// Images whose shorter (longer) side is above this many pixels are made smaller, with Pillow's bilinear
  /// filter.
  std::optional<int> resize_shorter{};
  std::optional<int> resize_longest{};
  /// 1 to 100: JPEG quality of what is encoded again. Given alone, every image is; with a resize, those
  /// that were made smaller (90 unless given). `raw` with a quality stores JPEG files of that quality instead
  /// of pixels.
  std::optional<int> quality{};
  std::optional<std::uint64_t> shard_bytes{};  ///< a shard is closed before it is larger; absent = 256 MiB
  std::optional<int> workers{};                ///< threads; absent = the cores that this process may use
  /// Leave out bad samples instead of failing at the first. Without it, a store or an interrupted build that
  /// lacks samples is `invalid`.
  bool skip_errors = false;
  std::optional<std::uint64_t> max_errors{};  ///< with skip_errors: more than this many fail the build
  std::optional<double> max_error_share{};  ///< the same as a share of the samples seen, from 100 samples on
  /// Keep images, labels, text and JSON that cannot be read as they are, so that the store gives the errors
  /// of its source.
  bool keep_damaged = false;
  bool append = false;  ///< add to a store that exists; settings that are given must be those of the store
  bool resume = true;   ///< resume an interrupted build of the same source and settings
  std::uint64_t max_pixels = 178'956'970;  ///< larger images are bad samples
  /// How fields are read; absent: as the source says, which is by their kind alone unless that is a store.
  /// `raw` keeps the pixels of the mode. Whoever reads the store gets the same images, boxes and key points.
  FieldReadings readings{};
  /// Called by one thread at a time, not always the same. False ends the build with `cancelled`; it can be
  /// resumed.
  std::function<bool(const BuildProgress&)> progress{};
};

struct BuildReport {
  std::uint64_t samples = 0;        ///< in the store
  std::uint64_t added = 0;          ///< by this build, resumed parts included
  std::uint64_t skipped = 0;        ///< bad samples left out of this source, resumed parts included
  std::uint64_t resumed_at = 0;     ///< samples of the source that an interrupted build had done
  bool was_complete = false;        ///< the store already existed, from the same source and settings
  std::uint64_t bytes_read = 0;     ///< in this run
  std::uint64_t bytes_written = 0;  ///< in this run
  double seconds = 0;
  std::string fingerprint;
  std::vector<Error> errors;          ///< of samples left out in this run, the first 1,000
  std::vector<std::string> warnings;  ///< of the source: what the user should know about it, a line each
  std::vector<std::string> lost;      ///< by images that are stored as RGB in this run, a line for each field
};

/// Writes the samples of `sources` (anything that Dataset opens) to the folder `destination`, which appears
/// when it is complete. The bytes depend on the source and the settings, never on workers, speed or
/// interruptions. An existing folder is `invalid`, unless it was made from the same source and
/// settings.
Result<BuildReport> build_store(const std::vector<std::string>& sources, const std::string& destination,
                                const BuildSettings& settings = {});
/// The same for a table that is open; `description` is what the user called it.
Result<BuildReport> build_store(const SampleTable& source, const std::string& description,
                                const std::string& destination, const BuildSettings& settings = {});

struct VerifySettings {
  /// Compare with these: keys, fields, and the original bytes (pixels where the file was not kept). Empty: do
  /// not.
  std::vector<std::string> sources{};
  /// Compare with this, which is open already, in place of `sources`. Null: with `sources`.
  std::shared_ptr<const SampleTable> table{};
  /// Fields of the sources as (name, extension), for stores whose fields have other names than these would
  /// have.
  std::vector<std::pair<std::string, std::string>> fields{};
  /// Of what is checked, where it is no store: how fields are read; absent: as the table says.
  FieldReadings readings{};
  bool decode = true;            ///< decode every image and every recording
  std::optional<int> workers{};  ///< threads; absent = the cores that this process may use
  std::uint64_t max_pixels = 178'956'970;
  std::function<bool(std::uint64_t done, std::uint64_t total)> progress{};  ///< false: `cancelled`
};

struct VerifyReport {
  std::uint64_t samples = 0;
  std::uint64_t images = 0;        ///< decoded
  std::uint64_t recordings = 0;    ///< decoded
  std::uint64_t compared = 0;      ///< fields compared with the source
  std::uint64_t bytes = 0;         ///< checked
  std::uint64_t not_in_store = 0;  ///< samples of the source; a problem if more than the build left out
  std::uint64_t problems = 0;
  std::vector<Error> errors;          ///< the first 100,000, in the order of the samples
  std::vector<std::string> notes;     ///< what was not compared or not known, and is not a problem
  std::vector<std::string> warnings;  ///< of the store and the source, as their data sets give them

  bool ok() const noexcept { return problems == 0; }
};
/// Checks every byte. What is not a store, or cannot be opened, is an error; damage inside is in the report.
/// Samples are compared with those of the same key, and fields with those of the same name.
Result<VerifyReport> verify_store(const std::string& path, const VerifySettings& settings = {});
/// Reads and decodes every sample of a table, as a loader would: every bad field is in the report, with its
/// place. Samples without a field that all have, of which nothing can be checked, are a problem too.
Result<VerifyReport> verify_samples(const SampleTable& table, const VerifySettings& settings = {});
/// The same for whatever Dataset opens; every byte of a store, if `paths` is the path of one. `fields` are
/// then those of `paths`, where it is not a store.
Result<VerifyReport> verify(const std::vector<std::string>& paths, const VerifySettings& settings = {});

struct StoreInfo {
  struct Codec {
    std::uint64_t fields = 0;
    std::uint64_t stored_bytes = 0;
    std::uint64_t original_bytes = 0;
  };
  struct Field {
    FieldInfo info;
    std::map<std::string, Codec> codecs;  ///< by "original", "repacked", "pixels", "number"
  };

  std::uint64_t version = 0;
  std::string written_by;
  std::string fingerprint;
  std::uint64_t samples = 0;
  std::uint64_t skipped = 0;
  std::vector<Field> fields;
  std::vector<std::string> classes;
  std::vector<std::string> sources;
  std::string image;  ///< how images were built
  std::uint64_t shards = 0;
  std::uint64_t total_bytes = 0;                      ///< of all files
  std::map<std::string, std::uint64_t> kept_because;  ///< images kept as they were, by reason
  /// Images by their longer side: {64, n}: n images with a longer side of up to 64 and above 32. 0:
  /// unknown.
  std::map<std::uint64_t, std::uint64_t> image_sizes;
};
Result<StoreInfo> store_info(const std::string& path);

struct ConvertSettings {
  std::uint64_t shard_bytes = kStoreShardBytes;  ///< a tar is closed before it is larger
  std::function<bool(std::uint64_t done, std::uint64_t total)> progress{};  ///< false: `cancelled`
};

struct ConvertReport {
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;
  std::uint64_t renamed = 0;  ///< keys with a dot in the last component, which tar shards cannot have
  std::vector<std::string> shards;
  std::vector<std::string> warnings;  ///< of the data set; and fields that the tars bring back changed
};
/// Writes a data set as WebDataset tars with the original bytes into the new folder `destination`. Extensions
/// are chosen so that the tars are read with the same fields, as far as names allow. A key that tars cannot
/// hold is `unsupported`, and nothing is left of the destination.
Result<ConvertReport> convert_store(const std::string& path, const std::string& destination,
                                    const ConvertSettings& settings = {});

}  // namespace penstock::inline v0
