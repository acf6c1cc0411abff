#pragma once
// For the tests of this folder: images in every variant, and decoding with guard bytes around the output.

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "codecs/image_decoder.hpp"

namespace penstock::test {

using Bytes = std::vector<std::uint8_t>;

/// Samples of a drawn image: smooth areas, edges and some noise; `channels` bytes a pixel.
Bytes draw(int width, int height, int channels, unsigned seed = 1);

enum class JpegCoding { baseline, optimized, progressive, arithmetic, restarts, one_scan_per_component };
inline const std::vector<JpegCoding> kJpegCodings = {
    JpegCoding::baseline,   JpegCoding::optimized, JpegCoding::progressive,
    JpegCoding::arithmetic, JpegCoding::restarts,  JpegCoding::one_scan_per_component};
enum class JpegColor { gray, ycbcr, rgb, cmyk, ycck, two_components };

struct JpegVariant {
  int width = 0;
  int height = 0;
  JpegColor color = JpegColor::ycbcr;
  JpegCoding coding = JpegCoding::baseline;
  /// Horizontal and vertical factor by component; missing ones are 1.
  std::vector<std::pair<int, int>> sampling = {};
  int quality = 85;
  bool adobe_marker = true;

  std::string name() const;
};

/// The file, or nothing where libjpeg cannot write the variant.
std::optional<Bytes> make_jpeg(const JpegVariant& variant);

/// The place of a marker's FF, walking by lengths; the file must have it before its first scan ends.
std::size_t find_marker(const Bytes& file, std::uint8_t marker);
/// The place of the first scan's data.
std::size_t scan_start(const Bytes& file);
/// The file as if it ended after its first scan, with an end marker.
Bytes first_scan_only(const Bytes& file);

/// An image as rows of R, G, B without gaps.
struct Rgb {
  int width = 0;
  int height = 0;
  Bytes pixels;

  Rgb part(const Rect& box) const;
  bool operator==(const Rgb&) const = default;
};

/// libjpeg as its manual says, whole image; four-component files by Pillow's rule.
Rgb plain_jpeg_decode(const Bytes& file);

/// Decodes the box of the opened image with gaps between the rows if `gap` > 0, and fails the test if a
/// byte around the output changed.
Result<Rgb> decode_guarded(ImageDecoder& decoder, const Rect& box, PixelLayout layout, std::size_t gap = 0,
                           int margin = 0);

/// open() and decode_guarded() of the whole image.
Result<Rgb> decode_whole(ImageDecoder& decoder, const Bytes& file);

/// Corners, edges, single pixels, whole rows and columns, and `count` random ones.
std::vector<Rect> boxes_in(int width, int height, int count, std::mt19937& random);

/// Compares many boxes with the whole image, in both layouts and with and without gaps.
void expect_boxes_equal(const Bytes& file, const Rgb& whole, int count, const std::string& name);

/// With check_whole_file, boxes of the file are refused exactly if all of it is, and have the same pixels.
/// False if the file is refused.
bool expect_whole_file_checked(const Bytes& file, const std::vector<Rect>& boxes);

/// Calls `check` with copies of the file in which bytes were changed, taken out, doubled or cut off.
void for_each_mutation(const Bytes& file, int count, const std::function<void(const Bytes&)>& check);

}  // namespace penstock::test
