#include "formats/tar_index_earlier.hpp"

#include <algorithm>
#include <atomic>

#include "core/parallel_for.hpp"
#include "core/usable_cores.hpp"
#include "formats/tar.hpp"
#include "formats/webdataset.hpp"

namespace penstock::inline v0 {
namespace {

/// Where the known members of each shard end, if nothing lies between them; empty if something does.
std::vector<std::uint64_t> ends_without_gaps(const TarIndex& index) {
  std::vector<std::uint64_t> ends(index.shard_count(), 0);
  for (std::uint64_t number = 0; number < index.size(); ++number) {
    const auto sample = index.sample(number);
    if (!sample) {
      return {};
    }
    std::uint64_t& end = ends[sample->shard];
    for (const MemberRecord& member : sample->members) {
      if (member.offset() != end + kTarBlock) {
        return {};
      }
      end = member.offset() + (member.size() + kTarBlock - 1) / kTarBlock * kTarBlock;
    }
  }
  return ends;
}

/// The archive ends at the end of the file, or with a block of zeros.
bool archive_ends_at(const Source& shard, std::uint64_t offset) {
  if (offset == shard.size()) {
    return true;
  }
  const auto block = shard.read(offset, kTarBlock);
  return block.ok() &&
         std::all_of(block->begin(), block->end(), [](std::uint8_t byte) { return byte == 0; }) &&
         block->intact().ok();
}

}  // namespace

bool is_up_to_date(const TarIndex& index, const std::vector<SourcePtr>& shards) {
  for (const ExtensionRecord& extension : index.extensions()) {
    if (default_field(index.text(extension.extension)).kind == FieldKind::array) {
      return false;  // it does not know their shapes
    }
  }
  const std::vector<std::uint64_t> ends = ends_without_gaps(index);
  if (ends.size() != shards.size()) {
    return false;
  }
  std::atomic<bool> all = true;
  parallel_for(shards.size(), shards.size() < 64 ? 1 : usable_cores(), [&](std::size_t shard) {
    if (!archive_ends_at(*shards[shard], ends[shard])) {
      all = false;
    }
  });
  return all;
}

}  // namespace penstock::inline v0
