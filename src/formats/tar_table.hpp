#pragma once
// The samples of tar shards, as a table.

#include <memory>
#include <string>
#include <vector>

#include "formats/format.hpp"
#include "formats/named_path.hpp"
#include "formats/sample_table.hpp"

namespace penstock::inline v0 {

/// Tar shards, named by file or by the folder they lie in.
extern const Format kTarFormat;

/// Opens the shards and the index: from the cache folder if it is still right, else by scanning.
/// `remarks` come before its own warnings.
Result<std::unique_ptr<SampleTable>> open_tar_table(const std::vector<NamedPath>& shards,
                                                    const OpenOptions& options,
                                                    std::vector<std::string> remarks);

}  // namespace penstock::inline v0
