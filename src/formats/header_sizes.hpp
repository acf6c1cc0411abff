#pragma once
// The size that all images of a field have, from the headers of their files: for formats whose index does not
// know it. To the byte: docs/formats/image_folder.md.

#include <cstdint>
#include <optional>
#include <string>

#include "formats/sample_table.hpp"

namespace penstock::inline v0 {

/// The size of the images of samples [begin, end) by their headers; {0, 0} if two differ, or one has none.
/// Reads on all cores, and no further once it is known.
ImageSize size_in_headers(const SampleTable& table, std::size_t field, std::uint64_t begin,
                          std::uint64_t end);

/// What keep_size() kept for files of this identity, in an earlier run too; nothing if it did not.
std::optional<ImageSize> kept_size(const std::string& identity);
/// {0, 0} is kept as well: that there is no such size. What cannot be kept is found again.
void keep_size(const std::string& identity, ImageSize size);

}  // namespace penstock::inline v0
