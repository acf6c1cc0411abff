#include "sample_images.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "formats/tar.hpp"

namespace penstock::bench {
namespace {

std::string folder_of_tars() {
  const char* named = std::getenv("PENSTOCK_BENCH_TARS");
  return named ? named : PENSTOCK_BENCH_DEFAULT_TARS;
}

void add_images(const MappedFile& shard, std::size_t number, std::vector<StoredImage>& images) {
  TarReader reader(shard);
  for (;;) {
    auto member = reader.next();
    if (!member.ok()) {
      throw std::runtime_error(member.error().to_string());
    }
    if (!member->has_value()) {
      return;
    }
    if ((*member)->name.ends_with(".jpg")) {
      images.push_back({number, (*member)->data_offset, (*member)->size});
    }
  }
}

SampleImages open_all() {
  SampleImages found;
  const std::string folder = folder_of_tars();
  if (!std::filesystem::is_directory(folder)) {
    return found;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".tar") {
      found.paths.push_back(entry.path().string());
    }
  }
  std::sort(found.paths.begin(), found.paths.end());
  for (const std::string& path : found.paths) {
    auto shard = MappedFile::open(path);
    if (!shard.ok()) {
      throw std::runtime_error(shard.error().to_string());
    }
    add_images(**shard, found.shards.size(), found.images);
    found.shards.push_back(std::move(shard).value());
  }
  return found;
}

}  // namespace

ByteSpan SampleImages::bytes(std::size_t image) const {
  const StoredImage& stored = images[image % images.size()];
  return ByteSpan(shards[stored.shard]->bytes()).subspan(stored.offset, stored.size);
}

const SampleImages& sample_images() {
  static const SampleImages opened = open_all();
  return opened;
}

bool have_images(benchmark::State& state) {
  if (sample_images().images.empty()) {
    state.SkipWithError(
        "no .tar files: name their folder in PENSTOCK_BENCH_TARS (bench/make_data.py draws some)");
    return false;
  }
  return true;
}

std::uint64_t read_all(ByteSpan bytes) {
  std::uint64_t sum = 0;
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    sum ^= word;
  }
  for (; at < bytes.size(); ++at) {
    sum ^= bytes[at];
  }
  return sum;
}

}  // namespace penstock::bench
