#include "formats/glob.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

namespace penstock::inline v0 {
namespace {

class Globber {
 public:
  Globber(const Storage& storage, std::string_view pattern) : storage_(storage) {
    std::string_view rest = pattern;
    while (rest.starts_with('/')) {
      base_.assign(1, '/');
      rest.remove_prefix(1);
    }
    while (!rest.empty()) {
      const std::size_t slash = std::min(rest.find('/'), rest.size());
      if (slash > 0) {
        components_.emplace_back(rest.substr(0, slash));
      }
      rest.remove_prefix(std::min(slash + 1, rest.size()));
    }
  }

  Result<std::vector<std::string>> run() {
    PENSTOCK_TRY(walk(base_, 0));
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

 private:
  /// `path` is empty (here), "/" or a path without a slash at its end.
  static std::string joined(const std::string& path, const std::string& name) {
    return fmt::format("{}{}{}", path, path.empty() || path == "/" ? "" : "/", name);
  }

  static Error failure(Error error) {
    error.advice = "make it readable, or use a pattern that leaves it out";
    return error;
  }

  Result<std::vector<ListedObject>> entries_of(const std::string& folder) const {
    auto entries = storage_.list(folder);
    if (entries) {
      return entries;
    }
    // Not a folder, or no longer there: nothing matches in it.
    return entries.error().kind == ErrorKind::not_found
               ? Result<std::vector<ListedObject>>(std::vector<ListedObject>())
               : Result<std::vector<ListedObject>>(failure(std::move(entries).error()));
  }

  /// Of what a link leads to; missing for links that lead nowhere.
  Result<ObjectState> state_of(const std::string& path) const {
    auto state = storage_.stat(path);
    return state ? std::move(state) : Result<ObjectState>(failure(std::move(state).error()));
  }

  Status walk(const std::string& path, std::size_t component) {
    if (component == components_.size()) {
      if (!path.empty()) {
        found_.push_back(path);
      }
      return {};
    }
    const std::string& wanted = components_[component];
    if (wanted == "**") {
      PENSTOCK_TRY(walk(path, component + 1));
      PENSTOCK_ASSIGN(const std::vector<ListedObject> entries, entries_of(path));
      for (const ListedObject& entry : entries) {
        if (!entry.name.starts_with('.') && entry.is_folder && !entry.is_link) {
          PENSTOCK_TRY(walk(joined(path, entry.name), component));
        }
      }
      return {};
    }
    if (!has_glob(wanted)) {
      const std::string below = joined(path, wanted);
      PENSTOCK_ASSIGN(const ObjectState state, state_of(below));
      return state.exists() ? walk(below, component + 1) : Status();
    }
    const bool last = component + 1 == components_.size();
    PENSTOCK_ASSIGN(const std::vector<ListedObject> entries, entries_of(path));
    for (const ListedObject& entry : entries) {
      if (::fnmatch(wanted.c_str(), entry.name.c_str(), FNM_PERIOD) == 0) {
        const std::string below = joined(path, entry.name);
        if (!last) {
          PENSTOCK_ASSIGN(const ObjectState state, state_of(below));
          if (!state.is_folder()) {
            continue;
          }
        }
        PENSTOCK_TRY(walk(below, component + 1));
      }
    }
    return {};
  }

  const Storage& storage_;
  std::string base_;
  std::vector<std::string> components_;
  std::vector<std::string> found_;
};

}  // namespace

bool has_glob(std::string_view pattern) noexcept {
  return pattern.find_first_of("*?[") != std::string_view::npos;
}

Result<std::vector<std::string>> glob_paths(const Storage& storage, std::string_view pattern) {
  return Globber(storage, pattern).run();
}

}  // namespace penstock::inline v0
