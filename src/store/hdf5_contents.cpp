#include <functional>
#include <numeric>

#include "store/hdf5_file.hpp"

namespace penstock::inline v0 {

std::uint64_t AudioFileContents::waveform_bytes() const noexcept {
  return std::accumulate(waveform.begin(), waveform.end(), std::uint64_t{sizeof(float)}, std::multiplies<>());
}

std::uint64_t AudioFileContents::mel_bytes() const noexcept {
  return std::accumulate(mel.begin(), mel.end(), std::uint64_t{half ? 2U : 4U}, std::multiplies<>());
}

}  // namespace penstock::inline v0
