#include <algorithm>
#include <cstring>

#include "codecs/exif.hpp"
#include "codecs/repacked.hpp"
#include "codecs/repacked/color_rows.hpp"
#include "codecs/repacked/packed_header.hpp"
#include "codecs/repacked/tables.hpp"
#include "codecs/repacked/tile_source.hpp"
#include "core/scratch.hpp"

namespace penstock::inline v0 {
namespace {

using namespace detail;  // the parts of this codec

constexpr std::size_t kLeft = 64;  // bytes before each row, for the sample left of the image
constexpr std::size_t kRight = 128;

/// The samples of a component that a box needs: the last two rows of tiles that were decoded.
struct Plane {
  BlockRange wanted{};
  std::uint8_t* memory = nullptr;
  std::size_t stride = 0;
  int ring_rows = 0;  // a power of two

  /// The sample (x, y) of the component.
  std::uint8_t* at(int x, int y) const {
    return memory + static_cast<std::size_t>(y & (ring_rows - 1)) * stride + kLeft +
           (static_cast<std::ptrdiff_t>(x) - wanted.x0 * 8);
  }
};

/// How chroma gets to the size of luma.
struct Upsampling {
  bool across = false;  // by interpolation; otherwise samples are repeated
  bool down = false;
};

}  // namespace

struct RepackedDecoder::Impl {
  DecodeLimits limits;
  std::shared_ptr<const RepackTables> tables;
  ByteSpan tables_bytes;
  RepackRecord record;
  bool is_open = false;
  std::unique_ptr<TileData> tile = std::make_unique<TileData>();
  Scratch memory;
  std::array<Plane, 3> planes{};
  std::array<std::array<std::int16_t, 64>, 3> quant{};  // as in BlockJob
  std::array<std::uint8_t*, 2> chroma_rows{};
  Upsampling upsampling;
  int chroma_width = 0;
  int chroma_height = 0;

  explicit Impl(DecodeLimits given) : limits(given) {}

  void plan(const Rect& box);
  void decode_tile_samples(int tile_x, int tile_y);
  const std::uint8_t* chroma_row(int component, const Rect& box, int y);
  std::uint8_t* edged_row(const Plane& plane, int x, int y) const;
  int write_rows(const Rect& box, int y, int end, const PixelView& out);
};

/// Finds the blocks that the box needs and lays out the planes.
void RepackedDecoder::Impl::plan(const Rect& box) {
  const RepackGeometry& geometry = record.geometry;
  const int h = geometry.h();
  const int v = geometry.v();
  chroma_width = (geometry.width + h - 1) / h;
  chroma_height = (geometry.height + v - 1) / v;
  // libjpeg repeats the samples of very narrow images.
  upsampling.across = h == 2 && chroma_width > 2;
  upsampling.down = v == 2 && (h == 1 || chroma_width > 2);
  std::size_t size = 0;
  for (int component = 0; component < geometry.components(); ++component) {
    const bool chroma = component > 0;
    const int fx = chroma ? h : 1;
    const int fy = chroma ? v : 1;
    const int more_x = chroma && upsampling.across ? 1 : 0;
    const int more_y = chroma && upsampling.down ? 1 : 0;
    const int width = chroma ? chroma_width : geometry.width;
    const int height = chroma ? chroma_height : geometry.height;
    const int x0 = std::max(0, box.x / fx - more_x);
    const int x1 = std::min(width, (box.x + box.width - 1) / fx + 1 + more_x);
    const int y0 = std::max(0, box.y / fy - more_y);
    const int y1 = std::min(height, (box.y + box.height - 1) / fy + 1 + more_y);
    Plane& plane = planes[static_cast<std::size_t>(component)];
    plane.wanted = {x0 / 8, (x1 + 7) / 8, y0 / 8, (y1 + 7) / 8};
    plane.ring_rows = 2 * 8 * kTileMcusHigh * geometry.v(component);
    plane.stride = (kLeft + static_cast<std::size_t>(plane.wanted.wide()) * 8 + kRight) / 64 * 64;
    size += plane.stride * static_cast<std::size_t>(plane.ring_rows) + 3 * 64;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::size_t natural = kStoredOrder[i];
      const int scale = natural < 8 ? kFirstRowScale : 1;
      quant[static_cast<std::size_t>(component)][i] =
          static_cast<std::int16_t>(record.quant[static_cast<std::size_t>(component)][natural] * scale);
    }
  }
  const std::size_t row_size = (static_cast<std::size_t>(box.width) + 2 * kUpsampleSlack + 192) / 64 * 64;
  std::uint8_t* at = memory.reserve(size + 2 * row_size);
  for (std::uint8_t*& row : chroma_rows) {
    row = at;
    at += row_size;
  }
  for (int component = 0; component < geometry.components(); ++component) {
    Plane& plane = planes[static_cast<std::size_t>(component)];
    plane.memory = at;
    at += plane.stride * static_cast<std::size_t>(plane.ring_rows) + 3 * 64;
  }
}

