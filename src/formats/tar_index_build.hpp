#pragma once
// From scans of shards to the index of a whole set, and from sources to a ready index, by way of the cache
// folder.

#include <memory>
#include <string>
#include <vector>

#include "formats/shard_scan.hpp"
#include "io/source.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// The index as bytes. `scans` are those of the files, in order; `paths` their names.
Result<std::vector<std::uint8_t>> build_tar_index(const std::vector<std::string>& paths,
                                                  const std::vector<FileIdentity>& states,
                                                  std::vector<ShardScan> scans);

/// Scans the shards, several at a time. The error is that of the first shard in order that has one.
Result<std::vector<ShardScan>> scan_shards(const std::vector<SourcePtr>& shards);

}  // namespace penstock::inline v0
