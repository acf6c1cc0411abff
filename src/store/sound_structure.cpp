#include "store/sound_structure.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "io/mapped_file.hpp"

namespace penstock {
namespace {

/// Deleted at the end, whatever happens.
class TrialFile {
 public:
  explicit TrialFile(std::string path) : path_(std::move(path)) {}
  TrialFile(const TrialFile&) = delete;
  TrialFile& operator=(const TrialFile&) = delete;
  ~TrialFile() {
    std::error_code ignored;  // the next one writes over it
    std::filesystem::remove(path_, ignored);
  }
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// Without blocks of zeros: the room of rows that are left out stays a hole.
Status write_between(DiskFile& file, ByteSpan bytes, std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t kBlock = 1 << 16;
  for (std::uint64_t next = begin; begin < end; begin = next) {
    next = std::min(end, begin + kBlock);
    const ByteSpan block = bytes.subspan(begin, next - begin);
    if (std::any_of(block.begin(), block.end(), [](std::uint8_t byte) { return byte != 0; })) {
      PENSTOCK_TRY(file.write_at(begin, block));
    }
  }
  return {};
}

struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  auto operator<=>(const ByteRange&) const = default;
};

}  // namespace

Result<SoundFilePlaces> sound_file_places(const std::string& trial, const SoundFileContents& contents) {
  const TrialFile file(trial);
  return create_sound_file(file.path(), contents);
}

Status write_sound_structure(DiskFile& file, const std::string& trial, const SoundFileContents& all,
                             const SoundFileContents& left) {
  const TrialFile model(trial);
  PENSTOCK_ASSIGN(const SoundFilePlaces places, create_sound_file(model.path(), all));
  if (left.rows() < all.rows()) {
    PENSTOCK_TRY(shorten_sound_file(model.path(), left));
  }
  PENSTOCK_ASSIGN(const auto mapped, MappedFile::open(model.path()));
  const ByteSpan bytes = mapped->bytes();
  std::array<ByteRange, 2> rows = {
      {{places.mel, places.mel + left.rows() * left.mel_bytes()},
       {places.waveform, places.waveform + left.rows() * left.waveform_bytes()}}};
  std::sort(rows.begin(), rows.end());
  std::uint64_t at = 0;
  for (const ByteRange& range : rows) {
    PENSTOCK_TRY(write_between(file, bytes, at, range.begin));
    at = range.end;
  }
  PENSTOCK_TRY(write_between(file, bytes, at, bytes.size()));
  return file.cut(bytes.size());
}

}  // namespace penstock
