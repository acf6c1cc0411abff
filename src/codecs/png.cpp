#include "codecs/png.hpp"

#include <fmt/format.h>
#include <spng.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string_view>

namespace penstock::inline v0 {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n"sv;
constexpr std::size_t kChunkOverhead = 12;  // length, type, checksum

struct FreeContext {
  void operator()(spng_ctx* context) const noexcept { spng_ctx_free(context); }
};
using Context = std::unique_ptr<spng_ctx, FreeContext>;

Error png_error(int code) {
  switch (code) {
    case SPNG_EMEM:
    case SPNG_ECHUNK_LIMITS:
    case SPNG_EOVERFLOW:
      return detail::decode_error(ErrorKind::unsupported, "PNG needs too much memory");
    default:
      return detail::decode_error(ErrorKind::corrupt,
                                  fmt::format("PNG cannot be decoded: {}", spng_strerror(code)));
  }
}

std::uint32_t big_endian_32(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
}

bool is_data(const std::uint8_t* chunk) { return std::memcmp(chunk + 4, "IDAT", 4) == 0; }

/// Whether every chunk up to the last of the image data lies inside the file. Looks at chunk headers only.
bool reaches_end_of_data(ByteSpan file) {
  bool in_data = false;
  std::size_t at = kSignature.size();
  while (file.size() - at >= kChunkOverhead) {
    const std::size_t length = big_endian_32(file.data() + at);
    const bool data = is_data(file.data() + at);
    if (in_data && !data) {
      return true;
    }
    if (length > file.size() - at - kChunkOverhead) {
      return false;
    }
    in_data = data;
    at += kChunkOverhead + length;
  }
  return in_data && at == file.size();
}

/// The contents of the first chunk of a kind; none if it does not come before the data.
ByteSpan chunk_before_data(ByteSpan file, std::string_view kind) {
  std::size_t at = kSignature.size();
  while (file.size() - at >= kChunkOverhead) {
    const std::size_t length = big_endian_32(file.data() + at);
    if (length > file.size() - at - kChunkOverhead || is_data(file.data() + at)) {
      break;
    }
    if (std::memcmp(file.data() + at + 4, kind.data(), kind.size()) == 0) {
      return file.subspan(at + 8, length);
    }
    at += kChunkOverhead + length;
  }
  return {};
}

/// A decoder at the start of the file that `chunks` reads, which must outlive it.
Result<Context> start(detail::CriticalChunks& chunks) {
  Context context(spng_ctx_new(0));
  if (!context) {
    return png_error(SPNG_EMEM);
  }
  if (const int code = spng_set_png_stream(context.get(), detail::CriticalChunks::read, &chunks); code != 0) {
    return png_error(code);
  }
  return context;
}

/// After the last row: the checksum of the data's last chunk, which libspng reads with what follows it.
Status check_end(spng_ctx* context) {
  const int code = spng_decode_chunks(context);
  return code == SPNG_ECHUNK_CRC || code == SPNG_EIDAT_STREAM ? Status(png_error(code)) : Status();
}

}  // namespace

namespace detail {

/// Finds the end of the next chunk that is not ancillary; of the file, if that is cut off.
void CriticalChunks::next_chunk() noexcept {
  while (file_.size() - at_ >= kChunkOverhead) {
    const std::size_t size = kChunkOverhead + big_endian_32(file_.data() + at_);
    if (size > file_.size() - at_) {
      break;
    }
    const bool is_ancillary = (file_[at_ + 4] & 0x20) != 0;
    if (!is_ancillary) {
      in_data_ = is_data(file_.data() + at_);
      chunk_end_ = at_ + size;
      return;
    }
    if (in_data_) {  // data that continues behind another chunk is not allowed
      chunk_end_ = at_;
      return;
    }
    at_ += size;
  }
  chunk_end_ = file_.size();
}

int CriticalChunks::read(spng_ctx* /*context*/, void* user, void* out, std::size_t count) {
  auto& self = *static_cast<CriticalChunks*>(user);
  auto* to = static_cast<std::uint8_t*>(out);
  while (count > 0) {
    if (self.at_ == self.chunk_end_) {
      self.next_chunk();
    }
    const std::size_t part = std::min(count, self.chunk_end_ - self.at_);
    if (part == 0) {
      return SPNG_IO_EOF;
    }
    std::memcpy(to, self.file_.data() + self.at_, part);
    self.at_ += part;
    to += part;
    count -= part;
  }
  return 0;
}

}  // namespace detail

bool PngDecoder::recognises(ByteSpan file) noexcept {
  return file.size() >= kSignature.size() &&
         std::memcmp(file.data(), kSignature.data(), kSignature.size()) == 0;
}

std::optional<ImageSize> PngDecoder::size_in_header(ByteSpan start) noexcept {
  constexpr std::size_t kName = 12;  // of the first chunk
  constexpr std::size_t kWidth = 16;
  constexpr std::size_t kHeight = 20;
  if (start.size() < kHeight + 4) {
    return std::nullopt;
  }
  if (std::memcmp(start.data() + kName, "IHDR", 4) != 0) {
    return ImageSize{};
  }
  return detail::header_size(big_endian_32(start.data() + kWidth), big_endian_32(start.data() + kHeight));
}

Result<ImageSize> PngDecoder::open(ByteSpan file) {
  file_ = file;
  detail::CriticalChunks chunks(file);
  PENSTOCK_ASSIGN(const Context context, start(chunks));
  spng_ihdr header{};
  if (const int code = spng_get_ihdr(context.get(), &header); code != 0) {
    return png_error(code);
  }
  PENSTOCK_TRY(detail::check_size("PNG", header.width, header.height, limits_));
  if (!reaches_end_of_data(file)) {
    return detail::decode_error(ErrorKind::corrupt, "PNG is truncated: its image data is incomplete");
  }
  header_ = {header.width, header.height, header.bit_depth, header.color_type, header.interlace_method != 0};
  PENSTOCK_TRY(check_memory());
  transparency_ = chunk_before_data(file, "tRNS");
  set_traits();
  return ImageSize{static_cast<int>(header.width), static_cast<int>(header.height)};
}

