#include "penstock/options.hpp"

#include <fmt/format.h>

namespace penstock {

namespace {

Error wrong(const char* option, std::string given, const char* right) {
  return Error{.kind = ErrorKind::invalid,
               .message = fmt::format("{} = {} cannot be", option, std::move(given)),
               .advice = right,
               .place = {.stage = "options"}};
}

}  // namespace

Status LoaderOptions::validate() const {
  constexpr std::int64_t kMostRows = std::int64_t{1} << 24;
  if (batch_size < 1 || batch_size > kMostRows) {
    return wrong("batch_size", fmt::format("{}", batch_size), "give a whole number from 1 to 16777216");
  }
  if (num_workers && (*num_workers < 0 || *num_workers > 1024)) {
    return wrong("num_workers", fmt::format("{}", *num_workers),
                 "give 0 to 1024 threads, or None for the cores this process may use");
  }
  if (prefetch < 0 || prefetch > 4096) {
    return wrong("prefetch", fmt::format("{}", prefetch), "give 0 to 4096 batches");
  }
  if (max_pixels == std::uint64_t{0}) {
    return wrong("max_pixels", "0", "give the largest width * height to accept");
  }
  if (cache && cache->empty()) {
    return wrong("cache", "''", "name a folder, or leave it out");
  }
  return {};
}

}  // namespace penstock
