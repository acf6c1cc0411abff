#pragma once
// Writing sequential Huffman-coded JPEG scans.

#include <array>
#include <cstdint>
#include <vector>

#include "codecs/repacked/layout.hpp"
#include "codecs/repacked/tile_source.hpp"
#include "core/scratch.hpp"

namespace penstock::inline v0::detail {

/// What the head of a JPEG file says about its scan.
struct ScanSetup {
  struct Codes {
    static constexpr unsigned kLengthBits = 5;
    /// The code, and in the low bits its length; 0: the symbol has no code.
    std::array<std::uint32_t, 256> of{};
  };
  /// What AC coefficients are written as, the value's bits included.
  struct ValueCodes {
    static constexpr int kMax = 7;  ///< -8 to 7 are in the table
    /// As in Codes, by run * 16 + value + 8.
    std::array<std::uint32_t, 256> of{};
  };

  unsigned restart_interval = 0;
  std::array<int, 3> order{};  ///< the frame's component for each of the scan
  /// By component of the frame.
  std::array<Codes, 3> dc;
  std::array<Codes, 3> ac;
  std::array<ValueCodes, 3> small;
};

/// Reads the segments of a head. False if they do not describe one sequential scan of the geometry's
/// components.
bool read_scan_setup(ByteSpan head, const RepackGeometry& geometry, ScanSetup& out);

/// The end of coded bits as they grow, without the zeros after FF.
struct CodedBits {
  std::uint8_t* at = nullptr;
  std::uint64_t bits = 0;  ///< the next ones, first bit on top
  unsigned count = 0;      ///< of them, below 8
  bool missing_code = false;
};

/// Appends a block of the component, whose DC differs so much from the one before. Up to kMaxBlockBytes are
/// overwritten. Equal on every CPU target.
inline constexpr std::size_t kMaxBlockBytes = 64 * 4 + 8;  // 32 bits a coefficient; the last store
void write_block(const ScanSetup& setup, std::size_t component, int dc_difference, const SparseBlock& block,
                 CodedBits& bits);

/// Appends coded blocks to a file.
class ScanWriter {
 public:
  /// `coded` is memory to work in.
  ScanWriter(const ScanSetup& setup, bool zero_padding, Scratch& coded, std::vector<std::uint8_t>& out);

  /// Before each row of MCUs: makes room for so many blocks.
  void start_row(std::size_t blocks);
  /// Before each MCU: writes restart markers where they are due.
  void start_mcu();
  void write(int component, const SparseBlock& block);
  /// False if a value had no code; `out` ends with the scan's last byte.
  bool finish();

 private:
  void fill_byte();
  void move_bytes();

  const ScanSetup& setup_;
  bool zero_padding_;
  std::vector<std::uint8_t>& out_;
  Scratch& coded_;  // bytes on their way to out_
  CodedBits end_;
  std::array<int, 3> last_dc_{};
  unsigned to_go_;
  unsigned next_restart_ = 0;
};

}  // namespace penstock::inline v0::detail
