#include "transforms/audio/audio_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "audio/read_audio.hpp"
#include "codecs/audio_decoder.hpp"
#include "core/cpu.hpp"

namespace penstock::inline v0 {

struct AudioWorkspace::Impl {
  AudioDecoder decoder;
  AudioWave wave;
  std::vector<std::unique_ptr<AudioState>> states;  // one for each operation, or null
  // Of the recording that is open:
  AudioInfo info;
  RandomKey key;
  TimeSlice slice;             // what is decoded
  std::optional<Draws> first;  // those of operation 0, behind what chose the slice
};

AudioWorkspace::AudioWorkspace() : impl_(std::make_unique<Impl>()) {}
AudioWorkspace::~AudioWorkspace() = default;
AudioWorkspace::AudioWorkspace(AudioWorkspace&&) noexcept = default;
AudioWave& AudioWorkspace::wave() noexcept { return impl_->wave; }
std::size_t AudioWorkspace::codec() const noexcept { return impl_->decoder.codec(); }
std::uint64_t AudioWorkspace::decoding_nanoseconds() const noexcept { return impl_->decoder.nanoseconds(); }

namespace {

const AudioTransform& as_audio(const TransformPtr& operation) {
  return static_cast<const AudioTransform&>(*operation);  // compile() has looked
}

Error invalid(std::string message, std::string advice) {
  Error error{ErrorKind::invalid, std::move(message), std::move(advice), {}};
  error.place.stage = "transform";
  return error;
}

/// Whether a recording is as the list was planned for.
Status check(int rate, int channels, const AudioSpec& spec) {
  if (rate != spec.rate) {
    return invalid(fmt::format("the recording has {} frames per second, but others have {}", rate, spec.rate),
                   fmt::format("add Resample({}) to the transforms", spec.rate));
  }
  if (channels != spec.channels) {
    return invalid(fmt::format("the recording has {} channels, but others have {}", channels, spec.channels),
                   "add ToMono() to the transforms");
  }
  return {};
}

std::string text_of(const AudioSpec& spec) {
  const std::string frames = spec.fixed_length() ? fmt::format("{}", spec.frames) : "T";
  return spec.bands == 0 ? fmt::format("[{}, {}] at {} Hz", spec.channels, frames, spec.rate)
                         : fmt::format("[{}, {}, {}]", spec.channels, spec.bands, frames);
}

}  // namespace

Error needs_wave(std::string_view operation) {
  return Error{ErrorKind::invalid,
               fmt::format("{} works on waves and cannot follow a spectrogram", operation),
               "put it before MelSpectrogram or MFCC",
               {}};
}

Error needs_features(std::string_view operation) {
  return Error{ErrorKind::invalid,
               fmt::format("{} works on spectrograms", operation),
               "put it after MelSpectrogram or MFCC",
               {}};
}

Result<AudioProgram> AudioProgram::compile(std::vector<TransformPtr> operations, const AudioSpec& in) {
  PENSTOCK_ASSIGN([[maybe_unused]] const CpuTarget target, active_cpu_target());
  AudioProgram program;
  program.specs_.push_back(in);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i] == nullptr) {
      return Error{ErrorKind::invalid, fmt::format("operation {} of the list is null", i), "", {}};
    }
    const auto* operation = dynamic_cast<const AudioTransform*>(operations[i].get());
    if (operation == nullptr) {
      return Error{ErrorKind::invalid,
                   fmt::format("{} works on images, not on recordings", operations[i]->name()),
                   "use it for a field of kind image: transforms={\"image\": [...]}",
                   {}};
    }
    PENSTOCK_TRY(operation->check());
    PENSTOCK_ASSIGN(const AudioSpec out, operation->describe_audio(program.specs_.back()));
    program.specs_.push_back(out);
  }
  program.operations_ = std::move(operations);
  const std::size_t begin = program.begins_with_slice() ? 1 : 0;
  program.in_place_ =
      std::all_of(program.operations_.begin() + static_cast<std::ptrdiff_t>(begin), program.operations_.end(),
                  [](const TransformPtr& operation) { return as_audio(operation).works_in_place(); });
  return program;
}

