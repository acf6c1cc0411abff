#include "store/audio_fetch.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "formats/sample_table.hpp"
#include "io/storage.hpp"

namespace penstock::inline v0 {
/// Files come from the disk: a few at a time would not keep it busy.
void AudioFetcher::announce_from(std::uint64_t file) {
  constexpr std::uint64_t kAhead = 32;
  const std::uint64_t end = std::min<std::uint64_t>(file + kAhead, files_->keys.size());
  for (announced_ = std::max(announced_, file); announced_ < end; ++announced_) {
    files_->storage->announce(files_->path(announced_));
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
  std::vector<std::uint64_t> later;
  const auto take_later = [&] {
    for (const std::uint64_t i : later) {
      const auto bytes = files_->storage->read(files_->path(i));
      if (bytes.ok()) {
        take(i, *bytes);
      } else {
        fail(i, bytes.error());
      }
    }
    later.clear();
  };
  for (std::uint64_t i = begin; i < end; ++i) {
    constexpr std::size_t kMaxLater = 16;
    if (later.size() == kMaxLater) {
      announce_from(i);
      take_later();
    }
    if (const std::optional<Bytes> bytes = files_->storage->read_without_waiting(files_->path(i))) {
      take(i, *bytes);
    } else {
      later.push_back(i);
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
    Status used = use_value(table, i, files_->field, [&](const StoredValue& stored) {
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
