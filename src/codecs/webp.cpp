#include "codecs/webp.hpp"

#include <fmt/format.h>
#include <webp/decode.h>
#include <webp/demux.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string_view>

namespace penstock::inline v0 {
namespace {

struct FreeDemuxer {
  void operator()(WebPDemuxer* demuxer) const noexcept { WebPDemuxDelete(demuxer); }
};

Error webp_error(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY:
      return detail::decode_error(ErrorKind::unsupported, "WebP needs too much memory");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return detail::decode_error(ErrorKind::unsupported, "WebP uses a feature that libwebp does not know");
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
      return detail::decode_error(ErrorKind::corrupt, "WebP is truncated");
    default:
      return detail::decode_error(
          ErrorKind::corrupt, fmt::format("WebP cannot be decoded: its data is damaged (libwebp status {})",
                                          static_cast<int>(status)));
  }
}

/// What libwebp is asked for, so that the pixels of `box` come out as in a full decode: chroma is halved,
/// upsampling looks at one sample to each side and takes a crop's edge for the image's, and crops begin at
/// even places.
Rect widened(const Rect& box, int width, int height) {
  const int left = std::max(0, (box.x - 2) & ~1);
  const int top = std::max(0, (box.y - 2) & ~1);
  const int right = std::min(width, box.x + box.width + 2);
  const int bottom = std::min(height, box.y + box.height + 2);
  return {left, top, right - left, bottom - top};
}

Rect common(const Rect& a, const Rect& b) {
  const int left = std::max(a.x, b.x);
  const int top = std::max(a.y, b.y);
  return {left, top, std::min(a.x + a.width, b.x + b.width) - left,
          std::min(a.y + a.height, b.y + b.height) - top};
}

std::uint32_t little16(const std::uint8_t* p) noexcept { return (std::uint32_t{p[1]} << 8) | p[0]; }
std::uint32_t little24(const std::uint8_t* p) noexcept { return (std::uint32_t{p[2]} << 16) | little16(p); }
std::uint32_t little32(const std::uint8_t* p) noexcept { return (little16(p + 2) << 16) | little16(p); }

}  // namespace

bool WebpDecoder::recognises(ByteSpan file) noexcept {
  return file.size() >= 12 && std::memcmp(file.data(), "RIFF", 4) == 0 &&
         std::memcmp(file.data() + 8, "WEBP", 4) == 0;
}

std::optional<ImageSize> WebpDecoder::size_in_header(ByteSpan start) noexcept {
  constexpr std::size_t kBody = 20;  // after RIFF, WEBP and the head of the first chunk
  constexpr std::size_t kLossless = 5;
  constexpr std::size_t kOthers = 10;
  if (start.size() < kBody + kLossless) {
    return std::nullopt;
  }
  const std::string_view chunk(reinterpret_cast<const char*>(start.data()) + 12, 4);
  const std::uint8_t* const body = start.data() + kBody;
  if (chunk == "VP8L") {
    const std::uint32_t bits = little32(body + 1);
    return body[0] == 0x2F ? detail::header_size((bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1)
                           : ImageSize{};
  }
  if (start.size() < kBody + kOthers) {
    return std::nullopt;
  }
  if (chunk == "VP8X") {
    return detail::header_size(little24(body + 4) + 1, little24(body + 7) + 1);
  }
  const bool is_key_frame =
      chunk == "VP8 " && (body[0] & 1) == 0 && std::memcmp(body + 3, "\x9D\x01\x2A", 3) == 0;
  return is_key_frame ? detail::header_size(little16(body + 6) & 0x3FFF, little16(body + 8) & 0x3FFF)
                      : ImageSize{};
}

Result<ImageSize> WebpDecoder::open(ByteSpan file) {
  WebPBitstreamFeatures features;
  if (const VP8StatusCode status = WebPGetFeatures(file.data(), file.size(), &features);
      status != VP8_STATUS_OK) {
    return webp_error(status);
  }
  PENSTOCK_TRY(detail::check_size("WebP", static_cast<std::uint64_t>(features.width),
                                  static_cast<std::uint64_t>(features.height), limits_));
  const bool alpha = features.has_alpha != 0;
  traits_ = {.unchanged = alpha ? PixelLayout::rgba : PixelLayout::rgb,
             .has_alpha = alpha,
             .loss = alpha ? RgbLoss::alpha : RgbLoss::none};
  const WebPData data{file.data(), file.size()};
  const std::unique_ptr<WebPDemuxer, FreeDemuxer> demuxer(WebPDemux(&data));
  WebPIterator frame;
  if (!demuxer || WebPDemuxGetFrame(demuxer.get(), 1, &frame) == 0) {
    return detail::decode_error(ErrorKind::corrupt, "WebP is truncated or malformed");
  }
  // The iterator's bytes lie in the file; it holds no memory of its own.
  frame_ = {frame.fragment.bytes, frame.fragment.size};
  place_ = {frame.x_offset, frame.y_offset, frame.width, frame.height};
  const bool complete = frame.complete != 0;
  WebPDemuxReleaseIterator(&frame);
  const ImageSize canvas{static_cast<int>(WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_WIDTH)),
                         static_cast<int>(WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_HEIGHT))};
  PENSTOCK_TRY(detail::check_size("WebP", static_cast<std::uint64_t>(canvas.width),
                                  static_cast<std::uint64_t>(canvas.height), limits_));
  if (!complete) {
    return webp_error(VP8_STATUS_NOT_ENOUGH_DATA);
  }
  if (const VP8StatusCode status = WebPGetFeatures(frame_.data(), frame_.size(), &features);
      status != VP8_STATUS_OK) {
    return webp_error(status);
  }
  if (features.width != place_.width || features.height != place_.height) {
    return detail::decode_error(ErrorKind::corrupt, "WebP gives two different sizes for its image");
  }
  lossy_ = features.format != 2;
  return canvas;
}