std::string AudioProgram::describe() const {
  std::string text = fmt::format("decode: {}\n", text_of(specs_.front()));
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    text += fmt::format("{}: {}\n", repr(*operations_[i]), text_of(specs_[i + 1]));
  }
  return text;
}

Result<AudioWorkspace> AudioProgram::make_workspace() const {
  AudioWorkspace workspace;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    PENSTOCK_ASSIGN(auto state, as_audio(operations_[i]).make_state(specs_[i]));
    workspace.impl_->states.push_back(std::move(state));
  }
  return workspace;
}

bool AudioProgram::begins_with_slice() const noexcept {
  return !operations_.empty() && as_audio(operations_.front()).keeps_slice();
}

Result<std::size_t> AudioProgram::open(AudioWorkspace& workspace, ByteSpan file, const RandomKey& key) const {
  AudioWorkspace::Impl& audio = *workspace.impl_;
  PENSTOCK_ASSIGN(audio.info, audio.decoder.open(file));
  audio.key = key;
  audio.slice = {0, audio.info.frames};
  audio.first.emplace(key, 0);
  if (begins_with_slice()) {  // the rest need not be decoded
    audio.slice = as_audio(operations_.front()).slice(audio.info.frames, *audio.first);
  }
  const auto channels = static_cast<std::size_t>(audio.info.channels);
  if (audio.slice.count > kMaxClipSamples / channels) {
    return Error{ErrorKind::unsupported,
                 fmt::format("a recording of {} frames with {} channels is too long for a batch",
                             audio.slice.count, channels),
                 "start the transforms with RandomTimeCrop or PadTime",
                 {}};
  }
  if (!in_place_) {
    return 0;
  }
  PENSTOCK_TRY(check(audio.info.rate, audio.info.channels, output()));
  return channels * (begins_with_slice() ? output().frames : static_cast<std::size_t>(audio.slice.count));
}

/// To `out`, or to the workspace if that is null.
Status AudioProgram::decode(AudioWorkspace& workspace, float* out) const {
  AudioWorkspace::Impl& audio = *workspace.impl_;
  AudioWave& wave = audio.wave;
  const auto channels = static_cast<std::size_t>(audio.info.channels);
  const auto decoded = static_cast<std::size_t>(audio.slice.count);
  const std::size_t frames = out != nullptr && begins_with_slice() ? output().frames : decoded;
  float* const memory = out != nullptr ? out : wave.other(channels, frames);
  PENSTOCK_TRY(audio.decoder.decode(audio.slice.start, audio.slice.count, memory, frames));
  for (std::size_t channel = 0; channel < channels; ++channel) {
    std::fill_n(memory + channel * frames + decoded, frames - decoded, 0.0F);
  }
  if (out != nullptr) {
    wave.use(out, frames);
  } else {
    wave.use_other(frames);
  }
  wave.channels = audio.info.channels;
  wave.rate = audio.info.rate;
  wave.bands = 0;
  wave.valid = decoded;
  return {};
}

Status AudioProgram::run(AudioWorkspace& workspace, float* out) const {
  AudioWorkspace::Impl& audio = *workspace.impl_;
  AudioWave& wave = audio.wave;
  PENSTOCK_TRY(decode(workspace, out));
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const AudioTransform& operation = as_audio(operations_[i]);
    // Filter banks are made for one rate.
    Status ready =
        specs_[i + 1].bands != 0 && wave.bands == 0 ? check(wave.rate, wave.channels, specs_[i]) : Status();
    if (ready) {
      Draws draws = i == 0 ? *audio.first : Draws(audio.key, static_cast<std::uint32_t>(i));
      if (i > 0 && operation.keeps_slice()) {
        wave.keep(operation.slice(wave.frames(), draws));
      }
      ready = operation.run_audio(wave, draws, audio.states[i].get());
    }
    if (!ready) {
      ready.error().place.stage = "transform";
      return ready;
    }
  }
  PENSTOCK_TRY(check(wave.rate, wave.channels, output()));
  if (output().fixed_length() && wave.frames() != output().frames) {
    return invalid(
        fmt::format("the recording has {} frames, but {} were planned", wave.frames(), output().frames),
        "end the transforms with RandomTimeCrop or PadTime");
  }
  return {};
}

}  // namespace penstock::inline v0
