#pragma once
// JPEG images stored again without loss: the same DCT coefficients in a layout for wide CPUs and random
// access. To the byte: docs/formats/repacked.md.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codecs/image_format_decoder.hpp"

namespace penstock::inline v0 {

/// The code tables that many records share. Immutable; any thread.
class RepackTables;

/// Checks and reads what serialise() wrote; `corrupt` otherwise.
Result<std::shared_ptr<const RepackTables>> parse_repack_tables(ByteSpan bytes);
std::vector<std::uint8_t> serialise(const RepackTables& tables);

/// Learns tables from JPEG files. The tables depend on the files and the order in which they are added, on
/// nothing else. Keeps about 20 KB per file. Not thread-safe.
class RepackTrainer {
 public:
  RepackTrainer();
  ~RepackTrainer();
  RepackTrainer(const RepackTrainer&) = delete;
  RepackTrainer& operator=(const RepackTrainer&) = delete;

  /// A file that cannot be repacked is ignored (false).
  bool add(ByteSpan jpeg);
  /// As if the files of `later` had been added now: several threads may each learn from a part.
  void append(const RepackTrainer& later);
  /// Files that were not ignored.
  std::size_t size() const noexcept;
  /// The same for any number of threads.
  std::shared_ptr<const RepackTables> train(unsigned threads = 1) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

enum class RepackFidelity : std::uint8_t { file, pixels };  ///< the file byte for byte, or its pixels

/// One per thread; keeps its memory. Not thread-safe.
class RepackEncoder {
 public:
  explicit RepackEncoder(std::shared_ptr<const RepackTables> tables);
  ~RepackEncoder();
  RepackEncoder(const RepackEncoder&) = delete;
  RepackEncoder& operator=(const RepackEncoder&) = delete;

  /// Writes the record of `jpeg` to `record`, having proved by rebuilding (file) or by comparing coefficients
  /// (pixels) that nothing is lost. Otherwise gives the reason why the original is to be kept
  /// ("progressive", "CMYK", "larger", ...), a short word or two that `info` counts.
  std::optional<std::string> encode(ByteSpan jpeg, RepackFidelity fidelity,
                                    std::vector<std::uint8_t>& record);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The JPEG file of a record made with RepackFidelity::file; `unsupported` for one that kept the pixels only.
Result<std::vector<std::uint8_t>> rebuild_jpeg(ByteSpan record, const RepackTables& tables);

/// Any rectangle, equal to JpegDecoder's of the original bit for bit.
class RepackedDecoder final : public ImageFormatDecoder {
 public:
  explicit RepackedDecoder(DecodeLimits limits);
  ~RepackedDecoder() override;

  static bool recognises(ByteSpan record) noexcept;

  /// The serialised tables of the records that follow; parsed once while the span stays the same.
  Status use_tables(ByteSpan tables) override;
  /// Tables that are parsed already, which several decoders may share.
  void use_tables(std::shared_ptr<const RepackTables> tables);

  Result<ImageSize> open(ByteSpan record) override;
  Status decode(const Rect& box, const PixelView& out) override;
  Result<int> orientation(ByteSpan record) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::inline v0