void RepackedDecoder::Impl::decode_tile_samples(int tile_x, int tile_y) {
  for (int component = 0; component < record.geometry.components(); ++component) {
    const Plane& plane = planes[static_cast<std::size_t>(component)];
    const BlockRange range = record.geometry.blocks_of_tile(component, tile_x, tile_y);
    const BlockRange part{std::max(range.x0, plane.wanted.x0), std::min(range.x1, plane.wanted.x1),
                          std::max(range.y0, plane.wanted.y0), std::min(range.y1, plane.wanted.y1)};
    if (part.x0 >= part.x1 || part.y0 >= part.y1) {
      continue;
    }
    decode_samples({.part = &(*tile)[component > 0 ? 1 : 0],
                    .component = component == 2 ? 1 : 0,
                    .wide = range.wide(),
                    .high = range.high(),
                    .x0 = part.x0 - range.x0,
                    .x1 = part.x1 - range.x0,
                    .y0 = part.y0 - range.y0,
                    .y1 = part.y1 - range.y0,
                    .quant = quant[static_cast<std::size_t>(component)].data(),
                    .out = plane.at(part.x0 * 8, part.y0 * 8),
                    .stride = plane.stride});
  }
}

/// Sample x of a chroma row (clamped to the image) whose neighbours beyond the image's sides repeat its
/// ends.
std::uint8_t* RepackedDecoder::Impl::edged_row(const Plane& plane, int x, int y) const {
  y = std::clamp(y, 0, chroma_height - 1);
  if (upsampling.across) {
    if (plane.wanted.x0 == 0) {
      *plane.at(-1, y) = *plane.at(0, y);
    }
    if (plane.wanted.x1 * 8 >= chroma_width) {
      *plane.at(chroma_width, y) = *plane.at(chroma_width - 1, y);
    }
  }
  return plane.at(x, y);
}

/// The chroma of the box's pixels in row y of the image.
const std::uint8_t* RepackedDecoder::Impl::chroma_row(int component, const Rect& box, int y) {
  const Plane& plane = planes[static_cast<std::size_t>(component)];
  const int h = record.geometry.h();
  const int v = record.geometry.v();
  if (h == 1 && v == 1) {
    return plane.at(box.x, y);
  }
  std::uint8_t* const out = chroma_rows[static_cast<std::size_t>(component - 1)];
  const bool lower = v == 2 && (y & 1) != 0;
  const int first = box.x / h;
  const std::uint8_t* const near = edged_row(plane, first, y / v);
  const std::uint8_t* const far = upsampling.down ? edged_row(plane, first, y / v + (lower ? 1 : -1)) : near;
  if (h == 1) {
    upsample_down(near, far, lower, box.width, out);
    return out;
  }
  const int count = (box.x + box.width - 1) / 2 - first + 1;
  if (!upsampling.across) {
    for (int i = 0; i < count; ++i) {
      out[2 * i] = out[2 * i + 1] = near[i];
    }
  } else if (v == 1) {
    upsample_across(near, count, out);
  } else {
    upsample_both(near, far, count, out);
  }
  return out + (box.x & 1);
}

/// Writes row y of the image and as many of those after it as can be done at once, at most up to `end`.
/// Gives the row after the last.
int RepackedDecoder::Impl::write_rows(const Rect& box, int y, int end, const PixelView& out) {
  std::uint8_t* const to = out.data + static_cast<std::size_t>(y - box.y) * out.stride;
  const std::uint8_t* const luma = planes[0].at(box.x, y);
  if (record.geometry.components() == 1) {
    if (out.layout == PixelLayout::rgb) {
      write_gray_row(luma, box.width, to);
    } else {
      std::memcpy(to, luma, static_cast<std::size_t>(box.width));
    }
    return y + 1;
  }
  // Chroma in a buffer of its own is one row; otherwise all planes have the same rows, to the ring's end.
  const bool one = record.geometry.sampling != RepackSampling::s444;
  const int left_in_ring = planes[0].ring_rows - (y & (planes[0].ring_rows - 1));
  const int height = one ? 1 : std::min(end - y, left_in_ring);
  write_color_rows({.y = luma,
                    .cb = chroma_row(1, box, y),
                    .cr = chroma_row(2, box, y),
                    .luma_stride = planes[0].stride,
                    .chroma_stride = planes[1].stride,
                    .width = box.width,
                    .height = height,
                    .out = to,
                    .out_stride = out.stride});
  return y + height;
}

