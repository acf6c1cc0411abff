#pragma once
// Writes the HDF5 files of `penstock audio build`: docs/formats/audio_hdf5.md. Nothing else knows the HDF5
// library; formats/hdf5_table.hpp reads them without it.

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// What a file holds, but for the samples and the features themselves. A plain value.
struct AudioFileContents {
  std::array<std::uint64_t, 3>
      waveform{};                      ///< axes of a row: long segments, short segments, samples (float32)
  std::array<std::uint64_t, 4> mel{};  ///< axes of a row: long segments, short segments, mels, frames
  bool half = true;                    ///< mel in float16, else float32

  std::vector<std::string> keys;         ///< of each row
  std::vector<std::int64_t> labels;      ///< of each row
  std::vector<std::string> label_names;  ///< by number; empty: there are none
  std::vector<std::uint8_t> splits;      ///< of each row; empty: there are none
  std::vector<std::string> split_names;  ///< by number

  using Attribute = std::variant<std::int64_t, double, std::string>;
  std::vector<std::pair<std::string, Attribute>> attributes;  ///< of the file

  std::uint64_t rows() const noexcept { return keys.size(); }
  std::uint64_t waveform_bytes() const noexcept;  ///< of a row
  std::uint64_t mel_bytes() const noexcept;       ///< of a row
};

/// Where the first rows begin in the file; the others follow without gaps.
struct AudioFilePlaces {
  std::uint64_t waveform = 0;
  std::uint64_t mel = 0;
};

/// Makes the file with room for all rows, and all the rest in it: what is missing are the bytes of `waveform`
/// and `mel`, to be written at their places by plain writes. The file's bytes depend on `contents` alone. Any
/// thread may call these functions; the library is entered by one at a time. `unsupported` in a build without
/// HDF5.
Result<AudioFilePlaces> create_audio_file(const std::string& path, const AudioFileContents& contents);

/// Makes a file shorter that was created with more rows: `contents` are those of the rows that are left,
/// whose bytes are in place. Not to be interrupted: the file is of no use then.
Status shorten_audio_file(const std::string& path, const AudioFileContents& contents);

/// A text attribute of the file; `corrupt` if it has none, or is no HDF5 file.
Result<std::string> audio_file_attribute(const std::string& path, const std::string& name);

}  // namespace penstock::inline v0
