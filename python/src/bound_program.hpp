#pragma once
// A list of transforms as Python holds it outside of a loader.

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "transforms/sample_program.hpp"

namespace penstock::python {

/// The list of one view, for images of one kind. Any number of threads may run it: each call has memory of
/// its own, which is kept for the next unless the images are large.
class BoundProgram {
 public:
  explicit BoundProgram(SampleProgram program) : program_(std::move(program)) {}

  const SampleProgram& program() const noexcept { return program_; }

  SampleWorkspace take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      return program_.make_workspace();
    }
    SampleWorkspace workspace = std::move(idle_.back());
    idle_.pop_back();
    return workspace;
  }
  /// `bytes` are those of the image and of what was made of it.
  void give_back(SampleWorkspace workspace, std::size_t bytes) {
    if (bytes <= kKeptBytes) {
      const std::lock_guard lock(mutex_);
      idle_.push_back(std::move(workspace));
    }
  }

 private:
  /// Of larger images the memory is given back: there may be many programs, and their work costs more.
  static constexpr std::size_t kKeptBytes = std::size_t{2} << 20;

  const SampleProgram program_;
  std::mutex mutex_;
  std::vector<SampleWorkspace> idle_;
};

}  // namespace penstock::python
