#include "pipeline/error_report.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "formats/json.hpp"
#include "io/file.hpp"

namespace penstock {
namespace {

Json known(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json known(const std::optional<std::uint64_t>& number) { return number ? Json(*number) : Json(); }

std::string line_of(const Error& error, std::uint64_t epoch, bool replaced) {
  return Json(Json::Members{{"epoch", epoch},
                            {"index", known(error.place.index)},
                            {"key", known(error.place.key)},
                            {"kind", name_of(error.kind)},
                            {"message", error.message},
                            {"stage", known(error.place.stage)},
                            {"source", known(error.place.source)},
                            {"shard", known(error.place.shard)},
                            {"offset", known(error.place.offset)},
                            {"replaced", replaced}})
             .text() +
         "\n";
}

}  // namespace

ErrorReport::ErrorReport(const std::string& path) : path_(absolute_path(path)) {}

ErrorReport::~ErrorReport() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

std::string ErrorReport::add(const Error& error, std::uint64_t epoch, bool replaced) {
  if (given_up_) {
    return "";
  }
  const auto give_up = [this](int error_number) {
    given_up_ = true;
    return file_error(error_number, "bad samples are no longer written down", path_).to_string();
  };
  if (descriptor_ < 0) {
    // Not blocking: a FIFO without a reader must not hold up training.
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
    if (descriptor_ < 0) {
      return give_up(errno);
    }
  }
  const std::string line = line_of(error, epoch, replaced);
  ssize_t written = 0;
  do {
    written = ::write(descriptor_, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written != static_cast<ssize_t>(line.size())) {
    return give_up(written < 0 ? errno : ENOSPC);
  }
  return "";
}

}  // namespace penstock
