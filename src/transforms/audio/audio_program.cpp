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
  DrawnList drawn;                                  // what each drew
  // Of the file that is open:
  AudioInfo info;
  RandomKey key;
  TimeSlice slice;  // what is decoded
};

AudioWorkspace::AudioWorkspace() : impl_(std::make_unique<Impl>()) {}
AudioWorkspace::~AudioWorkspace() = default;
AudioWorkspace::AudioWorkspace(AudioWorkspace&&) noexcept = default;
AudioWave& AudioWorkspace::wave() noexcept { return impl_->wave; }
std::size_t AudioWorkspace::codec() const noexcept { return impl_->decoder.codec(); }
DrawnList& AudioWorkspace::drawn() noexcept { return impl_->drawn; }

namespace {

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

Result<AudioProgram> AudioProgram::compile(std::vector<TransformPtr> operations, const AudioSpec& in,
                                           const ListPlace& place) {
  PENSTOCK_ASSIGN([[maybe_unused]] const CpuTarget target, active_cpu_target());
  AudioProgram program;
  PENSTOCK_ASSIGN(program.list_,
                  (OperationList<AudioTransform, AudioSpec>::compile(std::move(operations), in, place)));
  program.in_place_ = true;
  for (std::size_t i = program.begins_with_slice() ? 1 : 0; i < program.list_.size(); ++i) {
    program.in_place_ = program.in_place_ && program.list_[i].works_in_place();
  }
  return program;
}

std::string AudioProgram::describe() const {
  std::string text = fmt::format("decode: {}\n", text_of(list_.spec(0)));
  for (std::size_t i = 0; i < list_.size(); ++i) {
    text += fmt::format("{}: {}\n", repr(list_[i]), text_of(list_.spec(i + 1)));
  }
  return text;
}

Result<AudioWorkspace> AudioProgram::make_workspace() const {
  AudioWorkspace workspace;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    PENSTOCK_ASSIGN(auto state, list_[i].make_state(list_.spec(i)));
    workspace.impl_->states.push_back(std::move(state));
  }
  workspace.impl_->drawn = list_.make_drawn();
  return workspace;
}

bool AudioProgram::begins_with_slice() const noexcept { return list_.size() > 0 && list_[0].keeps_slice(); }

Status AudioProgram::draw(AudioWorkspace& workspace, std::size_t i, const AudioSpec& in) const {
  Draws draws = list_.draws(i, workspace.impl_->key);
  return list_[i].draw_for(in, draws, *workspace.impl_->drawn[i]);
}

Result<std::size_t> AudioProgram::open(AudioWorkspace& workspace, ByteSpan file, const RandomKey& key) const {
  AudioWorkspace::Impl& audio = *workspace.impl_;
  PENSTOCK_ASSIGN(audio.info, audio.decoder.open(file));
  audio.key = key;
  audio.slice = {0, audio.info.frames};
  if (begins_with_slice()) {  // the rest need not be decoded
    PENSTOCK_TRY(draw(
        workspace, 0,
        {.channels = audio.info.channels, .rate = audio.info.rate, .bands = 0, .frames = audio.info.frames}));
    audio.slice = list_[0].slice_of(audio.info.frames, *audio.drawn[0]);
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

Status AudioProgram::run(AudioWorkspace& workspace) const {
  AudioWorkspace::Impl& audio = *workspace.impl_;
  AudioWave& wave = audio.wave;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    const AudioTransform& operation = list_[i];
    // Filter banks are made for one rate.
    Status ready = list_.spec(i + 1).bands != 0 && wave.bands == 0
                       ? check(wave.rate, wave.channels, list_.spec(i))
                       : Status();
    const bool sliced = i == 0 && operation.keeps_slice();  // in open()
    if (ready && !sliced) {
      ready = draw(workspace, i, wave.spec());
      if (ready && operation.keeps_slice()) {
        wave.keep(operation.slice_of(wave.frames(), *audio.drawn[i]));
      }
    }
    if (ready) {
      ready = operation.run_for(wave, *audio.drawn[i], audio.states[i].get());
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
