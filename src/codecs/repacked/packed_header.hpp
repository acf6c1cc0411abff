#pragma once
// The bytes of a JPEG file around its scan, packed with the dictionary of the shared tables.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "codecs/repacked/layout.hpp"
#include "codecs/repacked/tables.hpp"

namespace penstock::inline v0::detail {

/// What goes before the scan (to the end of its SOS segment) and after it (from its EOI marker on).
struct JpegFrame {
  std::vector<std::uint8_t> head;
  std::vector<std::uint8_t> tail;
};

/// More bytes around the scan are not packed, nor those that become much smaller: a small record would take
/// much memory. Real headers stay far below, with all their profiles and previews.
inline constexpr std::size_t kMaxFrameBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxFrameGrowth = 16;  ///< for each byte that they are packed in
inline constexpr std::size_t kAlwaysAllowedFrame = std::size_t{256} << 10;

constexpr std::size_t max_frame_bytes(std::size_t packed) {
  return std::min(kMaxFrameBytes, std::max(kAlwaysAllowedFrame, packed * kMaxFrameGrowth));
}

/// Keeps a compressor for the tables. Not thread-safe.
class HeaderPacker {
 public:
  explicit HeaderPacker(const RepackTables& tables);
  ~HeaderPacker();
  HeaderPacker(const HeaderPacker&) = delete;
  HeaderPacker& operator=(const HeaderPacker&) = delete;

  /// Appends; false if there is too much of it. The tables that `quant` holds are left out.
  bool pack(ByteSpan head, ByteSpan tail, const QuantTables& quant, std::vector<std::uint8_t>& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

Result<JpegFrame> unpack_header(ByteSpan packed, const QuantTables& quant, const RepackTables& tables);

/// Takes the quantisation tables that `quant` holds out of the DQT segments of a head, leaving zeros and a
/// mark by which restore_quant() puts them back.
void strip_quant(std::vector<std::uint8_t>& head, const QuantTables& quant);
bool restore_quant(std::vector<std::uint8_t>& head, const QuantTables& quant);

/// Calls visit(marker, begin, size) for each marker segment of a head, FF included, until it is cut off.
template <class Visit>
void for_each_segment(ByteSpan head, Visit visit) {
  std::size_t at = 2;
  while (at + 4 <= head.size() && head[at] == 0xFF) {
    const std::size_t size = 2 + (std::size_t{head[at + 2]} << 8 | head[at + 3]);
    if (head[at + 1] == 0xFF || size > head.size() - at || size < 4) {
      return;
    }
    visit(head[at + 1], at, size);
    at += size;
  }
}

}  // namespace penstock::inline v0::detail
