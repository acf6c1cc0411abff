#pragma once
// From a row of 8-bit RGB pixels to a row of an image in a batch. Results are equal on every CPU target.
// Pure functions; any thread may call.

#include <cstddef>
#include <cstdint>

#include "core/cpu.hpp"
#include "penstock/sample.hpp"
#include "transforms/kernels/float_map.hpp"

namespace penstock::inline v0 {

/// An image of `size` in somebody else's memory: channels * width * height elements, of which nothing else is
/// touched.
struct ImageSink {
  void* data = nullptr;
  ImageSize size;
  ElementType type = ElementType::uint8;
  MemoryFormat format = MemoryFormat::channels_first;
  const FloatMap* floats = nullptr;  ///< needed for float32
  int channels = 3;
  ElementType from = ElementType::uint8;  ///< of the pixels that are written: uint8, or uint16
};

/// Writes row `y` from size.width pixels of as many values as there are channels. Up to kRowSlack bytes after
/// them are read.
void write_row(const ImageSink& sink, int y, const std::uint8_t* pixels);

/// To be called after the last row and before another thread is told of the image: rows may be on their way
/// to memory in an order of their own.
void finish_rows();

/// The target for which the kernels that run were compiled, for tests.
CpuTarget write_target();

}  // namespace penstock::inline v0
