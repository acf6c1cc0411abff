#pragma once
// What a build was asked for: checks, and the form in which the manifest keeps it.

#include "formats/store_manifest.hpp"
#include "penstock/store.hpp"

namespace penstock {

Status check(const BuildSettings& settings);
StoreSettings as_stored(const BuildSettings& settings);
/// Threads of a build that names `workers`.
unsigned worker_count(const std::optional<int>& workers);
/// "penstock <version>".
std::string penstock_name();

}  // namespace penstock
