#include "store/audio_structure.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "io/storage.hpp"

namespace penstock::inline v0 {
namespace {

/// Deleted at the end, whatever happens.
class TrialFile {
 public:
  explicit TrialFile(const Folder& folder) : folder_(folder) {}
  TrialFile(const TrialFile&) = delete;
  TrialFile& operator=(const TrialFile&) = delete;
  ~TrialFile() {
    (void)folder_.remove(kAudioTrialName);  // the next one writes over it
  }
  std::string path() const { return folder_.path_by_descriptor(kAudioTrialName); }

 private:
  const Folder& folder_;
};

/// The library knows the file by its descriptor; people by its name.
template <class Outcome>
Outcome named(Outcome outcome, const Folder& folder, const std::string& name) {
  if (!outcome) {
    outcome.error().place.shard = folder.path_of(name);
  }
  return outcome;
}

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

Result<AudioFilePlaces> create_audio_file_in(const Folder& folder, const std::string& name,
                                             const AudioFileContents& contents) {
  // The library writes over a file that is there: one of ours, with our permissions, and no link.
  PENSTOCK_ASSIGN(DiskFile made, folder.open_file(name, 0));
  PENSTOCK_TRY(made.close());
  return named(create_audio_file(folder.path_by_descriptor(name), contents), folder, name);
}

Result<AudioFilePlaces> audio_file_places(const Folder& folder, const AudioFileContents& contents) {
  const TrialFile file(folder);
  return create_audio_file_in(folder, kAudioTrialName, contents);
}

Status write_audio_structure(DiskFile& file, const Folder& folder, const AudioFileContents& all,
                             const AudioFileContents& left) {
  const TrialFile model(folder);
  PENSTOCK_ASSIGN(const AudioFilePlaces places, create_audio_file_in(folder, kAudioTrialName, all));
  if (left.rows() < all.rows()) {
    PENSTOCK_TRY(named(shorten_audio_file(model.path(), left), folder, kAudioTrialName));
  }
  PENSTOCK_ASSIGN(const Bytes read, local_storage()->read(model.path()));
  const ByteSpan bytes = read;
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

}  // namespace penstock::inline v0
