#pragma once
// Which build a folder or a store belongs to, and whether what it holds is what is asked for.

#include <string>
#include <vector>

#include "formats/sample_table.hpp"
#include "formats/store.hpp"
#include "formats/store_manifest.hpp"
#include "penstock/store.hpp"

namespace penstock::inline v0 {

/// `invalid`, of the stage "build".
Error build_refused(const std::string& destination, std::string message, std::string advice);

/// The same samples: descriptions are words.
bool same_source(const StoreSource& a, const StoreSource& b);

/// Whether a finished folder is what a build of `source` would make, whose sources are then these. The
/// settings are complete; `readings` are those that a manifest has.
bool is_result(const StoreManifest& manifest, const SampleTable& source, const BuildSettings& settings,
               const FieldReadings& readings, const std::vector<StoreSource>& sources);

/// Which build a journal belongs to. `identity`: of the source; `existing`: what is appended to, or null.
std::string journal_identity(const SampleTable& source, const StoreSource& added, const std::string& identity,
                             const BuildSettings& settings, const FieldReadings& readings,
                             const StoreManifest* existing);

/// How many samples of the source a store that ends with it was built without. The manifest counts those of
/// all sources; the store's last keys tell which of this one are there.
std::uint64_t lacking_in(const StoreFiles& store, const SampleTable& source);

/// Whether max_errors allows less than `bad` of `seen` samples of a source of `samples`.
bool too_many_bad(const BuildSettings& settings, std::uint64_t bad, std::uint64_t seen,
                  std::uint64_t samples);

/// Who wants an error for a bad sample, or for so many, must not be given a store without them. `what` lacks
/// `left_out` of `seen` samples.
Status refuse_left_out(const std::string& destination, const BuildSettings& settings, const char* what,
                       std::uint64_t left_out, std::uint64_t seen, std::uint64_t samples);

}  // namespace penstock::inline v0
