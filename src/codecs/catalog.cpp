#include "codecs/catalog.hpp"

#include <array>
#include <string_view>

#include "codecs/jpeg.hpp"
#include "codecs/pixels.hpp"
#include "codecs/png.hpp"
#include "codecs/repacked.hpp"
#include "codecs/signature.hpp"
#include "codecs/webp.hpp"

namespace penstock::inline v0 {
namespace {

template <class Decoder>
std::unique_ptr<ImageFormatDecoder> make_image_decoder(DecodeLimits limits) {
  return std::make_unique<Decoder>(limits);
}

template <class Decoder>
constexpr ImageCodec files(const char* name) {
  return {{name, Decoder::kExtensions, Decoder::recognises, make_image_decoder<Decoder>},
          Decoder::size_in_header};
}
template <class Decoder>
constexpr ImageCodec records(const char* name) {
  return {{name, {}, Decoder::recognises, make_image_decoder<Decoder>}};
}

constexpr std::array kImageCodecList = {files<JpegDecoder>("JPEG"), files<PngDecoder>("PNG"),
                                        files<WebpDecoder>("WebP"), records<RepackedDecoder>("repacked"),
                                        records<PixelsDecoder>("pixels")};

static_assert(kImageCodecList.size() <= kMaxImageCodecs);

using namespace std::string_view_literals;

constexpr std::array kOtherImages = {
    Signature{"GIF", 0, "GIF87a"sv},
    Signature{"GIF", 0, "GIF89a"sv},
    Signature{"TIFF", 0, "II*\0"sv},
    Signature{"TIFF", 0, "MM\0*"sv},
    Signature{"BigTIFF", 0, "II+\0"sv},
    Signature{"BigTIFF", 0, "MM\0+"sv},
    Signature{"AVIF", 4, "ftypavif"sv},
    Signature{"AVIF", 4, "ftypavis"sv},
    Signature{"HEIC", 4, "ftyphei"sv},
    Signature{"HEIC", 4, "ftyphev"sv},
    Signature{"HEIF", 4, "ftypmif1"sv},
    Signature{"HEIF", 4, "ftypmsf1"sv},
    Signature{"ISO media (video)", 4, "ftyp"sv},
    Signature{"Photoshop (PSD)", 0, "8BPS"sv},
    Signature{"JPEG 2000", 4, "jP  \r\n\x87\n"sv},
    Signature{"JPEG 2000", 0, "\xFF\x4F\xFF\x51"sv},
    Signature{"JPEG XL", 0, "\xFF\x0A"sv},
    Signature{"JPEG XL", 4, "JXL \r\n\x87\n"sv},
    Signature{"OpenEXR", 0, "\x76\x2F\x31\x01"sv},
    Signature{"icon (ICO)", 0, "\0\0\1\0"sv},
    Signature{"PDF", 0, "%PDF"sv},
    Signature{"ZIP archive", 0, "PK\3\4"sv},
    Signature{"gzip", 0, "\x1F\x8B"sv},
    Signature{"Netpbm", 0, "P4\n"sv},
    Signature{"Netpbm", 0, "P5\n"sv},
    Signature{"Netpbm", 0, "P6\n"sv},
    Signature{"QOI", 0, "qoif"sv},
    Signature{"BMP", 0, "BM"sv},
};

constexpr std::array kOtherImageExtensions = {
    FileExtension{"bmp", InTars::bytes},     FileExtension{"gif", InTars::bytes},
    FileExtension{"tif", InTars::bytes},     FileExtension{"tiff", InTars::bytes},
    FileExtension{"ppm", InTars::bytes},     FileExtension{"pgm", InTars::bytes},
    FileExtension{"pbm", InTars::bytes},     FileExtension{"pnm", InTars::bytes},
    FileExtension{"avif", InTars::bytes},    FileExtension{"heic", InTars::bytes},
    FileExtension{"jp2", InTars::bytes},     FileExtension{"jpe", InTars::own_field},
    FileExtension{"jfif", InTars::own_field}};

constexpr CodecCatalog<ImageCodec> kImageCatalog = {.what = "image",
                                                    .known = "JPEG, PNG or WebP",
                                                    .codecs = kImageCodecList,
                                                    .others = kOtherImages,
                                                    .other_extensions = kOtherImageExtensions};

}  // namespace

const CodecCatalog<ImageCodec>& image_catalog() noexcept { return kImageCatalog; }

}  // namespace penstock::inline v0
