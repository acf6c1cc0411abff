#include "codecs/exif.hpp"

#include <iterator>
#include <string_view>

namespace penstock::inline v0::detail {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kExifName = "Exif\0\0"sv;
constexpr std::string_view kXmpName = "http://ns.adobe.com/xap/1.0/\0"sv;
constexpr std::uint32_t kOrientationTag = 0x0112;

std::string_view text_of(ByteSpan bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The first `bytes` bytes at `at`, which are there, as a number.
std::uint32_t number_at(ByteSpan data, std::size_t at, int bytes, bool big_endian) noexcept {
  std::uint32_t number = 0;
  for (int i = 0; i < bytes; ++i) {
    const int place = big_endian ? i : bytes - 1 - i;
    number = number << 8 | data[at + static_cast<std::size_t>(place)];
  }
  return number;
}

int known(std::uint32_t orientation) noexcept {
  return orientation >= 1 && orientation <= 8 ? static_cast<int>(orientation) : 1;
}

/// What files say in one or the other way, EXIF first.
struct Said {
  int exif = 0;
  int xmp = 0;

  int orientation() const noexcept { return exif != 0 ? exif : xmp != 0 ? xmp : 1; }
};

}  // namespace

int orientation_in_exif(ByteSpan exif) noexcept {
  for (int i = 0; i < 2 && text_of(exif).starts_with(kExifName); ++i) {  // some files have it twice
    exif = exif.subspan(kExifName.size());
  }
  const bool big = text_of(exif).starts_with("MM\0*"sv);
  if (exif.size() < 8 || (!big && !text_of(exif).starts_with("II*\0"sv))) {
    return 0;
  }
  const std::size_t directory = number_at(exif, 4, 4, big);
  if (directory > exif.size() || exif.size() - directory < 2) {
    return 0;
  }
  const std::size_t entries = number_at(exif, directory, 2, big);
  for (std::size_t i = 0, at = directory + 2; i < entries && exif.size() - at >= 12; ++i, at += 12) {
    if (number_at(exif, at, 2, big) != kOrientationTag) {
      continue;
    }
    switch (number_at(exif, at + 2, 2, big)) {  // BYTE, SHORT or LONG
      case 1:
        return known(exif[at + 8]);
      case 3:
        return known(number_at(exif, at + 8, 2, big));
      case 4:
        return known(number_at(exif, at + 8, 4, big));
      default:
        return 0;
    }
  }
  return 0;
}

int orientation_in_xmp(ByteSpan xmp) noexcept {
  constexpr std::string_view kName = "tiff:Orientation";
  const std::string_view text = text_of(xmp);
  for (std::size_t at = text.find(kName); at != text.npos; at = text.find(kName, at)) {
    at += kName.size();
    const std::string_view rest = text.substr(at);
    const std::size_t before = rest.starts_with("=\"") ? 2 : rest.starts_with(">") ? 1 : 0;
    if (before > 0 && rest.size() > before && rest[before] >= '0' && rest[before] <= '9') {
      return known(static_cast<std::uint32_t>(rest[before] - '0'));
    }
  }
  return 0;
}

int jpeg_orientation(ByteSpan file) noexcept {
  Said said;
  std::size_t at = 2;
  while (at + 4 <= file.size()) {
    const std::uint8_t marker = file[at + 1];
    if (file[at] != 0xFF || marker == 0xFF || marker == 0x00) {  // as libjpeg: skipped to the next marker
      ++at;
      continue;
    }
    at += 2;
    if (marker == 0x01 || (marker >= 0xD0 && marker <= 0xD7)) {
      continue;
    }
    const std::size_t length = number_at(file, at, 2, true);
    if ((marker >= 0xD8 && marker <= 0xDA) || length < 2 || length > file.size() - at) {
      break;
    }
    if (const ByteSpan data = file.subspan(at + 2, length - 2); marker == 0xE1) {
      if (text_of(data).starts_with(kExifName) && said.exif == 0) {
        said.exif = orientation_in_exif(data);
      } else if (text_of(data).starts_with(kXmpName)) {
        said.xmp = orientation_in_xmp(data);
      }
    }
    at += length;
  }
  return said.orientation();
}

int png_orientation(ByteSpan file) noexcept {
  constexpr std::size_t kAround = 12;  // length, type and checksum
  for (std::size_t at = 8; file.size() >= kAround && at <= file.size() - kAround;) {
    const std::size_t length = number_at(file, at, 4, true);
    const std::string_view type = text_of(file.subspan(at + 4, 4));
    if (length > file.size() - at - kAround || type == "IEND") {
      break;
    }
    if (type == "eXIf") {
      return Said{.exif = orientation_in_exif(file.subspan(at + 8, length))}.orientation();
    }
    at += length + kAround;
  }
  return 1;
}

int webp_orientation(ByteSpan file) noexcept {
  Said said;
  if (file.size() < 16 || text_of(file.subspan(12, 4)) != "VP8X") {
    return 1;
  }
  for (std::size_t at = 12; at + 8 <= file.size();) {
    const std::size_t length = number_at(file, at + 4, 4, false);
    if (length > file.size() - at - 8) {
      break;
    }
    const std::string_view type = text_of(file.subspan(at, 4));
    const ByteSpan data = file.subspan(at + 8, length);
    if (type == "EXIF" && said.exif == 0) {
      said.exif = orientation_in_exif(data);
    } else if (type == "XMP ") {
      said.xmp = orientation_in_xmp(data);
    }
    at += 8 + length + length % 2;
  }
  return said.orientation();
}

void add_orientation(int orientation, std::vector<std::uint8_t>& jpeg) {
  constexpr std::size_t kBehindJfif = 2 + 18;  // what begins the file, and its first segment
  const auto value = static_cast<std::uint8_t>(orientation);
  const std::uint8_t segment[] = {0xFF, 0xE1, 0, 34, 'E',   'x', 'i', 'f', 0,    0, 'I', 'I',
                                  '*',  0,    8, 0,  0,     0,   1,   0,   0x12, 1, 3,   0,
                                  1,    0,    0, 0,  value, 0,   0,   0,   0,    0, 0,   0};
  jpeg.insert(jpeg.begin() + kBehindJfif, std::begin(segment), std::end(segment));
}

}  // namespace penstock::inline v0::detail
