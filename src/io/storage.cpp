#include "io/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace penstock::inline v0 {

Storages Storages::standard() {
  Storages storages;
  storages.set("", local_storage());
  storages.set("file", local_storage());
  return storages;
}

std::vector<std::string> Storages::schemes() const {
  std::vector<std::string> schemes;
  for (const auto& [scheme, storage] : by_scheme_) {
    schemes.push_back(scheme);
  }
  return schemes;
}

Result<Storages::Found> Storages::find(const std::string& name) const {
  const std::size_t colon = name.find(':');
  if (colon != std::string::npos && colon > 0) {
    if (const auto entry = by_scheme_.find(name.substr(0, colon)); entry != by_scheme_.end()) {
      const std::string_view rest = std::string_view(name).substr(colon + 1);
      return Found{entry->second, std::string(rest.substr(rest.starts_with("//") ? 2 : 0))};
    }
  }
  // A local path may hold a colon: these mean something else, with slashes behind them or without.
  constexpr std::array kRemote = {"http:", "https:", "s3:", "gs:", "hf:", "ais:", "az:", "hdfs:", "ftp:"};
  if (name.find("://") != std::string::npos ||
      std::any_of(kRemote.begin(), kRemote.end(),
                  [&](const char* scheme) { return name.starts_with(scheme); })) {
    return Error{.kind = ErrorKind::unsupported,
                 .message = fmt::format("cannot read {}:// sources yet", name.substr(0, colon)),
                 .advice = "copy the shards to a local or mounted folder",
                 .place = {.stage = "open"}};
  }
  return Found{by_scheme_.find("")->second, name};
}

}  // namespace penstock::inline v0
