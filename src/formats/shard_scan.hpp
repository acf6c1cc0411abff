#pragma once
// One pass over one tar shard: its samples, before they are put into the index of the whole set.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "formats/tar_index.hpp"
#include "io/source.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// Most different extensions that a data set may have.
inline constexpr std::size_t kMaxExtensions = 65535;

struct ShardScan {
  struct Sample {
    std::uint64_t first_member = 0;
    std::uint64_t key_begin = 0;
  };

  std::vector<Sample> samples;              ///< in the order of the archive
  std::vector<MemberRecord> members;        ///< `extension` counts in `extensions` of this shard
  std::string keys;                         ///< one after the other
  std::vector<std::string> extensions;      ///< lower case, in order of appearance
  std::vector<std::uint64_t> samples_with;  ///< per extension
  std::vector<std::pair<std::uint16_t, std::uint16_t>> together;  ///< see name_fields()
  std::uint64_t returning_keys = 0;  ///< samples whose key was seen before in this shard
  std::string returning_key;         ///< the first of them
  std::uint64_t links = 0;           ///< hard and symbolic links that would be part of a sample as files
  std::string first_link;            ///< name of the first of them
  std::uint64_t of_desktops = 0;     ///< files that desktops added and that belong to no sample
  std::string first_of_desktops;     ///< name of the first of them
  std::string doubt;                 ///< see TarReader::doubt()

  std::string_view key(std::size_t sample) const noexcept;
};

/// Groups adjacent members into samples, as docs/formats/webdataset.md says. Any thread.
Result<ShardScan> scan_shard(const Source& shard);

/// What a set with too many different extensions reports.
Error too_many_extensions(const std::string& shard);

}  // namespace penstock::inline v0
