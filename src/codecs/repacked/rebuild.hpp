#pragma once
// From a record back to the JPEG file.

#include <memory>
#include <vector>

#include "codecs/repacked/packed_header.hpp"
#include "codecs/repacked/scan_writer.hpp"
#include "codecs/repacked/tile_source.hpp"

namespace penstock::inline v0::detail {

/// Keeps its memory from file to file. Not thread-safe.
class JpegRebuilder {
 public:
  JpegRebuilder();

  /// As rebuild_jpeg(), into `out`.
  Status rebuild(const RepackRecord& record, const RepackTables& tables, std::vector<std::uint8_t>& out);

 private:
  std::unique_ptr<TileData> tile_;
  ScanSetup setup_;
  std::array<std::vector<SparseBlock>, 3> blocks_;  // of one row of tiles
  Scratch coded_;
};

}  // namespace penstock::inline v0::detail
