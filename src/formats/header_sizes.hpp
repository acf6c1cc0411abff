#pragma once
// The size that all images of a field have, from the headers of their files: for formats whose index does not
// know it. To the byte: docs/formats/image_folder.md.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "io/bytes.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"

namespace penstock::inline v0 {

/// Gives the first `size` bytes of an image's file, or all of fewer.
using FirstBytes = std::function<Result<Bytes>(std::uint64_t sample, std::uint64_t size)>;

/// The size that a file's header tells; {0, 0} if it tells none. Asks for more bytes where a preview stands
/// before it.
Result<ImageSize> size_by_header(std::uint64_t sample, const FirstBytes& first_bytes);

/// The size of the images of samples [begin, end) by their headers; {0, 0} if two differ, or one has none.
/// Reads on all cores, and no further once it is known.
ImageSize size_in_headers(const FirstBytes& first_bytes, std::uint64_t begin, std::uint64_t end);

/// What keep_size() kept for files of this identity, in an earlier run too; nothing if it did not.
std::optional<ImageSize> kept_size(const std::string& identity);
/// {0, 0} is kept as well: that there is no such size. What cannot be kept is found again.
void keep_size(const std::string& identity, ImageSize size);

}  // namespace penstock::inline v0
