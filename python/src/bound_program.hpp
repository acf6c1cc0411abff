#pragma once
// A list of transforms as Python holds it outside of a loader.

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "core/out_of_memory.hpp"
#include "transforms/sample_program.hpp"

namespace penstock::python {

/// The list of one view, for images of one kind. Any number of threads may run it: each call has memory of
/// its own, which is kept for the next unless the images are large.
class BoundProgram {
 public:
  explicit BoundProgram(SampleProgram program) : program_(std::move(program)) {
    const auto numpy = nanobind::module_::import_("numpy");
    const ElementType type = program_.views()[0].image.output().type;
    empty_ = numpy.attr("empty");
    type_ =
        numpy.attr("dtype")(name_of(scalar_of(type == ElementType::bfloat16 ? ElementType::uint16 : type)));
  }

  const SampleProgram& program() const noexcept { return program_; }

  /// An array for what the program makes: numpy's own costs less than one around memory of ours. With the
  /// GIL.
  nanobind::object empty(const std::vector<std::size_t>& shape) const {
    nanobind::list extents;
    std::size_t bytes = size_of(program_.views()[0].image.output().type);
    for (const std::size_t extent : shape) {
      extents.append(extent);
      bytes *= extent;
    }
    try {
      return empty_(nanobind::tuple(extents), type_);
    } catch (const nanobind::python_error& lack) {
      if (!lack.matches(PyExc_MemoryError)) {
        throw;
      }
    }
    const std::size_t last = shape.size() - 1;
    throw OutOfMemory(fmt::format("an image of {} x {} pixels", shape[last - 1], shape[last - 2]), bytes);
  }

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
  nanobind::object empty_;  // numpy's
  nanobind::object type_;   // of its arrays
  std::mutex mutex_;
  std::vector<SampleWorkspace> idle_;
};

}  // namespace penstock::python
