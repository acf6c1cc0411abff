// Times lists of operations as a worker of a loader runs them: compiled once, memory used again, a row
// written.
//
// bench/micro/transforms/ talks to it: on each line of the standard input, with tabs between, a number of
// calls, width and height of the file's RGB pixels (0 and 0: an image file, which each call decodes), the
// memory format of rows, the file, where the last row is written (or -), and the list as JSON. Each answer is
// a line with the nanoseconds that the calls took, or an error.

#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "codecs/image_decoder.hpp"
#include "transforms/config.hpp"
#include "transforms/image_program.hpp"

namespace penstock::bench {
namespace {

struct Job {
  std::size_t calls = 0;
  ImageSize size;  ///< of the pixels in `file`; empty: it is an image file
  MemoryFormat format = MemoryFormat::channels_first;
  std::string file;
  std::string out;
  std::string list;
};

template <class T>
T must(Result<T> result) {
  if (!result.ok()) {
    throw std::runtime_error(result.error().to_string());
  }
  return std::move(result).value();
}

Job job_of(const std::string& line) {
  Job job;
  std::istringstream text(line);
  text >> job.calls >> job.size.width >> job.size.height;
  std::string format;
  text >> format;
  text.ignore(1);
  if (format != "channels_first" && format != "channels_last") {
    throw std::runtime_error("no memory format: " + format);
  }
  job.format = format == "channels_last" ? MemoryFormat::channels_last : MemoryFormat::channels_first;
  std::getline(text, job.file, '\t');
  std::getline(text, job.out, '\t');
  std::getline(text, job.list);
  if (!text || job.calls == 0) {
    throw std::runtime_error("not a job: " + line);
  }
  return job;
}

std::vector<std::uint8_t> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.empty()) {
    throw std::runtime_error("cannot read " + path);
  }
  return bytes;
}

/// The pixels as a decoder leaves them, in memory that kernels may read a little further.
DecodedPart decoded(const std::vector<std::uint8_t>& pixels, ImageSize size, Scratch& memory) {
  const std::size_t bytes = static_cast<std::size_t>(size.width) * 3;
  const std::size_t stride = padded_stride(size.width);
  std::uint8_t* const rows = memory.reserve(stride * static_cast<std::size_t>(size.height));
  for (std::size_t y = 0; y < static_cast<std::size_t>(size.height); ++y) {
    std::memcpy(rows + y * stride, pixels.data() + y * bytes, bytes);
  }
  return {rows, stride, {0, 0, size.width, size.height}};
}

std::int64_t nanoseconds_of(const Job& job) {
  const std::vector<std::uint8_t> bytes = bytes_of(job.file);
  const bool encoded = job.size.width == 0;
  const auto program = must(ImageProgram::compile(must(transforms_from_json(job.list)).list, job.format));
  const auto workspace = program.make_workspace();
  const std::size_t pixel =
      static_cast<std::size_t>(program.output().channels) * size_of(program.output().type);
  Scratch memory;
  Scratch row;
  const DecodedPart pixels = encoded ? DecodedPart{} : decoded(bytes, job.size, memory);
  ImageDecoder decoder;
  std::size_t written = 0;
  const auto call = [&](std::size_t sample) {
    const ImageSize size = encoded ? must(decoder.open(bytes)) : job.size;
    const ImageSize made = must(program.resolve(*workspace, size, {.seed = 1, .epoch = 0, .sample = sample}));
    written = static_cast<std::size_t>(made.width) * static_cast<std::size_t>(made.height) * pixel;
    void* const out = row.reserve(written);
    if (!encoded) {
      program.run(*workspace, pixels, out);
    } else if (auto done = program.run(*workspace, decoder, out); !done.ok()) {
      throw std::runtime_error(done.error().to_string());
    }
  };
  call(0);
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t sample = 0; sample < job.calls; ++sample) {
    call(sample);
  }
  const auto taken = std::chrono::steady_clock::now() - start;
  if (job.out != "-") {
    std::ofstream(job.out, std::ios::binary)
        .write(reinterpret_cast<const char*>(row.data()), static_cast<std::streamsize>(written));
  }
  return std::chrono::duration_cast<std::chrono::nanoseconds>(taken).count();
}

}  // namespace
}  // namespace penstock::bench

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    try {
      const auto taken = penstock::bench::nanoseconds_of(penstock::bench::job_of(line));
      std::cout << taken << std::endl;
    } catch (const std::exception& problem) {
      std::cout << "error: " << problem.what() << std::endl;
    }
  }
}
