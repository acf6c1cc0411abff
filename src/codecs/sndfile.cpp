#include "codecs/sndfile.hpp"

#include <fmt/format.h>
#include <sndfile.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "codecs/kernels/audio_samples.hpp"
#include "codecs/mp3_length.hpp"
#include "codecs/ogg_pages.hpp"
#include "codecs/quiet_mpg123.hpp"
#include "core/scratch.hpp"

namespace penstock::inline v0 {
namespace {

/// What a file may unpack to, which a header alone can make a caller allocate. Silence in FLAC, with the
/// blocks that encoders write, has up to 900 samples a byte.
constexpr std::uint64_t kMaxSamplesPerByte = 1024;
constexpr std::uint64_t kAlwaysAllowedSamples = std::uint64_t{1} << 26;
/// Frames are read in runs of about this many samples, which stay in the cache.
constexpr std::size_t kReadSamples = 8192;

/// A file in memory, as libsndfile reads it: its bytes, and as many zeros behind them as are wanted.
struct MemoryFile {
  ByteSpan bytes;
  sf_count_t zeros = 0;
  sf_count_t position = 0;

  static MemoryFile& of(void* user) { return *static_cast<MemoryFile*>(user); }
  static sf_count_t size(void* user) {
    return static_cast<sf_count_t>(of(user).bytes.size()) + of(user).zeros;
  }
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
    auto* const to = static_cast<std::uint8_t*>(out);
    const auto at = static_cast<std::size_t>(file.position);
    const auto wanted = static_cast<std::size_t>(count);
    const ByteSpan own = file.bytes.subspan(std::min(at, file.bytes.size()));
    const std::size_t copied = std::min(own.size(), wanted);
    std::copy_n(own.begin(), copied, to);
    std::fill(to + copied, to + wanted, std::uint8_t{0});
    file.position += count;
    return count;
  }
  static sf_count_t write(const void*, sf_count_t, void*) { return 0; }
};

struct CloseSndFile {
  void operator()(SNDFILE* sndfile) const noexcept { sf_close(sndfile); }
};
using SndFile = std::unique_ptr<SNDFILE, CloseSndFile>;

bool is_flac(ByteSpan file) { return file.size() >= 4 && std::memcmp(file.data(), "fLaC", 4) == 0; }
bool is_ogg(ByteSpan file) { return file.size() >= 4 && std::memcmp(file.data(), "OggS", 4) == 0; }

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

class SndfileDecoder final : public AudioFormatDecoder {
 public:
  Result<AudioInfo> open(ByteSpan file) override;
  Status decode(std::uint64_t start, std::uint64_t count, float* out, std::size_t stride) override;

 private:
  Status reopen();
  Status go_to(std::uint64_t frame);
  Status seek(std::uint64_t frame);
  Status skip_to(std::uint64_t frame);
  Status read_run(std::uint64_t count, float* out, std::size_t stride);
  Status read(std::uint64_t frames, float* out);
  Result<std::uint64_t> count_frames();
  std::uint64_t max_frames() const noexcept;
  Error too_long(std::uint64_t frames) const;

