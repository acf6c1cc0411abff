#pragma once
// Writing sequential Huffman-coded JPEG scans.

#include <array>
#include <cstdint>
#include <vector>

#include "codecs/repacked/layout.hpp"
#include "codecs/repacked/tile_source.hpp"

namespace penstock::detail {

/// What the head of a JPEG file says about its scan.
struct ScanSetup {
  struct Codes {
    static constexpr unsigned kLengthBits = 5;
    /// The code, and in the low bits its length; 0: the symbol has no code.
    std::array<std::uint32_t, 256> of{};
  };

  unsigned restart_interval = 0;
  std::array<int, 3> order{};  ///< the frame's component for each of the scan
  /// By component of the frame.
  std::array<Codes, 3> dc;
  std::array<Codes, 3> ac;
};

/// Reads the segments of a head. False if they do not describe one sequential scan of the geometry's
/// components.
bool read_scan_setup(ByteSpan head, const RepackGeometry& geometry, ScanSetup& out);

/// Appends coded blocks to a file.
class ScanWriter {
 public:
  ScanWriter(const ScanSetup& setup, bool zero_padding, std::vector<std::uint8_t>& out);

  /// Makes room for so many blocks.
  void reserve_blocks(std::size_t count);
  /// Before each MCU: writes restart markers where they are due.
  void start_mcu();
  void write(int component, const SparseBlock& block);
  /// False if a value had no code; `out` ends with the scan's last byte.
  bool finish();

 private:
  /// The end of the file as it grows. Copied into local variables where it is used much.
  struct End {
    std::uint8_t* at;
    std::uint64_t bits;
    unsigned count;
    bool missing_code;

    void put(std::uint64_t more, unsigned length);
    void put_symbol(const ScanSetup::Codes& codes, unsigned symbol);
    void put_value(const ScanSetup::Codes& codes, unsigned run, int value);
    void put_byte(std::uint8_t byte);
  };

  void fill_byte();

  const ScanSetup& setup_;
  bool zero_padding_;
  std::vector<std::uint8_t>& out_;
  End end_;
  std::array<int, 3> last_dc_{};
  unsigned to_go_;
  unsigned next_restart_ = 0;
};

}  // namespace penstock::detail