Status WebpDecoder::decode(const Rect& box, const PixelView& out) {
  const Rect part = common(box, place_);
  const std::size_t step = pixel_bytes(out.layout);
  if (part != box) {
    for (int y = 0; y < box.height; ++y) {
      std::memset(out.data + static_cast<std::size_t>(y) * out.stride, 0,
                  static_cast<std::size_t>(box.width) * step);
    }
    if (part.width <= 0 || part.height <= 0) {
      std::array<std::uint8_t, 4> pixel{};
      return limits_.check_whole_file
                 ? decode_frame({0, 0, 1, 1}, {.data = pixel.data(), .stride = 4, .width = 1, .height = 1})
                 : Status();
    }
  }
  PixelView view = out;
  view.data +=
      static_cast<std::size_t>(part.y - box.y) * out.stride + static_cast<std::size_t>(part.x - box.x) * step;
  view.width = part.width;
  view.height = part.height;
  return decode_frame({part.x - place_.x, part.y - place_.y, part.width, part.height}, view);
}

Status WebpDecoder::decode_frame(const Rect& box, const PixelView& out) {
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0) {
    return detail::decode_error(ErrorKind::unsupported, "the version of libwebp does not match its header");
  }
  const std::size_t step = pixel_bytes(out.layout);
  Rect read = lossy_ ? widened(box, place_.width, place_.height) : box;
  if (limits_.check_whole_file) {  // libwebp reads all columns, and nothing below the last row
    read.height = place_.height - read.y;
  }
  const bool direct = read == box;
  const std::size_t stride = direct ? out.stride : static_cast<std::size_t>(read.width) * step;
  const std::size_t size =
      stride * static_cast<std::size_t>(read.height - 1) + static_cast<std::size_t>(read.width) * step;
  std::uint8_t* const rows = direct ? out.data : margin_rows_.reserve(size);
  config.options.use_cropping = 1;
  config.options.crop_left = read.x;
  config.options.crop_top = read.y;
  config.options.crop_width = read.width;
  config.options.crop_height = read.height;
  config.output.colorspace = out.layout == PixelLayout::rgb ? MODE_RGB : MODE_RGBA;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = rows;
  config.output.u.RGBA.stride = static_cast<int>(stride);
  config.output.u.RGBA.size = size;
  const VP8StatusCode status = WebPDecode(frame_.data(), frame_.size(), &config);
  WebPFreeDecBuffer(&config.output);
  if (status != VP8_STATUS_OK) {
    return webp_error(status);
  }
  for (int y = 0; y < box.height && !direct; ++y) {
    const std::size_t from = static_cast<std::size_t>(box.y - read.y + y) * stride +
                             static_cast<std::size_t>(box.x - read.x) * step;
    std::memcpy(out.data + static_cast<std::size_t>(y) * out.stride, rows + from,
                static_cast<std::size_t>(box.width) * step);
  }
  return {};
}

}  // namespace penstock::inline v0
