#pragma once
// Indexes kept between runs, in a folder of the user.

#include <optional>
#include <string>
#include <vector>

#include "formats/tar_index.hpp"
#include "io/bytes.hpp"

namespace penstock::inline v0 {

/// $PENSTOCK_CACHE_DIR, else $XDG_CACHE_HOME/penstock, else ~/.cache/penstock; empty if none of these is set.
std::string cache_folder();

/// Where the index of these shards (absolute paths, in order) is kept; empty without a cache folder.
std::string index_cache_path(const std::vector<std::string>& shards);

/// Why the cache folder, or the index in it, is not to be used: strangers could have written it. Empty if it
/// may be.
std::string refuse_index(const std::string& cache_path);

/// What was kept there, held, read through the folder that is checked. Nothing if it is missing, cannot be
/// read, or strangers could have written it.
std::optional<Bytes> read_kept(const std::string& cache_path);

/// Keeps an index for later runs. Makes the folder if it is missing.
Status keep_index(const std::string& cache_path, ByteSpan index);

/// The kept index, if it is whole and every shard still has the state that it had. Anything else is not an
/// error: nothing.
std::optional<TarIndex> load_index(const std::string& cache_path, const std::vector<std::string>& shards,
                                   const std::vector<FileIdentity>& states);

/// Whether a change right after `scanned` (ns since 1970) could leave the state of the file as it is, because
/// the clock of its file system had not moved on. Such an index must not be kept.
bool could_change_unnoticed(const FileState& state, std::int64_t scanned) noexcept;

}  // namespace penstock::inline v0
