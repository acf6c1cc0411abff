#pragma once
// From a sample of the source to what is written for it.

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codecs/audio_decoder.hpp"
#include "codecs/image_decoder.hpp"
#include "codecs/repacked.hpp"
#include "codecs/rgb_loss.hpp"
#include "core/scratch.hpp"
#include "formats/original_file.hpp"
#include "formats/sample_table.hpp"
#include "formats/store_format.hpp"
#include "penstock/store.hpp"
#include "transforms/image_program.hpp"

namespace penstock::inline v0 {

/// A sample ready to be written: its fields' bytes one after the other. The records' places are still open.
struct PackedSample {
  std::string key;
  std::vector<std::uint8_t> bytes;
  std::vector<FieldRecord> records;
  std::vector<std::string> reasons;  ///< by field: why an image was kept as it was, or empty
  std::uint64_t bytes_read = 0;
};

/// What all packers of a build share. Immutable.
struct PackingPlan {
  const SampleTable& source;
  BuildSettings settings;                      ///< complete
  std::shared_ptr<const RepackTables> tables;  ///< null: nothing is repacked
  std::vector<FieldSpec> fields;               ///< as they will be read
  std::map<PixelLayout, ImageProgram> shrink;  ///< to the size that `settings` ask for
  std::deque<RgbLossNote> losses;              ///< of each field

  static Result<PackingPlan> make(const SampleTable& source, const BuildSettings& settings,
                                  std::shared_ptr<const RepackTables> tables);
};

/// One per thread. Not thread-safe.
class SamplePacker {
 public:
  explicit SamplePacker(const PackingPlan& plan);
  ~SamplePacker();

  /// Errors are those of the sample, with its place.
  Result<PackedSample> pack(std::uint64_t sample);

 private:
  struct Stored;
  Status pack_field(std::uint64_t sample, std::size_t field, PackedSample& packed);
  Status pack_value(std::uint64_t sample, std::size_t field, const StoredValue& value, PackedSample& packed);
  Result<Stored> pack_or_keep(std::size_t field, const StoredValue& value);
  Result<Stored> pack_image(std::size_t field, const StoredValue& value);
  /// `decoded`: the image is known to be whole.
  Result<Stored> store_file(ByteSpan file, ImageSize size, bool decoded);
  /// To record_; or the reason why not.
  std::optional<std::string> repack(ByteSpan file);
  /// The open image to pixels_ in this layout, resized where the sizes differ.
  Status read_pixels(ImageSize from, ImageSize to, PixelLayout layout = PixelLayout::rgb);

  const PackingPlan& plan_;
  OriginalFile original_;
  ImageDecoder decoder_;
  std::map<PixelLayout, ImageWorkspacePtr> workspaces_;  // of the plan's `shrink`
  AudioDecoder recordings_;
  std::optional<RepackEncoder> encoder_;
  Scratch pixels_;
  std::array<std::uint8_t, 8> number_{};
  std::vector<std::uint8_t> record_;
  std::vector<std::uint8_t> file_;
};

}  // namespace penstock::inline v0
