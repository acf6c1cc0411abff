#pragma once
// Windows and mel filter banks, as librosa makes them.

#include <vector>

#include "penstock/audio.hpp"

namespace penstock::inline v0 {

/// Of `length` samples, in the middle of `size`; zeros around it.
std::vector<float> audio_window(AudioWindow window, int length, int size);

/// Triangular filters over the bins of a spectrum. Only what is not zero is kept.
struct MelBank {
  struct Row {
    int first = 0;  ///< bin
    int count = 0;
    std::size_t weights = 0;  ///< where its weights begin
  };
  std::vector<Row> rows;
  std::vector<float> weights;

  static MelBank of(const MelSettings& settings);
};

}  // namespace penstock::inline v0
