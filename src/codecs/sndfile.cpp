#include "codecs/sndfile.hpp"

#include <fmt/format.h>
#include <sndfile.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "codecs/kernels/sound_samples.hpp"
#include "codecs/mp3_length.hpp"
#include "codecs/ogg_pages.hpp"
#include "codecs/quiet_mpg123.hpp"
#include "core/scratch.hpp"

namespace penstock {
namespace {

/// More frames than this per byte no codec can hold: FLAC has the most, 65,535 equal samples in about 12
/// bytes. Bounds what a header can make us allocate.
constexpr std::uint64_t kMaxFramesPerByte = 8192;
/// Frames are read in runs of about this many samples, which stay in the cache.
constexpr std::size_t kReadSamples = 8192;

/// A file in memory, as libsndfile reads it.
struct MemoryFile {
  ByteSpan bytes;
  sf_count_t position = 0;

  static MemoryFile& of(void* user) { return *static_cast<MemoryFile*>(user); }
  static sf_count_t size(void* user) { return static_cast<sf_count_t>(of(user).bytes.size()); }
  static sf_count_t tell(void* user) { return of(user).position; }
  static sf_count_t seek(sf_count_t offset, int whence, void* user) {
    MemoryFile& file = of(user);
    const sf_count_t end = size(user);
    const sf_count_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file.position : end;
    file.position = std::clamp<sf_count_t>(offset, -base, end - base) + base;
    return file.position;
  }
  static sf_count_t read(void* out, sf_count_t count, void* user) {
    MemoryFile& file = of(user);
    count = std::clamp<sf_count_t>(count, 0, size(user) - file.position);
    if (count > 0) {
      std::memcpy(out, file.bytes.data() + file.position, static_cast<std::size_t>(count));
      file.position += count;
    }
    return count;
  }
  static sf_count_t write(const void*, sf_count_t, void*) { return 0; }
};

struct CloseSound {
  void operator()(SNDFILE* sound) const noexcept { sf_close(sound); }
};
using Sound = std::unique_ptr<SNDFILE, CloseSound>;

const char* name_of_format(int format) {
  switch (format & SF_FORMAT_TYPEMASK) {
    case SF_FORMAT_FLAC:
      return "FLAC";
    case SF_FORMAT_OGG:
      return (format & SF_FORMAT_SUBMASK) == SF_FORMAT_OPUS ? "Opus" : "Ogg";
    default:
      return "MP3";
  }
}

/// libsndfile guesses the length of an MP3 that does not say it from the first bit rate, and reads no
/// further. Where bit rates vary that would lose the rest of the sound without a word.
Status check_mp3_length(ByteSpan file, std::uint64_t guessed) {
  constexpr std::uint64_t kRoundedUp = 2 * 1152;
  const std::optional<std::uint64_t> counted = count_mp3_frames(file);
  if (counted && *counted > guessed + kRoundedUp) {
    return detail::sound_error(
        ErrorKind::unsupported,
        fmt::format("MP3 of varying bit rate does not say its length: libsndfile finds {} of {} frames",
                    guessed, *counted),
        "write it anew with a Xing header, for example by ffmpeg -i old.mp3 -c copy new.mp3");
  }
  return {};
}

class SndfileDecoder final : public SoundFormatDecoder {
 public:
  Result<SoundInfo> open(ByteSpan file) override;
  Status decode(std::uint64_t start, std::uint64_t count, float* out, std::size_t stride) override;

 private:
  Status reopen();
  Status go_to(std::uint64_t frame);
  Status seek(std::uint64_t frame);
  Status skip_to(std::uint64_t frame);
  Status read_run(std::uint64_t count, float* out, std::size_t stride);
  Status read(std::uint64_t frames, float* out);
  Result<std::uint64_t> count_frames();
  bool is_ogg() const noexcept { return (info_.format & SF_FORMAT_TYPEMASK) == SF_FORMAT_OGG; }