/// Of an interlaced image all rows are kept, of others three: two by libspng and one here.
Status PngDecoder::check_memory() const {
  const auto bits = static_cast<std::uint64_t>(header_.channels() * header_.bit_depth);
  const std::uint64_t row = (bits * header_.width + 7) / 8;
  const std::uint64_t needed = row * (header_.interlaced ? std::uint64_t{header_.height} + 2 : 3);
  if (needed <= limits_.max_memory()) {
    return {};
  }
  return detail::decode_error(
      ErrorKind::unsupported,
      fmt::format("PNG of {} x {} with {} bits per pixel{} needs too much memory: {} bytes", header_.width,
                  header_.height, bits, header_.interlaced ? ", interlaced," : "", needed),
      "raise max_pixels if you trust the image");
}

void PngDecoder::set_traits() {
  const bool transparent = !transparency_.empty();
  switch (header_.color_type) {
    case SPNG_COLOR_TYPE_INDEXED:
      traits_ = {.unchanged = transparent ? PixelLayout::rgba : PixelLayout::rgb,
                 .has_alpha = transparent,
                 .has_indices = true,
                 .loss = RgbLoss::palette};
      break;
    case SPNG_COLOR_TYPE_GRAYSCALE:
      traits_ =
          header_.bit_depth == 16
              ? ImageTraits{.unchanged = PixelLayout::gray_16,
                            .has_alpha = transparent,
                            .loss = RgbLoss::depth}
              : ImageTraits{.unchanged = PixelLayout::gray, .has_alpha = transparent, .has_indices = true};
      break;
    case SPNG_COLOR_TYPE_TRUECOLOR:
      traits_ = {.has_alpha = transparent};
      break;
    default:
      traits_ = {.unchanged = PixelLayout::rgba, .has_alpha = true};
  }
}

Status PngDecoder::decode(const Rect& box, const PixelView& out) {
  detail::CriticalChunks chunks(file_);
  PENSTOCK_ASSIGN(const Context context, start(chunks));
  std::size_t size = 0;
  if (const int code = spng_decoded_image_size(context.get(), SPNG_FMT_RAW, &size); code != 0) {
    return png_error(code);
  }
  std::array<std::uint8_t, 3 * 256> colors{};
  std::size_t places = 0;
  if (header_.color_type == SPNG_COLOR_TYPE_INDEXED) {
    spng_plte palette{};
    if (const int code = spng_get_plte(context.get(), &palette); code != 0) {
      return png_error(code);
    }
    for (; places < palette.n_entries; ++places) {
      const spng_plte_entry& entry = palette.entries[places];
      colors[3 * places] = entry.red;
      colors[3 * places + 1] = entry.green;
      colors[3 * places + 2] = entry.blue;
    }
  }
  pixels_.start(header_, ByteSpan(colors).first(3 * places), transparency_);
  PENSTOCK_TRY(decode_pixels(context.get(), size, box, out));
  if (!pixels_.all_opaque()) {
    traits_.loss = traits_.loss == RgbLoss::palette ? RgbLoss::palette_and_alpha : RgbLoss::alpha;
  }
  return {};
}

Status PngDecoder::decode_pixels(spng_ctx* context, std::size_t size, const Rect& box, const PixelView& out) {
  return header_.interlaced ? decode_interlaced(context, size, box, out)
                            : decode_rows(context, size / header_.height, box, out);
}

Status PngDecoder::decode_interlaced(spng_ctx* context, std::size_t size, const Rect& box,
                                     const PixelView& out) {
  std::uint8_t* const image = rows_.reserve(size);
  if (header_.bit_depth < 8) {
    std::memset(image, 0, size);  // libspng adds the passes' bits to what is there
  }
  if (const int code = spng_decode_image(context, image, size, SPNG_FMT_RAW, 0); code != 0) {
    return png_error(code);
  }
  const std::size_t row_size = size / header_.height;
  for (int y = 0; y < box.height; ++y) {
    pixels_.convert(image + static_cast<std::size_t>(box.y + y) * row_size, box.x, box.width, out.layout,
                    out.data + static_cast<std::size_t>(y) * out.stride);
  }
  return check_end(context);
}

Status PngDecoder::decode_rows(spng_ctx* context, std::size_t row_size, const Rect& box,
                               const PixelView& out) {
  std::uint8_t* const row = rows_.reserve(row_size);
  if (const int code = spng_decode_image(context, nullptr, 0, SPNG_FMT_RAW, SPNG_DECODE_PROGRESSIVE);
      code != 0) {
    return png_error(code);
  }
  const int height = static_cast<int>(header_.height);
  const int box_end = box.y + box.height;
  const int end = limits_.check_whole_file ? height : box_end;
  for (int y = 0; y < end; ++y) {
    const int code = spng_decode_row(context, row, row_size);
    if (code != (y + 1 == height ? SPNG_EOI : 0)) {
      return png_error(code == 0 ? SPNG_EINTERNAL : code);
    }
    if (y >= box.y && y < box_end) {
      pixels_.convert(row, box.x, box.width, out.layout,
                      out.data + static_cast<std::size_t>(y - box.y) * out.stride);
    }
  }
  return end == height ? check_end(context) : Status();
}

}  // namespace penstock::inline v0
