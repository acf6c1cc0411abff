#pragma once
// The samples of tar shards, as a table.

#include <memory>
#include <string>
#include <vector>

#include "formats/named_path.hpp"
#include "formats/sample_table.hpp"
#include "io/source.hpp"

namespace penstock::inline v0 {

/// Maps the shards and opens the index: from the cache folder if it is still right, else by scanning.
/// `remarks` come before its own warnings.
Result<std::unique_ptr<SampleTable>> open_tar_table(const std::vector<NamedPath>& shards,
                                                    const FieldChoice& fields,
                                                    std::vector<std::string> remarks);

/// The same for shards that are already open, without the cache folder. For tests and other sources.
Result<std::unique_ptr<SampleTable>> open_tar_table(std::vector<std::unique_ptr<Source>> shards,
                                                    const FieldChoice& fields);

}  // namespace penstock::inline v0
