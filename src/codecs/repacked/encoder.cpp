#include <algorithm>
#include <cstring>

#include "codecs/repacked.hpp"
#include "codecs/repacked/coefficients.hpp"
#include "codecs/repacked/packed_header.hpp"
#include "codecs/repacked/rebuild.hpp"
#include "codecs/repacked/symbol_counts.hpp"
#include "codecs/repacked/tables.hpp"
#include "codecs/repacked/tile_source.hpp"
#include "codecs/repacked/tile_symbols.hpp"
#include "codecs/repacked/tile_writer.hpp"

namespace penstock::inline v0 {
namespace {

using namespace detail;  // the parts of this codec

/// A record may be larger than its file by this part: it is smaller on average, and decodes faster.
constexpr std::size_t kMaxGrowth = 4;

/// The variant of each class that takes the fewest bits.
VariantChoice cheapest_variants(const ImageSymbols& symbols, const RepackTables& tables, int parts) {
  VariantChoice choice{};
  for (std::size_t part = 0; part < static_cast<std::size_t>(parts); ++part) {
    for (std::size_t i = 0; i < kClasses; ++i) {
      SymbolHistogram histogram;
      count_symbols(symbols[part].symbols(i), symbols[part].counts()[i], histogram);
      std::uint64_t least = ~std::uint64_t{0};
      for (int variant = 0; variant < kVariants; ++variant) {
        const std::uint64_t bits =
            cost_of(histogram, tables.code(static_cast<int>(part), static_cast<int>(i), variant).lengths);
        if (bits < least) {
          least = bits;
          choice[part][i] = static_cast<std::uint8_t>(variant);
        }
      }
    }
  }
  return choice;
}

}  // namespace

struct RepackEncoder::Impl {
  std::shared_ptr<const RepackTables> tables;
  CoefficientReader reader;
  JpegCoefficients image;
  ImageSymbols symbols;
  std::vector<TileCounts> tile_ends;
  TileWriter writer;
  HeaderPacker packer;
  std::vector<std::uint8_t> tiles;
  RepackRecord start;
  RepackRecord parsed;
  JpegRebuilder rebuilder;
  std::vector<std::uint8_t> rebuilt;
  std::unique_ptr<TileData> tile = std::make_unique<TileData>();

  explicit Impl(std::shared_ptr<const RepackTables> given) : tables(std::move(given)), packer(*tables) {}

  std::optional<std::string> encode(ByteSpan jpeg, RepackFidelity fidelity,
                                    std::vector<std::uint8_t>& record);
  bool make_symbols();
  const char* write_record(ByteSpan jpeg, RepackFidelity fidelity, std::vector<std::uint8_t>& record);
  bool proves_file(ByteSpan jpeg);
  bool proves_coefficients();
};

std::optional<std::string> RepackEncoder::Impl::encode(ByteSpan jpeg, RepackFidelity fidelity,
                                                       std::vector<std::uint8_t>& record) {
  if (auto reason = reader.read(jpeg, fidelity, image)) {
    return reason;
  }
  if (!make_symbols()) {
    return "large values";
  }
  if (const char* const reason = write_record(jpeg, fidelity, record); reason != nullptr) {
    return reason;
  }
  const bool proved = parse_record(record, parsed).ok() &&
                      (fidelity == RepackFidelity::file ? proves_file(jpeg) : proves_coefficients());
  return proved ? std::nullopt : std::optional<std::string>("unusual scan");
}

bool RepackEncoder::Impl::make_symbols() {
  const RepackGeometry& geometry = image.geometry;
  start_symbols(geometry, symbols);
  tile_ends.assign(1, {});
  for (int y = 0; y < geometry.tiles_high(); ++y) {
    for (int x = 0; x < geometry.tiles_wide(); ++x) {
      if (!add_tile_symbols(image, x, y, symbols)) {
        return false;
      }
      tile_ends.push_back({symbols[0].counts(), symbols[1].counts()});
    }
  }
  return true;
}

const char* RepackEncoder::Impl::write_record(ByteSpan jpeg, RepackFidelity fidelity,
                                              std::vector<std::uint8_t>& record) {
  const RepackGeometry& geometry = image.geometry;
  start.geometry = geometry;
  start.quant = image.quant;
  start.has_file = fidelity == RepackFidelity::file;
  start.zero_padding = start.has_file && image.zero_padding;
  start.variants = cheapest_variants(symbols, *tables, geometry.parts());
  start.tile_begins.assign(1, 0);
  writer.use(*tables, start.variants, geometry.parts());
  tiles.clear();
  for (std::size_t i = 0; i + 1 < tile_ends.size(); ++i) {
    writer.write(symbols, tile_ends[i], tile_ends[i + 1], tiles);
    if (tiles.size() - start.tile_begins.back() > 0xFFFF || tiles.size() > 0xFFFFFFFF) {
      return "larger";
    }
    start.tile_begins.push_back(static_cast<std::uint32_t>(tiles.size()));
  }
  write_record_start(start, record);
  record.insert(record.end(), tiles.begin(), tiles.end());
  if (start.has_file &&
      !packer.pack(jpeg.first(image.scan_begin), jpeg.subspan(image.scan_end), image.quant, record)) {
    return "large header";
  }
  return record.size() > jpeg.size() + jpeg.size() / kMaxGrowth ? "larger" : nullptr;
}

bool RepackEncoder::Impl::proves_file(ByteSpan jpeg) {
  return rebuilder.rebuild(parsed, *tables, rebuilt).ok() && rebuilt.size() == jpeg.size() &&
         std::memcmp(rebuilt.data(), jpeg.data(), jpeg.size()) == 0;
}

bool RepackEncoder::Impl::proves_coefficients() {
  const RepackGeometry& geometry = parsed.geometry;
  if (geometry != image.geometry || parsed.quant != image.quant) {
    return false;
  }
  TileSource source(parsed, *tables);
  for (int tile_y = 0; tile_y < geometry.tiles_high(); ++tile_y) {
    for (int tile_x = 0; tile_x < geometry.tiles_wide(); ++tile_x) {
      if (!source.decode(tile_x, tile_y, *tile).ok()) {
        return false;
      }
      for (int component = 0; component < geometry.components(); ++component) {
        const BlockRange range = geometry.blocks_of_tile(component, tile_x, tile_y);
        const int of_part = component == 2 ? 1 : 0;
        SparseBlocks blocks((*tile)[component > 0 ? 1 : 0], of_part, of_part * range.count());
        for (int y = range.y0; y < range.y1; ++y) {
          for (int x = range.x0; x < range.x1; ++x) {
            SparseBlock block;
            blocks.next(&block, 1);
            if (!equals(block, image.block(component, x, y))) {
              return false;
            }
          }
        }
      }
    }
  }
  return true;
}

RepackEncoder::RepackEncoder(std::shared_ptr<const RepackTables> tables)
    : impl_(std::make_unique<Impl>(std::move(tables))) {}
RepackEncoder::~RepackEncoder() = default;

std::optional<std::string> RepackEncoder::encode(ByteSpan jpeg, RepackFidelity fidelity,
                                                 std::vector<std::uint8_t>& record) {
  record.clear();
  auto reason = impl_->encode(jpeg, fidelity, record);
  if (reason) {
    record.clear();
  }
  if (release_if_large(impl_->image, impl_->symbols)) {
    impl_->tiles = {};
    impl_->rebuilt = {};
  }
  return reason;
}

}  // namespace penstock::inline v0