  MemoryFile file_;
  SndFile sndfile_;
  SF_INFO info_{};
  std::uint64_t frames_ = 0;
  std::uint64_t position_ = 0;   // the frame that is read next
  std::uint64_t seekable_ = 0;   // the last frame that libsndfile finds by itself
  std::optional<OggPages> ogg_;  // of Ogg files: those that were read
  std::uint64_t read_from_ = 0;  // the byte from which on the pages of this run are
  Scratch block_;
};

Status SndfileDecoder::reopen() {
  sndfile_.reset();
  file_.position = 0;
  info_ = {};
  position_ = 0;
  read_from_ = 0;
  ogg_.reset();
  if (is_ogg(file_.bytes)) {
    ogg_.emplace(file_.bytes);
    PENSTOCK_TRY(ogg_->pass_headers());
  }
  SF_VIRTUAL_IO access{MemoryFile::size, MemoryFile::seek, MemoryFile::read, MemoryFile::write,
                       MemoryFile::tell};
  const QuietMpg123 quiet;
  sndfile_.reset(sf_open_virtual(&access, SFM_READ, &info_, &file_));
  if (!sndfile_) {
    // libsndfile's reason is in a variable that all threads share.
    return detail::decode_error(ErrorKind::corrupt,
                                "the content starts like FLAC, Ogg or MP3, but libsndfile cannot read it");
  }
  return {};
}

Result<AudioInfo> SndfileDecoder::open(ByteSpan file) {
  file_ = {.bytes = file};
  std::optional<Mp3Length> counted;
  if (!is_flac(file) && !is_ogg(file)) {
    PENSTOCK_ASSIGN(counted, count_mp3_frames(file));
  }
  if (counted) {
    // libsndfile guesses the length from the size and the first bit rate, and reads no further: of a file
    // that is as large as it can be with these frames, never too little.
    file_.bytes = file.first(counted->end);
    file_.zeros = static_cast<sf_count_t>((counted->frames + 2) * kMaxMp3Frame);
  }
  PENSTOCK_TRY(reopen());
  const char* const name = name_of_format(info_.format);
  if (info_.channels < 1 || info_.channels > kMaxAudioChannels || info_.samplerate < 1 ||
      info_.samplerate > kMaxAudioRate) {
    return detail::decode_error(ErrorKind::corrupt, fmt::format("{} header gives {} channels at {} Hz", name,
                                                                info_.channels, info_.samplerate));
  }
  AudioInfo result{.frames = static_cast<std::uint64_t>(std::max<sf_count_t>(info_.frames, 0)),
                   .channels = info_.channels,
                   .rate = info_.samplerate};
  if (info_.frames < 0 || info_.frames >= SF_COUNT_MAX / 2) {  // written to a pipe: nobody knows yet
    PENSTOCK_ASSIGN(result.frames, count_frames());
    result.repaired = true;
  }
  if (counted) {
    result.frames = counted->samples;
  }
  if (result.frames > max_frames()) {
    return too_long(result.frames);
  }
  frames_ = result.frames;
  seekable_ = std::numeric_limits<std::uint64_t>::max();
  if (ogg_) {
    const OggEnd end = read_ogg_end(file);
    result.repaired = result.repaired || !end.marked;
    // The last page says where the recording ends, which may be within a packet: libsndfile, which counts
    // from there, comes to lie elsewhere. From the page before it on it is read through.
    const std::uint64_t last_page = end.last_page_frames.value_or(frames_) + 1;
    seekable_ = frames_ - std::min(frames_, last_page);
  }
  return result;
}

std::uint64_t SndfileDecoder::max_frames() const noexcept {
  return std::max(kAlwaysAllowedSamples, file_.bytes.size() * kMaxSamplesPerByte) /
         static_cast<std::uint64_t>(info_.channels);
}

Error SndfileDecoder::too_long(std::uint64_t frames) const {
  return detail::decode_error(
      ErrorKind::unsupported,
      fmt::format(
          "{} file of {} bytes gives {} frames of {} channels or more, over the limit of {} samples per byte",
          name_of_format(info_.format), file_.bytes.size(), frames, info_.channels, kMaxSamplesPerByte),
      "if you trust the file, convert it to WAV");
}

Result<std::uint64_t> SndfileDecoder::count_frames() {
  const auto channels = static_cast<std::size_t>(info_.channels);
  const std::size_t limit = std::max<std::size_t>(kReadSamples / channels, 1);
  auto* const block = reinterpret_cast<float*>(block_.reserve(limit * channels * sizeof(float)));
  std::uint64_t frames = 0;
  for (;;) {
    const sf_count_t got = sf_readf_float(sndfile_.get(), block, static_cast<sf_count_t>(limit));
    if (got <= 0) {
      break;
    }
    frames += static_cast<std::uint64_t>(got);
    if (frames > max_frames()) {
      return too_long(frames);
    }
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
  if (sf_seek(sndfile_.get(), static_cast<sf_count_t>(frame), SEEK_SET) != static_cast<sf_count_t>(frame)) {
    return detail::decode_error(ErrorKind::corrupt,
                                fmt::format("{} has no frame {}", name_of_format(info_.format), frame));
  }
  position_ = frame;
  if (ogg_) {  // it has read the page of the frame and a little more
    constexpr std::uint64_t kBefore = 2 * kMaxOggPage;
    const auto reached = static_cast<std::uint64_t>(file_.position);
    read_from_ = reached - std::min(reached, kBefore);
    ogg_.emplace(file_.bytes);
  }
  return {};
}

Status SndfileDecoder::skip_to(std::uint64_t frame) {
  const auto channels = static_cast<std::size_t>(info_.channels);
  const std::size_t limit = std::max<std::size_t>(kReadSamples / channels, 1);
  auto* const block = reinterpret_cast<float*>(block_.reserve(limit * channels * sizeof(float)));
  while (position_ < frame) {
    PENSTOCK_TRY(read(std::min<std::uint64_t>(frame - position_, limit), block));
  }
  return {};
}

Status SndfileDecoder::read(std::uint64_t frames, float* out) {
  const sf_count_t got = sf_readf_float(sndfile_.get(), out, static_cast<sf_count_t>(frames));
  if (got != static_cast<sf_count_t>(frames)) {
    const std::uint64_t end = position_ + static_cast<std::uint64_t>(std::max<sf_count_t>(got, 0));
    position_ = ~std::uint64_t{0};  // the next decode() begins again
    return detail::decode_error(ErrorKind::corrupt, fmt::format("{} is damaged or truncated at frame {}",
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
  const std::size_t limit = std::max<std::size_t>(kReadSamples / channels, 1);
  auto* const block = reinterpret_cast<float*>(block_.reserve(limit * channels * sizeof(float)));
  while (count > 0) {
    const std::uint64_t frames = std::min<std::uint64_t>(count, limit);
    PENSTOCK_TRY(read(frames, block));
    split_channels(block, static_cast<std::size_t>(frames), channels, out, stride);
    out += frames;
    count -= frames;
  }
  return {};
}

}  // namespace

std::unique_ptr<AudioFormatDecoder> make_sndfile_decoder() { return std::make_unique<SndfileDecoder>(); }

}  // namespace penstock::inline v0
