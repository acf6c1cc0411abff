#pragma once
// Kept indexes of an earlier version.

#include <vector>

#include "formats/tar_index.hpp"
#include "io/source.hpp"

namespace penstock::inline v0 {

/// Whether an index of version 3 is what would be built of the shards now. That version left members of the
/// name `._x` out whatever they held, and did not count what desktops add. Where no member was left out, so
/// that header and data of each follow those of the one before without a gap, there is no difference; but it
/// knew no shapes of arrays. Reads one block of each shard.
bool is_up_to_date(const TarIndex& index, const std::vector<SourcePtr>& shards);

}  // namespace penstock::inline v0
