#pragma once
// Building into a folder that is open already, for the loader's cache.

#include <string>

#include "formats/sample_table.hpp"
#include "io/folder.hpp"
#include "penstock/store.hpp"

namespace penstock::inline v0 {

/// As build_store(), to `name` in `parent`, by the rules of that. The manifest keeps `identity`, which is
/// that of the source.
Result<BuildReport> build_store_in(Folder parent, const std::string& name, const SampleTable& source,
                                   const std::string& description, const std::string& identity,
                                   const BuildSettings& settings);

}  // namespace penstock::inline v0
