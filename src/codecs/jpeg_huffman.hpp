#pragma once
// Huffman decoding of one-scan sequential JPEG in place of libjpeg's, which treats unwanted blocks like
// wanted ones.

#include <array>
#include <cstdint>

#include "codecs/huffman_lookup.hpp"
#include "codecs/jpeg_scan.hpp"

struct jpeg_decompress_struct;

namespace penstock::inline v0::detail {

/// Owned by a JpegDecoder, attached again to each image. Intact data gives libjpeg's coefficients; data that
/// ends early, has a bad code, too many coefficients or a missing restart marker makes the libjpeg call fail.
/// Not thread-safe.
class JpegHuffman {
 public:
  /// Called when the data is damaged, with a message; must not return.
  using Fail = void (*)(jpeg_decompress_struct* cinfo, const char* message);

  /// The MCUs whose coefficients matter. Those after the last one are not even read.
  struct Wanted {
    unsigned first_column;
    unsigned last_column;
    unsigned last_row;
  };

  /// Between jpeg_start_decompress() and the first row: decodes from libjpeg's source from now on. Unwanted
  /// blocks are zero. Uses cinfo.client_data. Does nothing for progressive, arithmetic and multi-scan files.
  void attach(jpeg_decompress_struct& cinfo, const Wanted& wanted, Fail fail);

  /// After the last row that is wanted, where `wanted` had all rows: reads what follows up to the end of the
  /// scan, for damage alone.
  void pass_rest(jpeg_decompress_struct& cinfo);

 private:
  struct Hook;

  void decode_mcu(jpeg_decompress_struct& cinfo, std::int16_t (*const* blocks)[64]);
  void pass_restart(jpeg_decompress_struct& cinfo);

  static constexpr int kMaxTables = 4;
  static constexpr int kMaxBlocks = 10;
  static constexpr int kMaxComponents = 4;

  struct Block {
    const HuffmanLookup* dc;
    const HuffmanLookup* ac;
    int component;
  };

  std::array<HuffmanLookup, kMaxTables> dc_tables_;
  std::array<HuffmanLookup, kMaxTables> ac_tables_;
  std::array<Block, kMaxBlocks> blocks_{};
  int block_count_ = 0;
  std::array<std::int32_t, kMaxComponents> last_dc_{};
  ScanBits bits_;
  Wanted wanted_{};
  unsigned row_ = 0;
  unsigned column_ = 0;
  unsigned columns_ = 0;
  unsigned restart_interval_ = 0;
  unsigned restarts_to_go_ = 0;
  int next_restart_ = 0;
  Fail fail_ = nullptr;
};

}  // namespace penstock::inline v0::detail
