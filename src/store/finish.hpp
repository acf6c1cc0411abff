#pragma once
// What is known only when all samples are written.

#include <string>

#include "formats/store.hpp"
#include "formats/store_manifest.hpp"
#include "store/journal.hpp"

namespace penstock::inline v0 {

/// Counts, checksums, files and the fingerprint, from the files in `folder`.
Status complete_manifest(const std::string& folder, const Checkpoint& state, StoreManifest& manifest);

/// How far a finished store is, to append to it.
Result<Checkpoint> state_of(const StoreFiles& store);

}  // namespace penstock::inline v0
