#include "codecs/wav.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

namespace penstock::inline v0 {
namespace {

/// More chunks than any honest file has; a file of empty chunks would keep the walk busy for nothing.
constexpr int kMaxChunks = 10'000;
/// Writers that cannot go back leave sizes from here on as placeholders.
constexpr std::uint32_t kPlaceholder = 0x7FFFF000;
/// Frames are converted in runs of about this many samples, which stay in the first cache.
constexpr std::size_t kBlockSamples = 4096;

/// Numbers in the byte order of a file.
struct Numbers {
  bool big_endian = false;

  std::uint32_t u16(const std::uint8_t* p) const {
    return static_cast<std::uint32_t>(big_endian ? p[0] << 8 | p[1] : p[0] | p[1] << 8);
  }
  std::uint32_t u32(const std::uint8_t* p) const {
    return big_endian ? u16(p) << 16 | u16(p + 2) : u16(p) | u16(p + 2) << 16;
  }
};

std::uint64_t little_endian_64(const std::uint8_t* p) {
  constexpr Numbers kNumbers;
  return kNumbers.u32(p) | static_cast<std::uint64_t>(kNumbers.u32(p + 4)) << 32;
}

bool is_id(const std::uint8_t* p, std::string_view id) { return std::memcmp(p, id.data(), 4) == 0; }

Error bad_wav(std::string message) { return detail::decode_error(ErrorKind::corrupt, std::move(message)); }

/// What lies behind the tag of the extensible format, for the codecs that have one: of plain channels, and of
/// those that are the components of a sound field (ambisonics).
struct Guid {
  std::uint32_t second;
  std::uint32_t third;
  std::array<std::uint8_t, 8> rest;

  bool operator==(const Guid&) const = default;
};
constexpr std::array<Guid, 2> kGuids = {{{0, 0x10, {0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71}},
                                         {0x0721, 0x11D3, {0x86, 0x44, 0xC8, 0xC1, 0xCA, 0, 0, 0}}}};

const char* name_of_tag(std::uint32_t tag) {
  switch (tag) {
    case 0x0002:
      return "MS ADPCM";
    case 0x0011:
      return "IMA ADPCM";
    case 0x0031:
      return "GSM 6.10";
    case 0x0050:
      return "MPEG layer 1 or 2";
    case 0x0055:
      return "MP3";
    case 0x00FF:
    case 0x1600:
      return "AAC";
    case 0x0161:
      return "Windows media";
    case 0x2000:
      return "AC-3";
    default:
      return "an unknown codec";
  }
}

struct Format {
  SampleFormat samples = SampleFormat::int16;
  std::size_t channels = 0;
  std::uint32_t rate = 0;

