#pragma once
// The quantised DCT coefficients of JPEG files.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codecs/repacked.hpp"
#include "codecs/repacked/layout.hpp"

namespace penstock::inline v0::detail {

struct JpegCoefficients {
  RepackGeometry geometry;
  QuantTables quant{};
  /// By component: the blocks row by row, padded to whole MCUs, 64 coefficients each in natural order.
  std::array<std::vector<std::int16_t>, 3> blocks;
  /// Of files with one sequential scan: where it begins and where the marker after it is; else 0.
  std::size_t scan_begin = 0;
  std::size_t scan_end = 0;
  bool zero_padding = false;  ///< the scan's last byte is filled up with zeros

  const std::int16_t* block(int component, int x, int y) const {
    return blocks[static_cast<std::size_t>(component)].data() +
           (static_cast<std::size_t>(y) * static_cast<std::size_t>(geometry.blocks_wide(component)) +
            static_cast<std::size_t>(x)) *
               64;
  }
};

/// One per thread; keeps its memory. Not thread-safe.
class CoefficientReader {
 public:
  CoefficientReader();
  ~CoefficientReader();
  CoefficientReader(const CoefficientReader&) = delete;
  CoefficientReader& operator=(const CoefficientReader&) = delete;

  /// Nothing if `out` holds the coefficients from which JpegDecoder makes its pixels, else the reason why
  /// this file is none that can be repacked.
  std::optional<std::string> read(ByteSpan jpeg, RepackFidelity fidelity, JpegCoefficients& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// False if the codes of a JPEG Huffman table (counts[l] of length l) are no prefix code or a symbol of a DC
/// table is none.
bool is_valid_huffman_table(const std::uint8_t* counts, const std::uint8_t* symbols, bool is_dc);

}  // namespace penstock::inline v0::detail
