#include "store/tar_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "formats/tar.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kMaxOctal = (std::uint64_t{1} << 33) - 1;

template <std::size_t N>
void put(char (&field)[N], std::string_view text) {
  std::memcpy(field, text.data(), std::min(text.size(), N));
}

/// "<length> <key>=<value>\n", where the length counts itself.
std::string pax_record(std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest;
  while (std::to_string(length).size() + rest != length) {
    length = std::to_string(length).size() + rest;
  }
  return fmt::format("{} {}={}\n", length, key, value);
}

TarHeader header_of(std::string_view name, std::uint64_t size, char type) {
  TarHeader header{};
  put(header.name, name);
  put(header.mode, "0000644");
  put(header.uid, "0000000");
  put(header.gid, "0000000");
  put(header.size, fmt::format("{:011o}", std::min(size, kMaxOctal)));
  put(header.mtime, "00000000000");
  header.type = type;
  put(header.magic, std::string_view("ustar\0", 6));
  put(header.version, "00");
  std::memset(header.checksum, ' ', sizeof header.checksum);
  unsigned sum = 0;
  for (std::size_t i = 0; i < sizeof header; ++i) {
    sum += reinterpret_cast<const unsigned char*>(&header)[i];
  }
  put(header.checksum, fmt::format("{:06o}", sum));
  header.checksum[6] = '\0';
  return header;
}

Error unnamable(std::string message) {
  return {.kind = ErrorKind::unsupported,
          .message = std::move(message),
          .advice = "use another key for the sample",
          .place = {.stage = "convert"}};
}

}  // namespace

Result<TarWriter> TarWriter::create(const Folder& folder, const std::string& name) {
  PENSTOCK_ASSIGN(DiskFile file, folder.open_file(name, 0));
  return TarWriter(std::move(file));
}

std::uint64_t TarWriter::room_for(std::uint64_t size) noexcept {
  constexpr std::uint64_t kHeaders = 8 * kTarBlock;
  return kHeaders + (size + kTarBlock - 1) / kTarBlock * kTarBlock;
}

Status TarWriter::add(std::string_view name, ByteSpan bytes) {
  if (name.find('\0') != std::string_view::npos) {
    return unnamable("a name that holds a NUL byte cannot be written to a tar");
  }
  std::string records;
  if (name.size() > sizeof(TarHeader::name)) {
    records += pax_record("path", name);
  }
  if (bytes.size() > kMaxOctal) {
    records += pax_record("size", std::to_string(bytes.size()));
  }
  if (records.size() > kTarMaxExtendedHeader) {
    return unnamable(
        fmt::format("a name of {} bytes cannot be written to a tar: readers take headers of up to {}",
                    name.size(), kTarMaxExtendedHeader));
  }
  if (!records.empty()) {
    PENSTOCK_TRY(add_member("PaxHeaders/x",
                            {reinterpret_cast<const std::uint8_t*>(records.data()), records.size()}, 'x'));
  }
  return add_member(name.substr(0, sizeof(TarHeader::name)), bytes, '0');
}

Status TarWriter::add_member(std::string_view name, ByteSpan bytes, char type) {
  const TarHeader header = header_of(name, bytes.size(), type);
  PENSTOCK_TRY(file_.append({reinterpret_cast<const std::uint8_t*>(&header), sizeof header}));
  PENSTOCK_TRY(file_.append(bytes));
  const std::array<std::uint8_t, kTarBlock> zeros{};
  return file_.append(ByteSpan(zeros).first((kTarBlock - bytes.size() % kTarBlock) % kTarBlock));
}

Status TarWriter::finish() {
  const std::array<std::uint8_t, 2 * kTarBlock> zeros{};
  PENSTOCK_TRY(file_.append(zeros));
  PENSTOCK_TRY(file_.sync());
  return file_.close();
}

}  // namespace penstock::inline v0
