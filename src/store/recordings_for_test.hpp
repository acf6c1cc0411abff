#pragma once
// For tests of audio builds: folders of small recordings.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "io/temporary_folder_for_test.hpp"
#include "store/hdf5_file.hpp"

namespace penstock::test {

inline bool has_hdf5() {
  const auto attribute = audio_file_attribute("/nowhere", "build");
  return attribute.error().kind != ErrorKind::unsupported;
}

/// 16 bits, one channel, 4,096 Hz.
inline std::string wav(std::size_t samples, unsigned seed) {
  std::string bytes("RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\0\x10\0\0\0\x20\0\0\x02\0\x10\0data\0\0\0\0",
                    44);
  const auto put = [&bytes](std::size_t at, std::size_t value) {
    for (std::size_t i = 0; i < 4; ++i) {
      bytes[at + i] = static_cast<char>(value >> (8 * i));
    }
  };
  put(4, 36 + 2 * samples);
  put(40, 2 * samples);
  for (std::size_t i = 0; i < 2 * samples; ++i) {
    seed = seed * 1664525 + 1013904223;
    bytes += static_cast<char>(seed >> 24);
  }
  return bytes;
}

inline void write(const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string recordings_in(const TemporaryFolder& folder, int count) {
  for (int i = 0; i < count; ++i) {
    write(folder / ("in/" + std::string(i % 2 != 0 ? "a" : "b") + "/" + std::to_string(10 + i) + ".wav"),
          wav(static_cast<std::size_t>(1500 + 300 * i), static_cast<unsigned>(i)));
  }
  return folder / "in";
}

}  // namespace penstock::test
