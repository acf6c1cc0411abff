#include <algorithm>
#include <cstring>

#include "transforms/audio/audio_operation.hpp"

namespace penstock::inline v0 {

void AudioWave::keep(const TimeSlice& slice) noexcept {
  const auto start = static_cast<std::size_t>(slice.start);
  const auto count = static_cast<std::size_t>(slice.count);
  if (count != frames_) {
    for (std::size_t i = 0; i < rows(); ++i) {
      std::memmove(data() + i * count, data() + i * frames_ + start, count * sizeof(float));
    }
  }
  valid = std::min(valid - std::min(valid, start), count);
  frames_ = count;
}

void AudioWave::pad_to(std::size_t frames) {
  if (frames <= frames_) {
    return;
  }
  float* const out = other(rows(), frames);
  for (std::size_t i = 0; i < rows(); ++i) {
    std::copy_n(row(i), frames_, out + i * frames);
    std::fill_n(out + i * frames + frames_, frames - frames_, 0.0F);
  }
  use_other(frames);
}

}  // namespace penstock::inline v0
