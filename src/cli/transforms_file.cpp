#include "cli/transforms_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace penstock::cli {

Result<TransformsConfig> transforms_of_file(const std::string& path) {
  if (path.empty()) {
    return TransformsConfig{};
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    return Error{.kind = ErrorKind::not_found,
                 .message = path + ": " + std::strerror(errno != 0 ? errno : EIO),
                 .advice = "pass a file that holds a JSON list of operations"};
  }
  Result<TransformsConfig> config = transforms_from_json(text.str());
  if (!config.ok()) {
    Error error = config.error();
    error.message = path + ": " + error.message;
    return error;
  }
  return config;
}

}  // namespace penstock::cli