  MemoryFile file_;
  Sound sound_;
  SF_INFO info_{};
  std::uint64_t frames_ = 0;
  std::uint64_t position_ = 0;   // the frame that is read next
  std::uint64_t seekable_ = 0;   // the last frame that libsndfile finds by itself
  std::optional<OggPages> ogg_;  // of Ogg files: those that were read
  std::uint64_t read_from_ = 0;  // the byte from which on the pages of this run are
  Scratch block_;
};

Status SndfileDecoder::reopen() {
  sound_.reset();
  file_.position = 0;
  info_ = {};
  position_ = 0;
  read_from_ = 0;
  SF_VIRTUAL_IO access{MemoryFile::size, MemoryFile::seek, MemoryFile::read, MemoryFile::write,
                       MemoryFile::tell};
  const QuietMpg123 quiet;
  sound_.reset(sf_open_virtual(&access, SFM_READ, &info_, &file_));
  if (!sound_) {
    // libsndfile's reason is in a variable that all threads share.
    return detail::sound_error(ErrorKind::corrupt,
                               "the content begins like FLAC, Ogg or MP3, but libsndfile cannot read it");
  }
  ogg_ = is_ogg() ? std::optional(OggPages(file_.bytes)) : std::nullopt;
  return {};
}

Result<SoundInfo> SndfileDecoder::open(ByteSpan file) {
  file_.bytes = file;
  PENSTOCK_TRY(reopen());
  const char* const name = name_of_format(info_.format);
  if (info_.channels < 1 || info_.channels > kMaxSoundChannels || info_.samplerate < 1 ||
      info_.samplerate > kMaxSoundRate) {
    return detail::sound_error(ErrorKind::corrupt, fmt::format("{} header gives {} channels at {} Hz", name,
                                                               info_.channels, info_.samplerate));
  }
  SoundInfo result{.frames = static_cast<std::uint64_t>(std::max<sf_count_t>(info_.frames, 0)),
                   .channels = info_.channels,
                   .rate = info_.samplerate};
  if (info_.frames < 0 || info_.frames >= SF_COUNT_MAX / 2) {  // written to a pipe: nobody knows yet
    PENSTOCK_ASSIGN(result.frames, count_frames());
    result.repaired = true;
  }
  if (result.frames > file.size() * kMaxFramesPerByte) {
    return detail::sound_error(ErrorKind::corrupt,
                               fmt::format("{} header gives {} frames, a file of {} bytes "
                                           "cannot hold as many",
                                           name, result.frames, file.size()));
  }
  if ((info_.format & SF_FORMAT_TYPEMASK) == SF_FORMAT_MPEG) {
    PENSTOCK_TRY(check_mp3_length(file, result.frames));
  }
  frames_ = result.frames;
  seekable_ = std::numeric_limits<std::uint64_t>::max();
  if (is_ogg()) {
    const OggEnd end = read_ogg_end(file);
    result.repaired = result.repaired || !end.marked;
    // The last page says where the sound ends, which may be within a packet: libsndfile, which counts from
    // there, comes to lie elsewhere. From the page before it on it is read through.
    const std::uint64_t last_page = end.last_page_frames.value_or(frames_) + 1;
    seekable_ = frames_ - std::min(frames_, last_page);
  }
  return result;
}

Result<std::uint64_t> SndfileDecoder::count_frames() {
  const auto channels = static_cast<std::size_t>(info_.channels);
  const std::size_t most = std::max<std::size_t>(kReadSamples / channels, 1);
  auto* const block = reinterpret_cast<float*>(block_.reserve(most * channels * sizeof(float)));
  std::uint64_t frames = 0;
  for (;;) {
    const sf_count_t got = sf_readf_float(sound_.get(), block, static_cast<sf_count_t>(most));
    if (got <= 0) {
      break;
    }
    frames += static_cast<std::uint64_t>(got);
  }
  PENSTOCK_TRY(reopen());
  return frames;
}

Status SndfileDecoder::go_to(std::uint64_t frame) {
  if (frame == position_) {
    return {};
  }
  // Vorbis and FLAC come out the same wherever reading begins. What Opus and MP3 give depends on what was
  // decoded before, so they are decoded from the start.
  const bool exact = (info_.format & SF_FORMAT_TYPEMASK) == SF_FORMAT_FLAC ||
                     (info_.format & SF_FORMAT_SUBMASK) == SF_FORMAT_VORBIS;
  const std::uint64_t found = exact ? std::min(frame, seekable_) : 0;
  if (position_ < found || position_ > frame) {
    PENSTOCK_TRY(found > 0 ? seek(found) : reopen());
  }
  return skip_to(frame);
}

Status SndfileDecoder::seek(std::uint64_t frame) {
  if (sf_seek(sound_.get(), static_cast<sf_count_t>(frame), SEEK_SET) != static_cast<sf_count_t>(frame)) {
    return detail::sound_error(ErrorKind::corrupt,
                               fmt::format("{} has no frame {}", name_of_format(info_.format), frame));
  }
  position_ = frame;
  if (ogg_) {  // it has read the page of the frame and a little more
    constexpr std::uint64_t kBefore = 2 * kLargestOggPage;
    const auto reached = static_cast<std::uint64_t>(file_.position);
    read_from_ = reached - std::min(reached, kBefore);
    ogg_.emplace(file_.bytes);
  }
  return {};
}

Status SndfileDecoder::skip_to(std::uint64_t frame) {
  const auto channels = static_cast<std::size_t>(info_.channels);
  const std::size_t most = std::max<std::size_t>(kReadSamples / channels, 1);
  auto* const block = reinterpret_cast<float*>(block_.reserve(most * channels * sizeof(float)));
  while (position_ < frame) {
    PENSTOCK_TRY(read(std::min<std::uint64_t>(frame - position_, most), block));
  }
  return {};
}

Status SndfileDecoder::read(std::uint64_t frames, float* out) {
  const sf_count_t got = sf_readf_float(sound_.get(), out, static_cast<sf_count_t>(frames));
  if (got != static_cast<sf_count_t>(frames)) {
    const std::uint64_t end = position_ + static_cast<std::uint64_t>(std::max<sf_count_t>(got, 0));
    position_ = ~std::uint64_t{0};  // the next decode() begins anew
    return detail::sound_error(ErrorKind::corrupt, fmt::format("{} is damaged or truncated at frame {}",
                                                               name_of_format(info_.format), end));
  }
  position_ += frames;
  return {};
}

Status SndfileDecoder::decode(std::uint64_t start, std::uint64_t count, float* out, std::size_t stride) {
  PENSTOCK_TRY(go_to(start));
  PENSTOCK_TRY(read_run(count, out, stride));
  if (!ogg_) {
    return {};
  }
  // Of damaged pages libsndfile says nothing: what they held is missing.
  const bool to_the_end = start + count == frames_;
  return ogg_->check(read_from_,
                     to_the_end ? file_.bytes.size() : static_cast<std::uint64_t>(file_.position));
}

Status SndfileDecoder::read_run(std::uint64_t count, float* out, std::size_t stride) {
  const auto channels = static_cast<std::size_t>(info_.channels);
  if (channels == 1) {
    return read(count, out);
  }
  const std::size_t most = std::max<std::size_t>(kReadSamples / channels, 1);
  auto* const block = reinterpret_cast<float*>(block_.reserve(most * channels * sizeof(float)));
  while (count > 0) {
    const std::uint64_t frames = std::min<std::uint64_t>(count, most);
    PENSTOCK_TRY(read(frames, block));
    split_channels(block, static_cast<std::size_t>(frames), channels, out, stride);
    out += frames;
    count -= frames;
  }
  return {};
}

}  // namespace

std::unique_ptr<SoundFormatDecoder> make_sndfile_decoder() { return std::make_unique<SndfileDecoder>(); }

}  // namespace penstock
