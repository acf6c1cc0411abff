#include "formats/glob.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace penstock {
namespace {

namespace fs = std::filesystem;

class Globber {
 public:
  explicit Globber(std::string_view pattern) {
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

  std::vector<std::string> run() {
    walk(base_, 0);
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

 private:
  /// `path` is empty (here), "/" or a path without a slash at its end.
  static std::string joined(const std::string& path, const std::string& name) {
    return fmt::format("{}{}{}", path, path.empty() || path == "/" ? "" : "/", name);
  }

  static std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code failed;
    for (fs::directory_iterator entry(folder.empty() ? "." : folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
      names.push_back(entry->path().filename().string());
    }
    return names;
  }

  void walk(const std::string& path, std::size_t component) {
    std::error_code failed;
    if (component == components_.size()) {
      if (!path.empty()) {
        found_.push_back(path);
      }
      return;
    }
    const std::string& wanted = components_[component];
    if (wanted == "**") {
      walk(path, component + 1);
      for (const std::string& name : names_in(path)) {
        const std::string below = joined(path, name);
        if (!name.starts_with('.') && fs::is_directory(fs::symlink_status(below, failed))) {
          walk(below, component);
        }
      }
      return;
    }
    if (!has_glob(wanted)) {
      const std::string below = joined(path, wanted);
      if (fs::exists(below, failed)) {
        walk(below, component + 1);
      }
      return;
    }
    for (const std::string& name : names_in(path)) {
      if (::fnmatch(wanted.c_str(), name.c_str(), FNM_PERIOD) == 0) {
        const std::string below = joined(path, name);
        if (component + 1 == components_.size() || fs::is_directory(below, failed)) {
          walk(below, component + 1);
        }
      }
    }
  }

  std::string base_;
  std::vector<std::string> components_;
  std::vector<std::string> found_;
};

}  // namespace

bool has_glob(std::string_view pattern) noexcept {
  return pattern.find_first_of("*?[") != std::string_view::npos;
}

std::vector<std::string> glob_paths(std::string_view pattern) { return Globber(pattern).run(); }

}  // namespace penstock
