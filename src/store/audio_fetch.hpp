#pragma once
// The bytes of audio files, on their way into a build.

#include <functional>

#include "penstock/sample.hpp"
#include "store/audio_files.hpp"

namespace penstock::inline v0 {

/// One thread.
class AudioFetcher {
 public:
  explicit AudioFetcher(const AudioFiles& files) : files_(&files) {}

  /// Takes the bytes of a file, which live until it returns.
  using Use = std::function<Status(std::uint64_t file, ByteSpan bytes)>;
  /// Why a file has no bytes, or what `use` said.
  using Fail = std::function<void(std::uint64_t file, Error error)>;

  /// Files [begin, end), in any order: those that are in memory first, while the system fetches the others.
  /// Gives the bytes that were read.
  std::uint64_t fetch(std::uint64_t begin, std::uint64_t end, const Use& use, const Fail& fail);

 private:
  void announce_from(std::uint64_t file);
  std::uint64_t fetch_samples(std::uint64_t begin, std::uint64_t end, const Use& use, const Fail& fail);

  const AudioFiles* files_;
  std::uint64_t announced_ = 0;  ///< files before this one
};

}  // namespace penstock::inline v0
