#include "transforms/sound/sound_program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "audio/read_sound.hpp"
#include "codecs/sound_decoder.hpp"
#include "core/cpu.hpp"

namespace penstock {

struct SoundWorkspace::Impl {
  SoundDecoder decoder;
  SoundWave wave;
  std::vector<std::unique_ptr<SoundState>> states;  // one for each operation, or null
};

SoundWorkspace::SoundWorkspace() : impl_(std::make_unique<Impl>()) {}
SoundWorkspace::~SoundWorkspace() = default;
SoundWorkspace::SoundWorkspace(SoundWorkspace&&) noexcept = default;
SoundWave& SoundWorkspace::wave() noexcept { return impl_->wave; }
std::size_t SoundWorkspace::codec() const noexcept { return impl_->decoder.codec(); }
std::uint64_t SoundWorkspace::decoding_nanoseconds() const noexcept { return impl_->decoder.nanoseconds(); }

namespace {

const SoundTransform& as_sound(const TransformPtr& operation) {
  return static_cast<const SoundTransform&>(*operation);  // compile() has looked
}

Error invalid(std::string message, std::string advice) {
  Error error{ErrorKind::invalid, std::move(message), std::move(advice), {}};
  error.place.stage = "transform";
  return error;
}

/// Whether a sound is as the list was planned for.
Status check(const SoundWave& wave, const SoundSpec& spec) {
  if (wave.rate != spec.rate) {
    return invalid(fmt::format("the sound has {} frames per second, others have {}", wave.rate, spec.rate),
                   fmt::format("add Resample({}) to the transforms", spec.rate));
  }
  if (wave.channels != spec.channels) {
    return invalid(fmt::format("the sound has {} channels, others have {}", wave.channels, spec.channels),
                   "add ToMono() to the transforms");
  }
  return {};
}

std::string text_of(const SoundSpec& spec) {
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
               "put it behind MelSpectrogram or MFCC",
               {}};
}

Result<SoundProgram> SoundProgram::compile(std::vector<TransformPtr> operations, const SoundSpec& in) {
  PENSTOCK_ASSIGN([[maybe_unused]] const CpuTarget target, active_cpu_target());
  SoundProgram program;
  program.specs_.push_back(in);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i] == nullptr) {
      return Error{ErrorKind::invalid, fmt::format("operation {} of the list is missing", i), "", {}};
    }
    const auto* operation = dynamic_cast<const SoundTransform*>(operations[i].get());
    if (operation == nullptr) {
      return Error{ErrorKind::invalid,
                   fmt::format("{} works on pictures, not on sounds", operations[i]->name()),
                   "give it for a field of kind image: transforms={\"image\": [...]}",
                   {}};
    }
    PENSTOCK_TRY(operation->check());
    PENSTOCK_ASSIGN(const SoundSpec out, operation->describe_sound(program.specs_.back()));
    program.specs_.push_back(out);
  }
  program.operations_ = std::move(operations);
  return program;
}

std::string SoundProgram::describe() const {
  std::string text = fmt::format("decode: {}\n", text_of(specs_.front()));
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    text += fmt::format("{}: {}\n", repr(*operations_[i]), text_of(specs_[i + 1]));
  }
  return text;
}

Result<SoundWorkspace> SoundProgram::make_workspace() const {
  SoundWorkspace workspace;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    PENSTOCK_ASSIGN(auto state, as_sound(operations_[i]).make_state(specs_[i]));
    workspace.impl_->states.push_back(std::move(state));
  }
  return workspace;
}

Status SoundProgram::run(SoundWorkspace& workspace, ByteSpan file, const RandomKey& key) const {
  SoundDecoder& decoder = workspace.impl_->decoder;
  SoundWave& wave = workspace.impl_->wave;
  PENSTOCK_ASSIGN(const SoundInfo info, decoder.open(file));
  TimeSlice slice{0, info.frames};
  Draws first(key, 0);
  if (!operations_.empty() && as_sound(operations_.front()).keeps_slice()) {
    slice = as_sound(operations_.front()).slice(info.frames, first);  // the rest need not be decoded
  }
  const auto channels = static_cast<std::size_t>(info.channels);
  if (slice.count > kMaxClipSamples / channels) {
    return Error{
        ErrorKind::unsupported,
        fmt::format("a sound of {} frames with {} channels is too long for a batch", slice.count, channels),
        "begin the transforms with RandomTimeCrop or PadTime",
        {}};
  }
  const auto frames = static_cast<std::size_t>(slice.count);
  PENSTOCK_TRY(decoder.decode(slice.start, slice.count, wave.other(channels, frames), frames));
  wave.use_other(frames);
  wave.channels = info.channels;
  wave.rate = info.rate;
  wave.bands = 0;
  wave.valid = frames;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const SoundTransform& operation = as_sound(operations_[i]);
    // Filter banks are made for one rate.
    Status ready = specs_[i + 1].bands != 0 && wave.bands == 0 ? check(wave, specs_[i]) : Status();
    if (ready) {
      Draws draws = i == 0 ? first : Draws(key, static_cast<std::uint32_t>(i));
      if (i > 0 && operation.keeps_slice()) {
        wave.keep(operation.slice(wave.frames(), draws));
      }
      ready = operation.run_sound(wave, draws, workspace.impl_->states[i].get());
    }
    if (!ready) {
      ready.error().place.stage = "transform";
      return ready;
    }
  }
  PENSTOCK_TRY(check(wave, output()));
  if (output().fixed_length() && wave.frames() != output().frames) {
    return invalid(fmt::format("the sound has {} frames, {} were planned", wave.frames(), output().frames),
                   "end the transforms with RandomTimeCrop or PadTime");
  }
  return {};
}

}  // namespace penstock
