#pragma once
// What a build was asked for: checks, and the form in which the manifest keeps it.

#include "formats/sample_table.hpp"
#include "formats/store_manifest.hpp"
#include "penstock/store.hpp"

namespace penstock::inline v0 {

/// A report lists so many bad samples and counts the others.
inline constexpr std::size_t kErrorsKept = 1000;

Status check(const BuildSettings& settings);
/// `stage`: who was asked.
Status check_shard_bytes(std::uint64_t bytes, const char* stage);
Status check_workers(const std::optional<int>& workers, const char* stage);
/// `invalid` for fields that a manifest could not hold, and for a source without samples and fields.
Status check_fields(const SampleTable& source);
/// readings_of() by name, without those that the kind alone says: as a manifest has them.
FieldReadings named_readings(const SampleTable& source, const FieldReadings& given);
/// The first of them that differs, as "how field 'boxes' is read"; empty if none does.
std::string difference(const FieldReadings& asked, const FieldReadings& built);
/// `invalid` if the settings would change the pixels of images beside `image` that are no photographs, or of
/// masks, make JPEG files of what is not read as RGB, or leave boxes behind.
Status refuse_spoiled_fields(const SampleTable& source, const BuildSettings& settings);
/// With what was not given: as in the store that is appended to, or the usual.
BuildSettings completed(BuildSettings settings, const StoreSettings* store);
/// Of settings that are complete.
StoreSettings as_stored(const BuildSettings& settings);
/// The first setting that differs, as "quality is 50 and was 90"; empty if none does.
std::string difference(const StoreSettings& asked, const StoreSettings& built);
/// Threads of a build that names `workers`.
unsigned worker_count(const std::optional<int>& workers);
/// "penstock <version>".
std::string penstock_name();

}  // namespace penstock::inline v0
