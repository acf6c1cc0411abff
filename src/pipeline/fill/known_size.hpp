#pragma once
// What is known of images before they are decoded, and how far that is trusted.

#include "codecs/image_decoder.hpp"
#include "formats/sample_table.hpp"
#include "penstock/options.hpp"

namespace penstock::inline v0 {

/// The limits that the options set for images.
DecodeLimits decode_limits(const LoaderOptions& options) noexcept;

/// The size that all images of a field have, if the table says so and the first of them, opened within the
/// limits, really is of that size; else {0, 0}. So no index decides by itself over memory.
ImageSize known_size(const SampleTable& table, std::size_t field, const LoaderOptions& options);

/// Of an image that has another size than all were known to have.
Error another_size(ImageSize image, ImageSize known);

}  // namespace penstock::inline v0
