#pragma once
// What is said when images lose something by being read as RGB.

#include <atomic>
#include <cstdint>
#include <string>

#include "codecs/image_decoder.hpp"

namespace penstock::inline v0 {

/// What an image of this field has lost, and what to ask for instead, in a sentence; empty where nothing is
/// lost that counts. Palettes are masks where the field's name has "seg" or "mask" in it, else colours.
std::string rgb_loss_text(RgbLoss loss, const std::string& field, const std::string& extension);

/// Takes note of what the images of one field lose. Any number of threads may do so at once.
class RgbLossNote {
 public:
  RgbLossNote(std::string field, std::string extension)
      : field_(std::move(field)), extension_(std::move(extension)) {}

  void see(RgbLoss loss) const noexcept {
    if (loss != RgbLoss::none) {
      seen_.fetch_or(static_cast<std::uint8_t>(1U << static_cast<unsigned>(loss)), std::memory_order_relaxed);
    }
  }
  /// The first loss that counts, as rgb_loss_text() has it.
  std::string text() const;

 private:
  const std::string field_;
  const std::string extension_;
  mutable std::atomic<std::uint8_t> seen_{0};
};

}  // namespace penstock::inline v0
