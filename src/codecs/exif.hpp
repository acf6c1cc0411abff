#pragma once
// How an image file says that it is to be turned before it is looked at: EXIF's orientation, 1 to 8. Pure
// functions that read nothing outside their spans; any thread may call.

#include <vector>

#include "penstock/sample.hpp"

namespace penstock::inline v0::detail {

/// Of EXIF data, with or without "Exif\0\0" before it; 0 where there is none, or the data is damaged. What is
/// not between 1 and 8 is 1.
int orientation_in_exif(ByteSpan exif) noexcept;
/// The same of XMP data, the text "tiff:Orientation".
int orientation_in_xmp(ByteSpan xmp) noexcept;

/// Of a JPEG file, or of its head up to the first scan; 1 where nothing is said. As Pillow: XMP is asked
/// where EXIF says nothing.
int jpeg_orientation(ByteSpan file) noexcept;
/// Of a PNG file: its eXIf chunk.
int png_orientation(ByteSpan file) noexcept;
/// Of a WebP file: its EXIF and XMP chunks.
int webp_orientation(ByteSpan file) noexcept;

/// Puts EXIF data with this orientation into a JPEG file that write_jpeg() made.
void add_orientation(int orientation, std::vector<std::uint8_t>& jpeg);

}  // namespace penstock::inline v0::detail
