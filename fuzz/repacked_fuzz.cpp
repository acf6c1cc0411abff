// Repacked images. The first byte of the input says what follows:
// R  a record: pixels or an error, and a box of an image that decodes whole equals its part
// M  places and changes, then a JPEG file: its record with these changes, as above
// J  a JPEG file: it comes back from its record byte for byte, or is kept
// P  a JPEG file: where both read it, its record has the pixels of the JPEG decoder
// T  tables: what is read is written the same
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "codecs/image_decoder.hpp"
#include "codecs/repacked.hpp"

namespace {

using penstock::ByteSpan;
using Bytes = std::vector<std::uint8_t>;

Bytes decode(penstock::RepackedDecoder& decoder, const penstock::Rect& box, bool& intact) {
  constexpr std::size_t kSlack = 64;
  const std::size_t row = static_cast<std::size_t>(box.width) * 3;
  Bytes pixels(row * static_cast<std::size_t>(box.height) + kSlack);
  intact = decoder.decode(box, {pixels.data(), row, box.width, box.height, penstock::PixelLayout::rgb}).ok();
  return pixels;
}

void check_boxes(penstock::RepackedDecoder& decoder, penstock::ImageSize size, std::uint32_t mix) {
  bool whole_intact = false;
  bool part_intact = false;
  const Bytes whole = decode(decoder, {0, 0, size.width, size.height}, whole_intact);
  const auto draw = [&mix](int bound) {
    mix = mix * 1664525u + 1013904223u;
    return static_cast<int>((mix >> 8) % static_cast<std::uint32_t>(bound));
  };
  const int x = draw(size.width);
  const int y = draw(size.height);
  const penstock::Rect box{x, y, 1 + draw(size.width - x), 1 + draw(size.height - y)};
  const Bytes part = decode(decoder, box, part_intact);
  if (!whole_intact) {
    return;
  }
  if (!part_intact) {
    std::abort();
  }
  const std::size_t row = static_cast<std::size_t>(box.width) * 3;
  for (int i = 0; i < box.height; ++i) {
    const auto from = (static_cast<std::size_t>(y + i) * static_cast<std::size_t>(size.width) +
                       static_cast<std::size_t>(x)) *
                      3;
    if (std::memcmp(whole.data() + from, part.data() + static_cast<std::size_t>(i) * row, row) != 0) {
      std::abort();
    }
  }
}

void check_record(penstock::RepackedDecoder& decoder, ByteSpan record, const penstock::RepackTables& tables) {
  (void)penstock::rebuild_jpeg(record, tables).ok();
  const auto opened = decoder.open(record);
  if (!opened.ok()) {
    return;
  }
  std::uint32_t mix = 2166136261u;
  for (std::size_t i = 0; i < record.size(); i += 1 + record.size() / 64) {
    mix = (mix ^ record[i]) * 16777619u;
  }
  check_boxes(decoder, *opened, mix);
}

void check_pixels(penstock::RepackedDecoder& decoder, ByteSpan record, ByteSpan file) {
  static penstock::ImageDecoder reference({.max_pixels = 1u << 16});
  const auto size = reference.open(file);
  if (!size.ok() || !decoder.open(record).ok()) {
    return;
  }
  const penstock::Rect all{0, 0, size->width, size->height};
  bool intact = false;
  const Bytes ours = decode(decoder, all, intact);
  Bytes wanted(ours.size());
  const auto row = static_cast<std::size_t>(all.width) * 3;
  if (!reference.decode(all, {wanted.data(), row, all.width, all.height, penstock::PixelLayout::rgb}).ok()) {
    return;
  }
  if (!intact || std::memcmp(ours.data(), wanted.data(), row * static_cast<std::size_t>(all.height)) != 0) {
    std::abort();
  }
}

void check_tables(ByteSpan bytes) {
  const auto parsed = penstock::parse_repack_tables(bytes);
  if (!parsed.ok()) {
    return;
  }
  Bytes wanted(bytes.begin(), bytes.end());
  std::fill(wanted.begin() + 5, wanted.begin() + 8, std::uint8_t{0});  // readers do not look at these
  if (penstock::serialise(**parsed) != wanted) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto tables = penstock::RepackTrainer().train();
  static penstock::RepackedDecoder decoder({.max_pixels = 1u << 16});
  static penstock::RepackEncoder encoder(tables);
  if (size < 2) {
    return -1;
  }
  decoder.use_tables(tables);
  const ByteSpan input(data + 1, size - 1);
  Bytes record;
  switch (data[0]) {
    case 'R':
      check_record(decoder, input, *tables);
      return 0;
    case 'M': {
      const std::size_t changes = input[0] % 16;
      const std::size_t begin = 1 + 3 * changes;
      if (input.size() < begin ||
          encoder.encode(input.subspan(begin), penstock::RepackFidelity::pixels, record)) {
        return 0;
      }
      for (std::size_t i = 1; i < begin; i += 3) {
        record[static_cast<std::size_t>(input[i] << 8 | input[i + 1]) % record.size()] ^= input[i + 2];
      }
      check_record(decoder, record, *tables);
      return 0;
    }
    case 'J':
      if (!encoder.encode(input, penstock::RepackFidelity::file, record)) {
        const auto file = penstock::rebuild_jpeg(record, *tables);
        if (!file.ok() || *file != Bytes(input.begin(), input.end())) {
          std::abort();
        }
      }
      return 0;
    case 'P':
      if (!encoder.encode(input, penstock::RepackFidelity::pixels, record)) {
        check_pixels(decoder, record, input);
      }
      return 0;
    case 'T':
      check_tables(input);
      return 0;
    default:
      return -1;
  }
}
