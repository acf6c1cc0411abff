#include "store/audio_fetch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/sample_table.hpp"

namespace penstock::inline v0 {
namespace {

/// Files that a thread keeps open while the system fetches them: a process may have 1,024.
constexpr std::size_t kMaxOpenFiles = 16;

}  // namespace

/// Files come from the disk: a few at a time would not keep it busy.
void AudioFetcher::announce_from(std::uint64_t file) {
  constexpr std::uint64_t kAhead = 32;
  const std::uint64_t end = std::min<std::uint64_t>(file + kAhead, files_->keys.size());
  for (announced_ = std::max(announced_, file); announced_ < end; ++announced_) {
    WholeFile::announce(files_->path(announced_));
  }
}

std::uint64_t AudioFetcher::fetch(std::uint64_t begin, std::uint64_t end, const Use& use, const Fail& fail) {
  if (files_->table != nullptr) {
    return fetch_samples(begin, end, use, fail);
  }
  std::uint64_t read = 0;
  const auto take = [&](std::uint64_t i, const Bytes& bytes) {
    read += bytes.size();
    Status used = use(i, bytes);
    if (Status intact = bytes.intact(); !intact.ok()) {
      used = std::move(intact);
    }
    if (!used.ok()) {
      fail(i, std::move(used).error());
    }
  };
  std::vector<std::pair<std::uint64_t, WholeFile>> later;
  const auto take_later = [&] {
    for (auto& [i, file] : later) {
      const auto bytes = file.bytes(bytes_);
      if (bytes.ok()) {
        take(i, *bytes);
      } else {
        fail(i, bytes.error());
      }
    }
    later.clear();
  };
  const auto open_file = [&](std::uint64_t i) {
    auto file = WholeFile::open(files_->path(i));
    if (file.ok() || later.empty()) {
      return file;
    }
    take_later();  // of too many open files some are ours
    return WholeFile::open(files_->path(i));
  };
  for (std::uint64_t i = begin; i < end; ++i) {
    if (later.size() == kMaxOpenFiles) {
      announce_from(i);
      take_later();
    }
    auto file = open_file(i);
    if (!file.ok()) {
      fail(i, std::move(file).error());
    } else if (const std::optional<Bytes> bytes = file->bytes_available(bytes_)) {
      take(i, *bytes);
    } else {
      later.emplace_back(i, std::move(*file));
    }
  }
  if (!later.empty()) {
    announce_from(end);
  }
  take_later();
  return read;
}

std::uint64_t AudioFetcher::fetch_samples(std::uint64_t begin, std::uint64_t end, const Use& use,
                                          const Fail& fail) {
  const SampleTable& table = *files_->table;
  std::uint64_t read = 0;
  for (std::uint64_t i = begin; i < end; ++i) {
    if (const auto known = files_->unlabelled.find(i); known != files_->unlabelled.end()) {
      fail(i, known->second);
      continue;
    }
    Status used = use_value(table, i, files_->field, bytes_, [&](const StoredValue& stored) {
      read += stored.bytes.size();
      return use(i, stored.bytes);
    });
    if (!used.ok()) {
      fail(i, std::move(used).error());
    }
  }
  return read;
}

}  // namespace penstock::inline v0
