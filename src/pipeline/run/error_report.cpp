#include "pipeline/run/error_report.hpp"

#include <utility>

#include "formats/json.hpp"
#include "io/folder.hpp"

namespace penstock::inline v0 {
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

std::string ErrorReport::add(const Error& error, std::uint64_t epoch, bool replaced) {
  if (given_up_) {
    return "";
  }
  const auto give_up = [this](Error failure) {
    given_up_ = true;
    failure.message = "bad samples are no longer written down: " + failure.message;
    failure.place.shard = path_;
    return failure.to_string();
  };
  if (!file_) {
    const auto [above, name] = split_path(path_);
    const auto folder = Folder::open(above, {.permissions = {.folders = 0700, .files = 0644}});
    Result<LineFile> opened = folder ? folder->open_lines(name) : Result<LineFile>(folder.error());
    if (!opened) {
      return give_up(std::move(opened).error());
    }
    file_.emplace(std::move(opened).value());
  }
  Status written = file_->add(line_of(error, epoch, replaced));
  return written ? "" : give_up(std::move(written).error());
}

}  // namespace penstock::inline v0
