#pragma once
// A list of operations on a recording, compiled: from an audio file to a row of a batch.

#include <memory>
#include <string>
#include <vector>

#include "core/rng.hpp"
#include "penstock/result.hpp"
#include "penstock/sample.hpp"
#include "transforms/audio/audio_operation.hpp"
#include "transforms/operation_list.hpp"

namespace penstock::inline v0 {

/// The decoder and the memory of one worker for one program; used again from sample to sample. Not
/// thread-safe.
class AudioWorkspace {
 public:
  AudioWorkspace();
  ~AudioWorkspace();
  AudioWorkspace(AudioWorkspace&&) noexcept;

  /// Where the result of the last AudioProgram::run() is.
  AudioWave& wave() noexcept;
  /// Place in audio_codecs() of the codec of that recording.
  std::size_t codec() const noexcept;
  /// What the operations drew for the last sample.
  DrawnList& drawn() noexcept;

 private:
  friend class AudioProgram;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Immutable and shared by all workers; each brings its own workspace.
class AudioProgram {
 public:
  /// For recordings as `in` describes them. Checks every operation and how they follow each other
  /// (`invalid`).
  static Result<AudioProgram> compile(std::vector<TransformPtr> operations, const AudioSpec& in,
                                      const ListPlace& place = {});

  /// What every result is like: channels, rate and bands always, frames where they are fixed.
  const AudioSpec& output() const noexcept { return list_.output(); }
  const ListDraws& list() const noexcept { return list_; }
  /// One line per operation, for Loader::plan().
  std::string describe() const;

  Result<AudioWorkspace> make_workspace() const;

  /// Opens the file, which must stay valid until decode() is done, and draws what of it is needed. Returns
  /// how many values the result will have, where they can be written to their place, else 0.
  Result<std::size_t> open(AudioWorkspace& workspace, ByteSpan file, const RandomKey& key) const;
  /// Decodes what is needed: to `out`, if open() gave a number, which has room for as many values; null
  /// leaves it in the workspace.
  Status decode(AudioWorkspace& workspace, float* out) const;
  /// Runs the list on what was decoded, where that is. A result of another rate or with other channels than
  /// output() is `invalid` (here or in open()), with the operation that would make them equal.
  Status run(AudioWorkspace& workspace) const;

 private:
  /// Whether operation 0 chooses what is decoded.
  bool begins_with_slice() const noexcept;

  Status draw(AudioWorkspace& workspace, std::size_t i, const AudioSpec& in) const;

  OperationList<AudioTransform, AudioSpec> list_;
  bool in_place_ = false;  // what is decoded has the size of the result, and stays where it is
};

}  // namespace penstock::inline v0
