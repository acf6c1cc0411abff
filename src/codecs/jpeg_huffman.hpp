#pragma once
// Huffman decoding of one-scan sequential JPEG in place of libjpeg's, which treats unwanted blocks like
// wanted ones.

#include <array>
#include <cstddef>
#include <cstdint>

struct jpeg_decompress_struct;

namespace penstock::detail {

/// A Huffman table of the file turned into lookups by the next kLookBits bits of the stream.
class HuffmanLookup {
 public:
  static constexpr int kLookBits = 10;
  static constexpr std::size_t kSize = std::size_t{1} << kLookBits;

  /// `counts[l]` codes of length l (1 to 16), their symbols in order; the lengths must form a prefix code.
  /// `groups`: two() and several() too, which only AC tables need. Does nothing if all of it is there
  /// already.
  void build(const std::uint8_t* counts, const std::uint8_t* symbols, bool groups);

  /// One code and the bits of the value after it. Low 6 bits: length of both; bits 8-11: length of the value;
  /// bits 16-20: coefficients passed, the value's included (0 for end of block). 0: the code is longer than
  /// kLookBits.
  const std::uint32_t* one() const noexcept { return one_.data(); }

  /// Up to two codes with their values, all within kLookBits. Byte 0: length; byte 1 and 2: coefficients
  /// passed up to and with the first and the second value; byte 3: 1 if end of block is the last code; then
  /// the values, 16 bits each. What has no value writes zeros. Byte 2 is 255 if not even one fits.
  const std::uint64_t* two() const noexcept { return two_.data(); }

  /// As many codes as begin and end within kLookBits, their last value's bits apart. Bits 0-5: length with
  /// values; 8-14: coefficients passed, 127 if no code fits; 15: set if end of block is the last code.
  const std::uint16_t* several() const noexcept { return several_.data(); }

  /// An entry as in one() for the code at the top of `bits`, of any length; 0 if there is no such code.
  std::uint32_t find_long(std::uint64_t bits) const noexcept;

 private:
  void build_one();
  void build_groups();

  std::array<std::uint32_t, kSize> one_{};
  std::array<std::uint64_t, kSize> two_{};
  std::array<std::uint16_t, kSize> several_{};
  std::array<std::uint8_t, 17> counts_{};
  std::array<std::uint8_t, 256> symbols_{};
  std::array<std::int32_t, 17> first_code_{};
  std::array<std::int32_t, 17> first_symbol_{};
  bool groups_are_built_ = false;
};

/// A reader of the bits of a scan. Copied into local variables where it is used much.
struct ScanBits {
  std::uint64_t window = 0;  ///< the next bits, first bit on top
  int count = 0;             ///< how many of them
  int padding = 0;           ///< zeros among them, at the end, that stand for data after a marker or the end
  const std::uint8_t* next = nullptr;
  const std::uint8_t* end = nullptr;
};

/// Owned by a JpegDecoder, attached anew to each picture. Sound data gives libjpeg's coefficients; data that
/// ends early, has a bad code, too many coefficients or a missing restart marker makes the libjpeg call fail.
/// Not thread-safe.
class JpegHuffman {
 public:
  /// Called when the data is damaged, with a message; must not return.
  using Fail = void (*)(jpeg_decompress_struct* cinfo, const char* message);

  /// Between jpeg_start_decompress() and the first row: decodes from libjpeg's source from now on. Blocks of
  /// MCU columns outside [first_column, last_column] are passed over. Uses cinfo.client_data. True if it took
  /// over: not for progressive, arithmetic or several scans.
  bool attach(jpeg_decompress_struct& cinfo, unsigned first_column, unsigned last_column, Fail fail);

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
  unsigned column_ = 0;
  unsigned columns_ = 0;
  unsigned first_column_ = 0;
  unsigned last_column_ = 0;
  unsigned restart_interval_ = 0;
  unsigned restarts_to_go_ = 0;
  int next_restart_ = 0;
  Fail fail_ = nullptr;
};

}  // namespace penstock::detail