  bool operator==(const Format&) const = default;
};

Result<SampleFormat> sample_format(std::uint32_t tag, std::uint32_t bits) {
  const auto unsupported = [](std::string message) {
    return detail::decode_error(ErrorKind::unsupported, std::move(message),
                                "convert the file to 16-bit or float WAV, or to FLAC");
  };
  switch (tag) {
    case 1:
      if (bits < 8 || bits > 32) {
        return unsupported(fmt::format("WAV of {}-bit integers is not supported", bits));
      }
      // Fewer bits than their bytes hold are the upper ones, so the bytes alone give the scale.
      return std::array{SampleFormat::uint8, SampleFormat::int16, SampleFormat::int24,
                        SampleFormat::int32}[(bits - 1) / 8];
    case 3:
      if (bits != 32 && bits != 64) {
        return unsupported(fmt::format("WAV of {}-bit floats is not supported", bits));
      }
      return bits == 32 ? SampleFormat::float32 : SampleFormat::float64;
    case 6:
    case 7:
      if (bits != 8) {
        return bad_wav(fmt::format("WAV of {}-law samples with {} bits", tag == 6 ? "A" : "mu", bits));
      }
      return tag == 6 ? SampleFormat::a_law : SampleFormat::mu_law;
    default:
      return unsupported(
          fmt::format("WAV with {} inside (format tag 0x{:04x}) is not supported", name_of_tag(tag), tag));
  }
}

Result<Format> parse_format(ByteSpan chunk, Numbers numbers) {
  if (chunk.size() < 16) {
    return bad_wav(fmt::format("WAV format chunk has {} bytes, at least 16 are required", chunk.size()));
  }
  const std::uint8_t* const p = chunk.data();
  std::uint32_t tag = numbers.u16(p);
  const std::uint32_t channels = numbers.u16(p + 2);
  const std::uint32_t rate = numbers.u32(p + 4);
  const std::uint32_t bits = numbers.u16(p + 14);
  if (tag == 0xFFFE) {
    if (chunk.size() < 40 || numbers.u16(p + 16) < 22) {
      return bad_wav("WAV extensible format chunk is too short");
    }
    Guid guid{numbers.u16(p + 28), numbers.u16(p + 30), {}};
    std::copy_n(p + 32, guid.rest.size(), guid.rest.begin());
    tag = numbers.u32(p + 24);
    if (tag > 0xFFFF || std::find(kGuids.begin(), kGuids.end(), guid) == kGuids.end()) {
      return detail::decode_error(ErrorKind::unsupported, "WAV extensible format names an unknown codec");
    }
    if (const std::uint32_t valid = numbers.u16(p + 18); valid > bits) {
      return bad_wav(fmt::format("WAV has {} valid bits in {}", valid, bits));
    }
  }
  PENSTOCK_ASSIGN(const SampleFormat samples, sample_format(tag, bits));
  if (channels == 0 || channels > kMaxAudioChannels) {
    return bad_wav(fmt::format("WAV header gives {} channels", channels));
  }
  if (rate == 0 || rate > kMaxAudioRate) {
    return bad_wav(fmt::format("WAV header gives a rate of {} Hz", rate));
  }
  // The block size is wrong in files of careless writers; it says nothing that the rest does not.
  return Format{samples, channels, rate};
}

/// The sizes that 32 bits do not hold.
struct LargeSizes {
  std::uint64_t data = 0;
  ByteSpan others;  ///< of the table: an id and a size of 64 bits each

