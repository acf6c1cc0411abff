#pragma once
// What a build was asked for: checks, and the form in which the manifest keeps it.

#include "formats/store_manifest.hpp"
#include "penstock/store.hpp"

namespace penstock {

Status check(const BuildSettings& settings);
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

}  // namespace penstock