RepackedDecoder::RepackedDecoder(DecodeLimits limits) : impl_(std::make_unique<Impl>(limits)) {}
RepackedDecoder::~RepackedDecoder() = default;

bool RepackedDecoder::recognises(ByteSpan record) noexcept { return starts_as_record(record); }

Status RepackedDecoder::use_tables(ByteSpan tables) {
  Impl& impl = *impl_;
  if (impl.tables && impl.tables_bytes.data() == tables.data() && impl.tables_bytes.size() == tables.size()) {
    return {};
  }
  PENSTOCK_ASSIGN(auto parsed, parse_repack_tables(tables));
  use_tables(std::move(parsed));
  impl.tables_bytes = tables;
  return {};
}

void RepackedDecoder::use_tables(std::shared_ptr<const RepackTables> tables) {
  impl_->tables = std::move(tables);
  impl_->tables_bytes = {};
}

Result<ImageSize> RepackedDecoder::open(ByteSpan record) {
  Impl& impl = *impl_;
  impl.is_open = false;
  if (!impl.tables) {
    return decode_error(ErrorKind::invalid, "the repacked image has no code tables",
                        "read it through the store that holds it");
  }
  PENSTOCK_TRY(parse_record(record, impl.record));
  const RepackGeometry& geometry = impl.record.geometry;
  PENSTOCK_TRY(check_size("repacked image", static_cast<std::uint64_t>(geometry.width),
                          static_cast<std::uint64_t>(geometry.height), impl.limits));
  impl.is_open = true;
  const bool gray = geometry.components() == 1;
  traits_ = {.unchanged = gray ? PixelLayout::gray : PixelLayout::rgb, .has_indices = gray};
  return ImageSize{geometry.width, geometry.height};
}

Status RepackedDecoder::decode(const Rect& box, const PixelView& out) {
  Impl& impl = *impl_;
  if (!impl.is_open) {
    return decode_error(ErrorKind::invalid, "no repacked image is open");
  }
  const RepackGeometry& geometry = impl.record.geometry;
  impl.plan(box);
  // Chroma may need a tile more than luma, on each side.
  int tile_x0 = geometry.tiles_wide(), tile_x1 = 0, tile_y0 = geometry.tiles_high(), tile_y1 = 0;
  for (int component = 0; component < geometry.components(); ++component) {
    const BlockRange& wanted = impl.planes[static_cast<std::size_t>(component)].wanted;
    const int wide = kTileMcusWide * geometry.h(component);
    const int high = kTileMcusHigh * geometry.v(component);
    tile_x0 = std::min(tile_x0, wanted.x0 / wide);
    tile_x1 = std::max(tile_x1, (wanted.x1 - 1) / wide + 1);
    tile_y0 = std::min(tile_y0, wanted.y0 / high);
    tile_y1 = std::max(tile_y1, (wanted.y1 - 1) / high + 1);
  }
  TileSource tiles(impl.record, *impl.tables);
  const int bottom = box.y + box.height;
  int y = box.y;
  for (int tile_y = tile_y0; tile_y < tile_y1; ++tile_y) {
    for (int tile_x = tile_x0; tile_x < tile_x1; ++tile_x) {
      PENSTOCK_TRY(tiles.decode(tile_x, tile_y, *impl.tile));
      impl.decode_tile_samples(tile_x, tile_y);
    }
    // The last row but for the image's waits for the chroma below it.
    int ready = (tile_y + 1) * 8 * kTileMcusHigh * geometry.v() - (impl.upsampling.down ? 1 : 0);
    ready = tile_y + 1 == tile_y1 ? bottom : std::min(ready, bottom);
    while (y < ready) {
      y = impl.write_rows(box, y, ready, out);
    }
  }
  return {};
}

Result<int> RepackedDecoder::orientation(ByteSpan record) {
  const Impl& impl = *impl_;
  if (!impl.is_open || !impl.record.has_file) {
    return ImageFormatDecoder::orientation(record);
  }
  PENSTOCK_ASSIGN(const JpegFrame frame, unpack_header(impl.record.header, impl.record.quant, *impl.tables));
  return jpeg_orientation(frame.head);
}

}  // namespace penstock::inline v0
