#include "io/path.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "io/file.hpp"

namespace penstock::inline v0 {

namespace fs = std::filesystem;

std::string join_path(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

std::string last_name(const std::string& path) { return fs::path(path).filename().string(); }

std::string normal_path(const std::string& path) {
  return path.find("://") != std::string::npos ? path : fs::path(path).lexically_normal().string();
}

bool is_taken(const std::string& path) {
  std::error_code failed;
  return fs::exists(fs::symlink_status(path, failed));
}

Result<std::string> behind_link(const std::string& path) {
  std::error_code failed;
  if (!fs::is_symlink(fs::symlink_status(path, failed))) {
    return path;
  }
  const fs::path behind = fs::canonical(path, failed);
  if (failed) {
    return file_error(failed.value(), "cannot follow the link", path);
  }
  return behind.string();
}

bool lies_inside(const std::string& inner, const std::string& outer) {
  std::error_code failed;
  const fs::path above = fs::weakly_canonical(outer, failed);
  const fs::path below = failed ? fs::path() : fs::weakly_canonical(inner, failed);
  return !failed &&
         std::mismatch(above.begin(), above.end(), below.begin(), below.end()).first == above.end();
}

}  // namespace penstock::inline v0
