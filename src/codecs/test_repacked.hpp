#pragma once
// For the tests of repacked images: tables for drawn images, and boxes with guard bytes around them.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codecs/repacked.hpp"
#include "codecs/test_images.hpp"

namespace penstock::test {

/// Tables learnt from drawn images of several kinds; the same for the whole process.
std::shared_ptr<const RepackTables> drawn_tables();

using Sampling = std::vector<std::pair<int, int>>;
/// Those of files that can be repacked.
inline const std::vector<Sampling> kRepackedSamplings = {{{1, 1}}, {{2, 1}}, {{1, 2}}, {{2, 2}}};

/// The record of a file, and the reason if there is none.
struct Repacked {
  Bytes record;
  std::string kept;
};
Repacked repack(const Bytes& file, RepackFidelity fidelity = RepackFidelity::file);

/// Decodes the box of the opened image; fails the test if a byte around the output changes. `gap`: bytes
/// between rows.
Result<Rgb> decode_box(RepackedDecoder& decoder, const Rect& box, std::size_t gap);

/// Compares boxes of the record, and all of it, with JpegDecoder's image of the file.
void expect_same_pixels(const Bytes& file, const Bytes& record, int boxes, const std::string& name);

/// The JPEG images of the shared sample, where it is there; with AddressSanitizer those of its first shard.
std::vector<Bytes> sample_jpegs();

}  // namespace penstock::test
