#include "codecs/audio_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "codecs/audio_catalog.hpp"

namespace penstock::inline v0 {

struct AudioDecoder::Impl {
  DecoderSet<AudioCodec> decoders{audio_catalog()};
  AudioFormatDecoder* current = nullptr;
  AudioInfo info;
};

AudioDecoder::AudioDecoder() : impl_(std::make_unique<Impl>()) {}
AudioDecoder::~AudioDecoder() = default;
AudioDecoder::AudioDecoder(AudioDecoder&&) noexcept = default;
AudioDecoder& AudioDecoder::operator=(AudioDecoder&&) noexcept = default;

Result<AudioInfo> AudioDecoder::open(ByteSpan file) {
  impl_->current = nullptr;
  PENSTOCK_ASSIGN(AudioFormatDecoder* const decoder, impl_->decoders.find(file));
  PENSTOCK_ASSIGN(impl_->info, decoder->open(file));
  impl_->current = decoder;
  return impl_->info;
}

Status AudioDecoder::decode(std::uint64_t start, std::uint64_t count, float* out, std::size_t stride) {
  if (impl_->current == nullptr) {
    return detail::decode_error(ErrorKind::invalid, "no audio is open");
  }
  const std::uint64_t frames = impl_->info.frames;
  if (start > frames || count > frames - start) {
    return detail::decode_error(
        ErrorKind::invalid,
        fmt::format("{} frames from frame {} exceed a recording of {} frames", count, start, frames));
  }
  if (count == 0) {
    return {};
  }
  if (out == nullptr || (impl_->info.channels > 1 && stride < count)) {
    return detail::decode_error(ErrorKind::invalid, "the output is too small for the frames");
  }
  return impl_->current->decode(start, count, out, stride);
}

std::size_t AudioDecoder::codec() const noexcept { return impl_->decoders.codec(); }

Result<AudioInfo> check_audio(AudioDecoder& decoder, ByteSpan file) {
  Result<AudioInfo> info = decoder.open(file);
  if (!info) {
    return info.error().kind == ErrorKind::unsupported ? Result<AudioInfo>(AudioInfo{}) : std::move(info);
  }
  constexpr std::uint64_t kSamples = 1 << 16;
  const auto channels = static_cast<std::uint64_t>(info->channels);
  const std::uint64_t limit = std::max<std::uint64_t>(kSamples / channels, 1);
  std::vector<float> block(static_cast<std::size_t>(std::min(limit, info->frames) * channels));
  for (std::uint64_t done = 0; done < info->frames; done += limit) {
    const std::uint64_t count = std::min(limit, info->frames - done);
    PENSTOCK_TRY(decoder.decode(done, count, block.data(), static_cast<std::size_t>(count)));
  }
  return info;
}

}  // namespace penstock::inline v0
