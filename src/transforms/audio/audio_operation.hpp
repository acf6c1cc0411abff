#pragma once
// What an operation on audio is. Declared as operations on images are, in a file of its own.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/rng.hpp"
#include "core/scratch.hpp"
#include "penstock/result.hpp"
#include "transforms/operation_info.hpp"
#include "transforms/transform.hpp"

namespace penstock::inline v0 {

/// What is known about the audio at one point of a list.
struct AudioSpec {
  int channels = 1;
  int rate = 1;              ///< frames per second of the wave
  int bands = 0;             ///< rows of features for each channel; 0: a wave
  std::uint64_t frames = 0;  ///< 0 varies from sample to sample

  bool fixed_length() const noexcept { return frames > 0; }
  std::size_t rows() const noexcept { return static_cast<std::size_t>(channels * (bands == 0 ? 1 : bands)); }
  bool operator==(const AudioSpec&) const = default;
};

/// The frames [start, start + count) of a recording.
struct TimeSlice {
  std::uint64_t start = 0;
  std::uint64_t count = 0;
};

/// A recording on its way through a list: for each channel a wave, or `bands` rows of features. The memory of
/// one worker, used again from recording to recording, or that of the caller. Not thread-safe.
class AudioWave {
 public:
  int channels = 0;
  int rate = 0;           ///< of the wave, also where it has become features
  int bands = 0;          ///< 0: a wave
  std::size_t valid = 0;  ///< frames before padding

  std::size_t frames() const noexcept { return frames_; }
  AudioSpec spec() const noexcept { return {channels, rate, bands, frames_}; }
  /// Rows of frames(): bands of the first channel, then those of the second.
  std::size_t rows() const noexcept { return static_cast<std::size_t>(channels * (bands == 0 ? 1 : bands)); }
  float* data() noexcept { return place_; }
  float* row(std::size_t i) noexcept { return data() + i * frames_; }

  /// Memory for rows * frames values beside the present ones, which stay until use_other().
  float* other(std::size_t rows, std::size_t frames) {
    return reinterpret_cast<float*>(memory_[1 - used_].reserve(rows * frames * sizeof(float)));
  }
  /// What was written to other() is the recording now.
  void use_other(std::size_t frames) noexcept {
    used_ = 1 - used_;
    use(reinterpret_cast<float*>(memory_[used_].data()), frames);
  }
  /// What was written to `memory` is the recording now; it must stay valid until another one is.
  void use(float* memory, std::size_t frames) noexcept {
    place_ = memory;
    frames_ = frames;
  }
  /// Leaves out what is not in the slice.
  void keep(const TimeSlice& slice) noexcept;
  /// Adds frames of zeros up to this many.
  void pad_to(std::size_t frames);

 private:
  Scratch memory_[2];
  int used_ = 0;
  float* place_ = nullptr;
  std::size_t frames_ = 0;
};

/// What an operation keeps for one worker.
class AudioState {
 public:
  virtual ~AudioState() = default;
};

class AudioTransform : public TransformOf<AudioSpec> {
 public:
  static constexpr const char* kKind = "audio";

  /// For audio as `in` describes it; null where nothing is kept.
  virtual Result<std::unique_ptr<AudioState>> make_state(const AudioSpec& in) const {
    (void)in;
    return std::unique_ptr<AudioState>();
  }
  /// Draws for one sample, as it comes to the operation: its number of frames is known.
  virtual Status draw_for(const AudioSpec& in, Draws& draws, Drawn& drawn) const = 0;
  /// Whether the operation begins by keeping a slice; what it runs on has these frames then.
  virtual bool keeps_slice() const noexcept { return false; }
  virtual TimeSlice slice_of(std::uint64_t frames, const Drawn& drawn) const {
    (void)drawn;
    return {0, frames};
  }
  /// Whether it changes values where they are, and nothing else.
  virtual bool works_in_place() const noexcept { return false; }
  virtual Status run_for(AudioWave& wave, const Drawn& drawn, AudioState* state) const = 0;
};

/// An operation on audio. `Self` overrides describe() and brings run(); where it has something to say, it
/// hides draw() and slice().
template <class Self, class Parameters, class DrawnType = NoDraw>
class AudioOperation : public Operation<Self, Parameters, DrawnType, AudioTransform> {
 public:
  using Operation<Self, Parameters, DrawnType, AudioTransform>::Operation;

  Status draw(const AudioSpec&, Draws&, DrawnType&) const { return {}; }
  TimeSlice slice(std::uint64_t frames, const DrawnType&) const { return {0, frames}; }

  Status draw_for(const AudioSpec& in, Draws& draws, Drawn& drawn) const final {
    return this->self().draw(in, draws, this->of(drawn));
  }
  TimeSlice slice_of(std::uint64_t frames, const Drawn& drawn) const final {
    return this->self().slice(frames, this->of(drawn));
  }
  Status run_for(AudioWave& wave, const Drawn& drawn, AudioState* state) const final {
    return this->self().run(wave, this->of(drawn), state);
  }
};

/// `invalid`: `operation` needs a wave and gets features, or the other way round.
Error needs_wave(std::string_view operation);
Error needs_features(std::string_view operation);

}  // namespace penstock::inline v0
