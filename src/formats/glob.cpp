#include "formats/glob.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "io/file.hpp"

namespace penstock::inline v0 {
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

  static Error failure(const std::error_code& failed, const char* what, const std::string& path) {
    Error error = file_error(failed.value(), what, path);
    error.advice = "make it readable, or give a pattern that leaves it out";
    return error;
  }

  static Result<std::vector<std::string>> names_in(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code failed;
    for (fs::directory_iterator entry(folder.empty() ? "." : folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
      names.push_back(entry->path().filename().string());
    }
    // Not a folder, or no longer there: nothing matches in it.
    if (failed && failed != std::errc::not_a_directory && failed != std::errc::no_such_file_or_directory) {
      return failure(failed, "cannot list the folder", folder.empty() ? "." : folder);
    }
    return names;
  }

  /// Of what a link leads to; `not_found` for links that lead nowhere.
  static Result<fs::file_type> type_of(const std::string& path) {
    std::error_code failed;
    const fs::file_status status = fs::status(path, failed);
    if (!fs::status_known(status)) {
      return failure(failed, "cannot access the path", path);
    }
    return status.type();
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
      PENSTOCK_ASSIGN(const std::vector<std::string> names, names_in(path));
      for (const std::string& name : names) {
        const std::string below = joined(path, name);
        std::error_code gone;
        if (!name.starts_with('.') && fs::is_directory(fs::symlink_status(below, gone))) {
          PENSTOCK_TRY(walk(below, component));
        }
      }
      return {};
    }
    if (!has_glob(wanted)) {
      const std::string below = joined(path, wanted);
      PENSTOCK_ASSIGN(const fs::file_type type, type_of(below));
      return type == fs::file_type::not_found ? Status() : walk(below, component + 1);
    }
    const bool last = component + 1 == components_.size();
    PENSTOCK_ASSIGN(const std::vector<std::string> names, names_in(path));
    for (const std::string& name : names) {
      if (::fnmatch(wanted.c_str(), name.c_str(), FNM_PERIOD) == 0) {
        const std::string below = joined(path, name);
        if (!last) {
          PENSTOCK_ASSIGN(const fs::file_type type, type_of(below));
          if (type != fs::file_type::directory) {
            continue;
          }
        }
        PENSTOCK_TRY(walk(below, component + 1));
      }
    }
    return {};
  }

  std::string base_;
  std::vector<std::string> components_;
  std::vector<std::string> found_;
};

}  // namespace

bool has_glob(std::string_view pattern) noexcept {
  return pattern.find_first_of("*?[") != std::string_view::npos;
}

Result<std::vector<std::string>> glob_paths(std::string_view pattern) { return Globber(pattern).run(); }

}  // namespace penstock::inline v0
