#include "formats/source_list.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "formats/brace.hpp"
#include "formats/glob.hpp"
#include "formats/text.hpp"

namespace penstock::inline v0 {
namespace {

Error failure(ErrorKind kind, std::string message, std::string advice, const std::string& source) {
  return {.kind = kind,
          .message = std::move(message),
          .advice = std::move(advice),
          .place = {.source = source, .stage = "open"}};
}

Error at_source(Error error, const std::string& source) {
  error.place.source = source;
  return error;
}

/// "~/x" and "~user/x"; anything else, and unknown users, as they are.
std::string expand_home(const std::string& path) {
  if (!path.starts_with('~')) {
    return path;
  }
  const std::size_t slash = std::min(path.find('/'), path.size());
  std::string home;
  if (slash == 1) {
    const char* const value = std::getenv("HOME");
    home = value != nullptr ? value : "";
  }
  if (home.empty()) {
    std::array<char, 4096> buffer{};
    struct passwd entry {};
    struct passwd* found = nullptr;
    const std::string user = path.substr(1, slash - 1);
    if (user.empty()) {
      ::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found);
    } else {
      ::getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found);
    }
    if (found == nullptr) {
      return path;
    }
    home = entry.pw_dir;
  }
  return home + path.substr(slash);
}

/// Where a name leads; what could only be read from front to back is refused.
Result<Storages::Found> storage_of(const std::string& name, const std::string& source,
                                   const Storages& storages) {
  if (name == "-" || name.starts_with("pipe:")) {
    return failure(ErrorKind::unsupported,
                   name == "-" ? "standard input does not allow random access"
                               : "commands as sources (pipe:) are not supported",
                   "write the archive to a file and pass that", source);
  }
  auto found = storages.find(name);
  return found ? std::move(found) : Result<Storages::Found>(at_source(std::move(found).error(), source));
}

std::vector<std::string> split_parts(const std::string& source) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t at = source.find("::"); at != std::string::npos; at = source.find("::", begin)) {
    parts.push_back(source.substr(begin, at - begin));
    begin = at + 2;
  }
  parts.push_back(source.substr(begin));
  return parts;
}

/// ${NAME} by the environment variable WDS_NAME, as WebDataset does; values may hold such names too, 10 deep.
Result<std::string> expand_variables(std::string text, const std::string& source) {
  constexpr int kRounds = 10;
  constexpr std::size_t kMaxLength = 1 << 20;
  for (int round = 0; round <= kRounds; ++round) {
    if (text.find("${") == std::string::npos) {
      return text;
    }
    std::string expanded;
    std::size_t at = 0;
    for (std::size_t begin = text.find("${"); begin != std::string::npos; begin = text.find("${", at)) {
      const std::size_t end = text.find('}', begin);
      if (end == std::string::npos) {
        return failure(ErrorKind::invalid, "unmatched opening brace", {}, source);
      }
      const std::string name = "WDS_" + text.substr(begin + 2, end - begin - 2);
      const char* const value = std::getenv(name.c_str());
      if (value == nullptr) {
        return failure(ErrorKind::invalid,
                       fmt::format("the environment variable {} is not set", printable(name)),
                       "set it, or write the path out", source);
      }
      expanded += text.substr(at, begin - at) + value;
      at = end + 1;
    }
    text = expanded + text.substr(at);
    if (text.size() > kMaxLength) {
      break;
    }
  }
  return failure(ErrorKind::invalid,
                 "the environment variables in the pattern refer to each other in a cycle", {}, source);
}

Status resolve_part(const std::string& part, const std::string& source, const Storages& storages,
                    std::vector<NamedPath>& found) {
  PENSTOCK_ASSIGN(const std::string text, expand_variables(part, source));
  PENSTOCK_ASSIGN(const Storages::Found place, storage_of(text, source, storages));
  const Storage& storage = *place.storage;
  PENSTOCK_ASSIGN(const std::vector<std::string> names, expand_braces(place.path));
  std::size_t missing = 0;
  std::string first_missing;
  for (const std::string& name : names) {
    const std::string path = expand_home(name);
    auto state = storage.stat(path);
    if (state.ok() && state->exists()) {
      found.push_back({path, source, place.storage});
    } else if (has_glob(path)) {
      auto globbed = glob_paths(storage, path);
      if (!globbed.ok()) {
        return at_source(std::move(globbed).error(), source);
      }
      const std::vector<std::string> matches = std::move(globbed).value();
      if (matches.empty()) {
        return failure(ErrorKind::not_found, fmt::format("nothing matches '{}'", printable_path(path)),
                       "check the path and the pattern", source);
      }
      for (const std::string& match : matches) {
        found.push_back({match, source, place.storage});
      }
    } else if (!state.ok()) {
      return at_source(std::move(state).error(), source);
    } else if (missing++ == 0) {
      first_missing = path;
    }
  }
  if (missing > 0) {
    std::string message = fmt::format("no such file or folder: '{}'", first_missing);
    if (names.size() > 1) {
      message += fmt::format(" ({} of the {} names are missing)", missing, names.size());
    }
    return failure(ErrorKind::not_found, std::move(message),
                   fmt::format("looked from {}", storage.absolute("")), source);
  }
  return {};
}

}  // namespace

Result<std::vector<NamedPath>> resolve_sources(const std::vector<std::string>& sources,
                                               const Storages& storages) {
  std::vector<NamedPath> found;
  if (sources.empty()) {
    return failure(ErrorKind::invalid, "no source was given", "pass a path, a glob or a brace pattern", "");
  }
  for (const std::string& source : sources) {
    if (source.empty() || source.find('\0') != std::string::npos) {
      return failure(ErrorKind::invalid,
                     source.empty() ? "a source is an empty string" : "a source contains a NUL byte",
                     "pass a path, a glob or a brace pattern", source);
    }
    PENSTOCK_ASSIGN(const Storages::Found local, storages.find(""));
    // A path that cannot be looked at is reported by its part.
    if (const auto state = local.storage->stat(source); state.ok() && state->exists()) {
      found.push_back({source, source, local.storage});
      continue;
    }
    for (const std::string& part : split_parts(source)) {
      if (!part.empty()) {
        PENSTOCK_TRY(resolve_part(part, source, storages, found));
      }
    }
    if (found.empty()) {
      return failure(ErrorKind::invalid, "the source is empty", "pass a path, a glob or a brace pattern",
                     source);
    }
  }
  return found;
}

}  // namespace penstock::inline v0
