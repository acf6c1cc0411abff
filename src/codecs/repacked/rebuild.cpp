#include "codecs/repacked/rebuild.hpp"

#include "codecs/image_format_decoder.hpp"

namespace penstock::inline v0 {
namespace detail {

JpegRebuilder::JpegRebuilder() : tile_(std::make_unique<TileData>()) {}

Status JpegRebuilder::rebuild(const RepackRecord& record, const RepackTables& tables,
                              std::vector<std::uint8_t>& out) {
  if (!record.has_file) {
    return decode_error(ErrorKind::unsupported, "the record keeps the pixels of its JPEG file, not the file");
  }
  PENSTOCK_ASSIGN(JpegFrame frame, unpack_header(record.header, record.quant, tables));
  const RepackGeometry& geometry = record.geometry;
  if (!read_scan_setup(frame.head, geometry, setup_)) {
    return decode_error(ErrorKind::corrupt, "repacked image is damaged: its JPEG header is not valid");
  }
  out.assign(frame.head.begin(), frame.head.end());
  ScanWriter writer(setup_, record.zero_padding, coded_, out);
  TileSource tiles(record, tables);
  std::size_t mcu_blocks = 0;
  for (int component = 0; component < geometry.components(); ++component) {
    mcu_blocks += static_cast<std::size_t>(geometry.h(component) * geometry.v(component));
    blocks_[static_cast<std::size_t>(component)].resize(
        static_cast<std::size_t>(geometry.blocks_wide(component)) *
        static_cast<std::size_t>(kTileMcusHigh * geometry.v(component)));
  }
  for (int tile_y = 0; tile_y < geometry.tiles_high(); ++tile_y) {
    for (int tile_x = 0; tile_x < geometry.tiles_wide(); ++tile_x) {
      PENSTOCK_TRY(tiles.decode(tile_x, tile_y, *tile_));
      for (int component = 0; component < geometry.components(); ++component) {
        const BlockRange range = geometry.blocks_of_tile(component, tile_x, tile_y);
        const int of_part = component == 2 ? 1 : 0;
        SparseBlocks from((*tile_)[component > 0 ? 1 : 0], of_part, of_part * range.count());
        for (int y = 0; y < range.high(); ++y) {
          SparseBlock* const to = blocks_[static_cast<std::size_t>(component)].data() +
                                  static_cast<std::ptrdiff_t>(y) * geometry.blocks_wide(component) + range.x0;
          from.next(to, range.wide());
        }
      }
    }
    const int rows = std::min(kTileMcusHigh, geometry.mcus_high() - tile_y * kTileMcusHigh);
    for (int row = 0; row < rows; ++row) {
      writer.start_row(static_cast<std::size_t>(geometry.mcus_wide()) * mcu_blocks);
      for (int column = 0; column < geometry.mcus_wide(); ++column) {
        writer.start_mcu();
        for (int i = 0; i < geometry.components(); ++i) {
          const int component = setup_.order[static_cast<std::size_t>(i)];
          const int h = geometry.h(component);
          const int v = geometry.v(component);
          const SparseBlock* const from =
              blocks_[static_cast<std::size_t>(component)].data() +
              static_cast<std::ptrdiff_t>(row) * v * geometry.blocks_wide(component) +
              static_cast<std::ptrdiff_t>(column) * h;
          for (int y = 0; y < v; ++y) {
            for (int x = 0; x < h; ++x) {
              writer.write(component,
                           from[static_cast<std::ptrdiff_t>(y) * geometry.blocks_wide(component) + x]);
            }
          }
        }
      }
    }
  }
  if (!writer.finish()) {
    return decode_error(ErrorKind::corrupt, "repacked image is damaged: a coefficient has no code");
  }
  out.insert(out.end(), frame.tail.begin(), frame.tail.end());
  return {};
}

}  // namespace detail

Result<std::vector<std::uint8_t>> rebuild_jpeg(ByteSpan bytes, const RepackTables& tables) {
  detail::RepackRecord record;
  PENSTOCK_TRY(detail::parse_record(bytes, record));
  detail::JpegRebuilder rebuilder;
  std::vector<std::uint8_t> file;
  PENSTOCK_TRY(rebuilder.rebuild(record, tables, file));
  return file;
}

}  // namespace penstock::inline v0
