#include "codecs/sound_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "codecs/sound_format_decoder.hpp"
#include "core/time_adder.hpp"

namespace penstock {

struct SoundDecoder::Impl {
  std::vector<std::unique_ptr<SoundFormatDecoder>> decoders{kSoundCodecs};  // made when first needed
  SoundFormatDecoder* current = nullptr;
  std::size_t codec = 0;  // of `current`
  SoundInfo info;
  std::uint64_t nanoseconds = 0;
};

SoundDecoder::SoundDecoder() : impl_(std::make_unique<Impl>()) {}
SoundDecoder::~SoundDecoder() = default;
SoundDecoder::SoundDecoder(SoundDecoder&&) noexcept = default;
SoundDecoder& SoundDecoder::operator=(SoundDecoder&&) noexcept = default;

Result<SoundInfo> SoundDecoder::open(ByteSpan file) {
  const TimeAdder timer(impl_->nanoseconds);
  impl_->current = nullptr;
  const auto codecs = sound_codecs();
  for (std::size_t i = 0; i < codecs.size(); ++i) {
    if (!codecs[i].recognises(file)) {
      continue;
    }
    auto& decoder = impl_->decoders[i];
    if (!decoder) {
      decoder = codecs[i].make();
    }
    PENSTOCK_ASSIGN(impl_->info, decoder->open(file));
    impl_->current = decoder.get();
    impl_->codec = i;
    return impl_->info;
  }
  return describe_unrecognised_sound(file);
}

Status SoundDecoder::decode(std::uint64_t start, std::uint64_t count, float* out, std::size_t stride) {
  if (impl_->current == nullptr) {
    return detail::sound_error(ErrorKind::invalid, "no sound is open");
  }
  const std::uint64_t frames = impl_->info.frames;
  if (start > frames || count > frames - start) {
    return detail::sound_error(
        ErrorKind::invalid,
        fmt::format("{} frames from frame {} on do not lie inside a sound of {}", count, start, frames));
  }
  if (count == 0) {
    return {};
  }
  if (out == nullptr || (impl_->info.channels > 1 && stride < count)) {
    return detail::sound_error(ErrorKind::invalid, "the output has no room for the frames");
  }
  const TimeAdder timer(impl_->nanoseconds);
  return impl_->current->decode(start, count, out, stride);
}

std::size_t SoundDecoder::codec() const noexcept { return impl_->codec; }

std::uint64_t SoundDecoder::nanoseconds() const noexcept { return impl_->nanoseconds; }

Result<SoundInfo> check_sound(SoundDecoder& decoder, ByteSpan file) {
  Result<SoundInfo> info = decoder.open(file);
  if (!info) {
    return info.error().kind == ErrorKind::unsupported ? Result<SoundInfo>(SoundInfo{}) : std::move(info);
  }
  constexpr std::uint64_t kSamples = 1 << 16;
  const auto channels = static_cast<std::uint64_t>(info->channels);
  const std::uint64_t most = std::max<std::uint64_t>(kSamples / channels, 1);
  std::vector<float> block(static_cast<std::size_t>(std::min(most, info->frames) * channels));
  for (std::uint64_t done = 0; done < info->frames; done += most) {
    const std::uint64_t count = std::min(most, info->frames - done);
    PENSTOCK_TRY(decoder.decode(done, count, block.data(), static_cast<std::size_t>(count)));
  }
  return info;
}

}  // namespace penstock
