#pragma once
// A list of operations on a sound, compiled: from a sound file to a row of a batch.

#include <memory>
#include <string>
#include <vector>

#include "core/rng.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"
#include "transforms/sound/sound_operation.hpp"

namespace penstock {

/// The decoder and the memory of one worker for one program; used again from sample to sample. Not
/// thread-safe.
class SoundWorkspace {
 public:
  SoundWorkspace();
  ~SoundWorkspace();
  SoundWorkspace(SoundWorkspace&&) noexcept;

  /// Where the result of the last SoundProgram::run() is.
  SoundWave& wave() noexcept;
  /// Place in sound_codecs() of the codec of that sound.
  std::size_t codec() const noexcept;
  /// Time spent decoding since construction.
  std::uint64_t decoding_nanoseconds() const noexcept;

 private:
  friend class SoundProgram;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Immutable and shared by all workers; each brings its own workspace.
class SoundProgram {
 public:
  /// For sounds as `in` describes them. Checks every operation and how they follow each other (`invalid`).
  static Result<SoundProgram> compile(std::vector<TransformPtr> operations, const SoundSpec& in);

  /// What every result is like: channels, rate and bands always, frames where they are fixed.
  const SoundSpec& output() const noexcept { return specs_.back(); }
  /// One line per operation, for Loader::plan().
  std::string describe() const;

  Result<SoundWorkspace> make_workspace() const;

  /// Decodes what is needed of the file and runs the list on it. A result of another rate or with other
  /// channels than output() is `invalid`, with the operation that would make them equal.
  Status run(SoundWorkspace& workspace, ByteSpan file, const RandomKey& key) const;

 private:
  std::vector<TransformPtr> operations_;  // all of them SoundTransform
  std::vector<SoundSpec> specs_;          // before each operation, and at the end
};

}  // namespace penstock
