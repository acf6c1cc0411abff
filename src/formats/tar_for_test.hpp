#pragma once
// Writes small archives for tests, byte for byte as asked.

#include <fmt/format.h>
#include <cstdlib>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tar.hpp"
#include "formats/tar_table.hpp"
#include "io/faulty_storage_for_test.hpp"
#include "io/memory_source.hpp"
#include "io/memory_storage_for_test.hpp"

namespace penstock::inline v0 {

enum class TarMagic : std::uint8_t { posix, gnu, v7 };

class TarForTest {
 public:
  using Edit = void (*)(TarHeader&);

  static TarHeader header(std::string_view name, std::uint64_t size, char type = '0',
                          TarMagic magic = TarMagic::posix) {
    TarHeader header{};
    std::memcpy(header.name, name.data(), std::min(name.size(), sizeof header.name));
    put(header.mode, "0000644");
    put(header.size, fmt::format("{:011o}", size));
    put(header.mtime, "00000000000");
    header.type = type;
    if (magic == TarMagic::posix) {
      std::memcpy(header.magic,
                  "ustar\0"
                  "00",
                  8);
    } else if (magic == TarMagic::gnu) {
      std::memcpy(header.magic, "ustar  ", 8);
    }
    seal(header);
    return header;
  }
  /// Sets the checksum.
  static void seal(TarHeader& header) {
    std::memset(header.checksum, ' ', sizeof header.checksum);
    unsigned sum = 0;
    for (std::size_t i = 0; i < sizeof header; ++i) {
      sum += reinterpret_cast<const unsigned char*>(&header)[i];
    }
    put(header.checksum, fmt::format("{:06o}", sum));
    header.checksum[7] = ' ';
  }
  template <std::size_t N>
  static void put(char (&field)[N], std::string_view text) {
    std::memset(field, 0, N);
    std::memcpy(field, text.data(), std::min(text.size(), N));
  }

  TarForTest& raw(const void* data, std::size_t size) {
    const auto* const bytes = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
    return *this;
  }
  TarForTest& raw(const TarHeader& header) { return raw(&header, sizeof header); }
  TarForTest& data(std::string_view text) {
    raw(text.data(), text.size());
    bytes_.resize((bytes_.size() + 511) / 512 * 512);
    return *this;
  }
  TarForTest& file(std::string_view name, std::string_view text, char type = '0',
                   TarMagic magic = TarMagic::posix) {
    return raw(header(name, text.size(), type, magic)).data(text);
  }
  /// A header changed by `edit` and sealed again, followed by `text`.
  TarForTest& edited(std::string_view name, std::string_view text, Edit edit, char type = '0',
                     TarMagic magic = TarMagic::posix) {
    TarHeader changed = header(name, text.size(), type, magic);
    edit(changed);
    seal(changed);
    return raw(changed).data(text);
  }
  TarForTest& pax(std::string_view records, char type = 'x') { return file("PaxHeaders/x", records, type); }
  TarForTest& end(std::size_t blocks = 2) {
    bytes_.resize(bytes_.size() + blocks * 512);
    return *this;
  }

  static std::string record(std::string_view key, std::string_view value) {
    std::size_t length = key.size() + value.size() + 3;
    while (fmt::format("{}", length).size() + key.size() + value.size() + 3 != length) {
      length = fmt::format("{}", length).size() + key.size() + value.size() + 3;
    }
    return fmt::format("{} {}={}\n", length, key, value);
  }

  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  SourcePtr source(std::string name = "test.tar") const {
    return std::make_shared<MemorySource>(std::move(name), bytes_);
  }

 private:
  std::vector<std::uint8_t> bytes_;
};

/// An .npy file of version 1; `descr` and `shape` as Python writes them.
inline std::string npy_for_test(const std::string& descr, const std::string& shape, std::string_view elements,
                                bool fortran = false) {
  const std::string header = fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}\n", descr,
                                         fortran ? "True" : "False", shape);
  std::string file = "\x93NUMPY\x01";
  file += {'\0', static_cast<char>(header.size()), static_cast<char>(header.size() >> 8)};
  return file + header + std::string(elements);
}

/// A table of archives in memory, by name; every read copies, as a server's would.
/// While it lives no index is kept or found.
class WithoutIndexCache {
 public:
  WithoutIndexCache() { ::setenv("PENSTOCK_CACHE_DIR", "/dev/null/none", 1); }
  ~WithoutIndexCache() { ::unsetenv("PENSTOCK_CACHE_DIR"); }
  WithoutIndexCache(const WithoutIndexCache&) = delete;
  WithoutIndexCache& operator=(const WithoutIndexCache&) = delete;
};

inline Result<std::unique_ptr<SampleTable>> open_tars_for_test(
    const std::vector<std::pair<std::string, std::vector<std::uint8_t>>>& tars,
    const FieldChoice& fields = {}, std::vector<Fault> faults = {}) {
  const WithoutIndexCache every_time;
  auto memory = std::make_shared<MemoryStorage>();
  const auto storage = std::make_shared<FaultyStorage>(memory, std::move(faults));
  std::vector<NamedPath> shards;
  for (const auto& [name, bytes] : tars) {
    memory->put(name, bytes);
    shards.push_back({name, name, storage});
  }
  return open_tar_table(shards, {fields}, {});
}

}  // namespace penstock::inline v0
