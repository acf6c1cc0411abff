// RandomTimeCrop and PadTime: recordings of one length.

#include <fmt/format.h>

#include <algorithm>

#include "penstock/audio_transform.hpp"
#include "transforms/audio/audio_operation.hpp"

namespace penstock::inline v0 {
namespace {

/// More than an hour at any usual rate; rows of it are a gigabyte and more.
constexpr std::int64_t kMaxLength = std::int64_t{1} << 28;

/// What both have in common: a slice of at most `frames`, and silence where that is shorter.
template <class Self, class Parameters, class DrawnType = NoDraw>
class OfOneLength : public AudioOperation<Self, Parameters, DrawnType> {
 public:
  using AudioOperation<Self, Parameters, DrawnType>::AudioOperation;

  Status check() const override {
    if (this->p_.frames < 1 || this->p_.frames > kMaxLength) {
      return this->wrong("frames",
                         fmt::format("must be between 1 and {}, got {}", kMaxLength, this->p_.frames), "");
    }
    return {};
  }

  Result<AudioSpec> describe(const AudioSpec& in) const override {
    AudioSpec out = in;
    out.frames = length();
    return out;
  }

  bool keeps_slice() const noexcept override { return true; }

  Status run(AudioWave& wave, const DrawnType&, AudioState*) const {
    wave.pad_to(length());
    return {};
  }

 protected:
  std::size_t length() const noexcept { return static_cast<std::size_t>(this->p_.frames); }
};

struct DrawnStart {
  double start = 0;  ///< a whole number, beyond the range of int for long audio

  template <class V>
  void fields(V&& v) {
    v("start", start);
  }
};

class RandomTimeCrop final : public OfOneLength<RandomTimeCrop, transforms::RandomTimeCrop, DrawnStart> {
 public:
  static constexpr const char* kName = "RandomTimeCrop";
  static constexpr const char* kSummary =
      "Keeps this many frames of a recording starting at a random position.";
  using OfOneLength::OfOneLength;

  Status draw(const AudioSpec& in, Draws& draws, DrawnStart& drawn) const {
    drawn.start = in.frames <= length() ? 0 : static_cast<double>(draws.below(in.frames - length() + 1));
    return {};
  }
  TimeSlice slice(std::uint64_t frames, const DrawnStart& drawn) const {
    if (frames <= length()) {
      return {0, frames};
    }
    const auto start = static_cast<std::uint64_t>(std::max(drawn.start, 0.0));
    return {std::min(start, frames - length()), length()};
  }
};

class PadTime final : public OfOneLength<PadTime, transforms::PadTime> {
 public:
  static constexpr const char* kName = "PadTime";
  static constexpr const char* kSummary =
      "Makes a recording this many frames long: appends silence, or cuts off its end.";
  using OfOneLength::OfOneLength;

  TimeSlice slice(std::uint64_t frames, const NoDraw&) const {
    return {0, std::min<std::uint64_t>(frames, length())};
  }
};

}  // namespace

transforms::RandomTimeCrop::operator TransformPtr() const {
  return std::make_shared<const penstock::RandomTimeCrop>(*this);
}
transforms::PadTime::operator TransformPtr() const {
  return std::make_shared<const penstock::PadTime>(*this);
}
OperationInfo random_time_crop_operation() { return operation_info<RandomTimeCrop>(); }
OperationInfo pad_time_operation() { return operation_info<PadTime>(); }

}  // namespace penstock::inline v0
