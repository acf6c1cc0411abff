#include "store/sound_fetch.hpp"

#include <utility>
#include <vector>

namespace penstock {

std::uint64_t SoundFetcher::fetch(std::uint64_t begin, std::uint64_t end, const Use& use, const Fail& fail) {
  std::uint64_t read = 0;
  const auto take = [&](std::uint64_t i, const WholeFile& file, ByteSpan bytes) {
    read += bytes.size();
    Status used = use(i, bytes);
    if (Status there = file.check(); !there.ok()) {
      used = std::move(there);
    }
    if (!used.ok()) {
      fail(i, std::move(used).error());
    }
  };
  std::vector<std::pair<std::uint64_t, WholeFile>> later;
  for (std::uint64_t i = begin; i < end; ++i) {
    auto file = WholeFile::open(files_->path(i));
    if (!file.ok()) {
      fail(i, std::move(file).error());
    } else if (const std::optional<ByteSpan> bytes = file->bytes_at_hand(bytes_)) {
      take(i, *file, *bytes);
    } else {
      later.emplace_back(i, std::move(*file));
    }
  }
  for (auto& [i, file] : later) {
    const auto bytes = file.bytes(bytes_);
    if (bytes.ok()) {
      take(i, file, *bytes);
    } else {
      fail(i, bytes.error());
    }
  }
  return read;
}

}  // namespace penstock