  std::optional<std::uint64_t> find(const std::uint8_t* id) const {
    for (std::size_t at = 0; at + 12 <= others.size(); at += 12) {
      if (std::memcmp(others.data() + at, id, 4) == 0) {
        return little_endian_64(others.data() + at + 4);
      }
    }
    return std::nullopt;
  }
};

Result<LargeSizes> parse_large_sizes(ByteSpan file) {
  if (file.size() < 12 + 8 + 28 || !is_id(file.data() + 12, "ds64")) {
    return bad_wav("RF64 file does not begin with its ds64 chunk");
  }
  constexpr Numbers kNumbers;
  const std::uint64_t size = kNumbers.u32(file.data() + 16);
  const std::uint8_t* const p = file.data() + 20;
  const std::uint64_t table = static_cast<std::uint64_t>(kNumbers.u32(p + 24)) * 12;
  if (size < 28 || size > file.size() - 20 || table > size - 28) {
    return bad_wav("RF64 ds64 chunk has an impossible size");
  }
  return LargeSizes{little_endian_64(p + 8), ByteSpan(p + 28, static_cast<std::size_t>(table))};
}

bool looks_like_id(const std::uint8_t* p) {
  return std::all_of(p, p + 4, [](std::uint8_t c) { return c >= 0x20 && c < 0x7F; });
}

struct Data {
  ByteSpan bytes;
  bool repaired = false;
};

/// The samples, for a data chunk that says `size` and of which `rest` is what the file has left.
Result<Data> take_data(std::uint64_t size, ByteSpan rest, Numbers numbers) {
  if (size == 0 && !rest.empty()) {
    // Another chunk behind it means that it is empty indeed, as does a file that only has padding left.
    const bool followed =
        rest.size() >= 8 && looks_like_id(rest.data()) && numbers.u32(rest.data() + 4) <= rest.size() - 8;
    return followed ? Data{} : Data{rest, true};
  }
  if (size <= rest.size()) {
    return Data{rest.first(static_cast<std::size_t>(size)), false};
  }
  if (size >= kPlaceholder && size <= 0xFFFFFFFF) {
    return Data{rest, true};
  }
  return bad_wav(fmt::format("WAV is truncated: it has {} of {} bytes of samples", rest.size(), size));
}

}  // namespace

bool WavDecoder::recognises(ByteSpan file) noexcept {
  constexpr std::array<std::string_view, 4> kIds = {"RIFF", "RIFX", "RF64", "BW64"};
  return file.size() >= 12 && is_id(file.data() + 8, "WAVE") &&
         std::any_of(kIds.begin(), kIds.end(),
                     [file](std::string_view id) { return is_id(file.data(), id); });
}

Result<AudioInfo> WavDecoder::open(ByteSpan file) {
  const Numbers numbers{.big_endian = is_id(file.data(), "RIFX")};
  std::optional<LargeSizes> large;
  if (!is_id(file.data(), "RIFF") && !numbers.big_endian) {
    PENSTOCK_ASSIGN(large, parse_large_sizes(file));
  }
  std::optional<Format> format;
  std::uint64_t at = 12;  // the file's end bounds the walk: the size in the first chunk is often wrong
  for (int chunks = 0; at <= file.size() && file.size() - at >= 8; ++chunks) {
    if (chunks == kMaxChunks) {
      return detail::decode_error(
          ErrorKind::unsupported,
          fmt::format("WAV has more than {} chunks before its samples (up to byte {})", kMaxChunks, at),
          "rewrite it without them, for example with ffmpeg -i old.wav -map_metadata -1 -c copy new.wav");
    }
    const std::uint8_t* const header = file.data() + at;
    std::uint64_t size = numbers.u32(header + 4);
    const bool is_data = is_id(header, "data");
    if (size == 0xFFFFFFFF && large) {
      size = is_data ? large->data : large->find(header).value_or(size);
    }
    const ByteSpan rest = file.subspan(static_cast<std::size_t>(at) + 8);
    if (is_data) {
      if (!format) {
        return bad_wav("WAV has its samples before its format chunk");
      }
      PENSTOCK_ASSIGN(const Data data, take_data(size, rest, numbers));
      format_ = format->samples;
      channels_ = format->channels;
      frame_bytes_ = channels_ * bytes_of(format_);
      samples_ = data.bytes;
      swaps_ = numbers.big_endian && bytes_of(format_) > 1;
      return AudioInfo{.frames = samples_.size() / frame_bytes_,
                       .channels = static_cast<int>(channels_),
                       .rate = static_cast<int>(format->rate),
                       .repaired = data.repaired};
    }
    if (size > rest.size()) {
      return bad_wav(fmt::format("WAV chunk at byte {} is longer than the file", at));
    }
    if (is_id(header, "fmt ")) {
      PENSTOCK_ASSIGN(const Format found, parse_format(rest.first(static_cast<std::size_t>(size)), numbers));
      if (format && *format != found) {
        return bad_wav("WAV has two formats that differ");
      }
      format = found;
    }
    at += 8 + size + (size & 1);
  }
  return bad_wav(format ? "WAV ends before its samples" : "WAV has no format chunk");
}

void WavDecoder::convert(const std::uint8_t* in, std::size_t count, float* out) {
  if (!swaps_) {
    samples_to_float(format_, in, count, out);
    return;
  }
  const std::size_t size = bytes_of(format_);
  std::uint8_t* const swapped = swapped_.reserve(kBlockSamples * size);
  while (count > 0) {
    const std::size_t part = std::min(count, kBlockSamples);
    for (std::size_t sample = 0; sample < part; ++sample) {
      std::reverse_copy(in + sample * size, in + (sample + 1) * size, swapped + sample * size);
    }
    samples_to_float(format_, swapped, part, out);
    in += part * size;
    out += part;
    count -= part;
  }
}

Status WavDecoder::decode(std::uint64_t start, std::uint64_t count, float* out, std::size_t stride) {
  const std::uint8_t* in = samples_.data() + static_cast<std::size_t>(start) * frame_bytes_;
  if (channels_ == 1) {
    convert(in, static_cast<std::size_t>(count), out);
    return {};
  }
  const std::size_t limit = std::max<std::size_t>(kBlockSamples / channels_, 1);
  auto* const block = reinterpret_cast<float*>(block_.reserve(limit * channels_ * sizeof(float)));
  for (auto left = static_cast<std::size_t>(count); left > 0;) {
    const std::size_t frames = std::min(left, limit);
    convert(in, frames * channels_, block);
    split_channels(block, frames, channels_, out, stride);
    in += frames * frame_bytes_;
    out += frames;
    left -= frames;
  }
  return {};
}

}  // namespace penstock::inline v0
