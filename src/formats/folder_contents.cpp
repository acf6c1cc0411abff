#include "formats/folder_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "codecs/audio_catalog.hpp"
#include "codecs/catalog.hpp"
#include "core/parallel_for.hpp"
#include "core/usable_cores.hpp"
#include "formats/text.hpp"

namespace penstock::inline v0 {
namespace {

constexpr FolderContent kImages = {
    .kind = FieldKind::image,
    .field = "image",
    .one = "image",
    .many = "images",
    .extensions = [] { return in_words(image_catalog().readable_extensions()); },
    .found = &FoundFiles::images};
constexpr FolderContent kRecordings = {
    .kind = FieldKind::audio,
    .field = "audio",
    .one = "recording",
    .many = "recordings",
    .extensions = [] { return in_words(audio_catalog().readable_extensions()); },
    .found = &FoundFiles::recordings};

Error failure(const NamedPath& root, std::string message, std::string advice) {
  return {.kind = ErrorKind::not_found,
          .message = std::move(message),
          .advice = std::move(advice),
          .place = {.source = root.named, .shard = root.path, .stage = "open"}};
}

std::string undecodable_remark(const FolderContent& content, std::uint64_t count, const std::string& first) {
  return fmt::format("{} {} are left out because their format is not supported (first: {}); supported are {}",
                     count, content.many, printable(first), content.extensions());
}

/// Images, unless there are none but recordings.
const FolderContent& content_of(const std::vector<FoundFiles>& folders) {
  const auto has = [&folders](const FolderContent& content) {
    return std::any_of(folders.begin(), folders.end(),
                       [&content](const FoundFiles& files) { return !(files.*content.found).paths.empty(); });
  };
  return !has(kImages) && has(kRecordings) ? kRecordings : kImages;
}

void warn_of_what_is_left_out(const std::vector<FoundFiles>& folders, std::uint64_t undecodable,
                              const std::string& first_undecodable, FolderContents& contents) {
  if (undecodable > 0) {
    contents.warnings.push_back(undecodable_remark(*contents.content, undecodable, first_undecodable));
  }
  std::size_t recordings = 0;
  for (const FoundFiles& files : folders) {
    recordings += contents.content == &kImages ? files.recordings.paths.size() : 0;
  }
  if (recordings > 0) {
    contents.warnings.push_back(fmt::format("{} recordings beside the images are left out", recordings));
  }
}

/// Folders that are named as parts of a data set are classes as all others are, and hardly meant so.
void warn_of_splits(const std::vector<std::string>& classes, FolderContents& contents) {
  constexpr std::array<std::string_view, 9> kSplits = {"train", "training",   "test", "testing", "val",
                                                       "valid", "validation", "dev",  "eval"};
  std::string names;
  std::size_t count = 0;
  for (const std::string& name : classes) {
    if (std::find(kSplits.begin(), kSplits.end(), lower_case(name)) != kSplits.end()) {
      names += (count++ == 0 ? "'" : ", '") + printable(name) + "'";
    }
  }
  // One among others may be a class: trains beside buses.
  if (count >= 2 || (count > 0 && count == classes.size())) {
    contents.warnings.push_back(fmt::format(
        "the folders {} are treated as classes; to read one part of a data set, open its folder", names));
  }
}

/// Files of the root alone, without classes.
Result<FolderContents> plain_contents(const NamedPath& root) {
  PENSTOCK_ASSIGN(FoundFiles files, find_files(*root.storage, root.path, false));
  const std::vector<FoundFiles> folders = {std::move(files)};
  FolderContents contents{
      .content = &content_of(folders), .paths = {}, .labels = {}, .classes = {}, .warnings = {}};
  const FolderContent& content = *contents.content;
  const FoundKind& found = folders.front().*content.found;
  for (const std::string& path : found.paths) {
    contents.paths.add("", path);
  }
  if (found.paths.empty()) {
    return failure(
        root,
        found.undecodable == 0
            ? "the folder holds no tar shards, no class folders and no images or recordings"
            : fmt::format("the folder holds {} images, none in a supported format", found.undecodable),
        fmt::format("images must be {} files, recordings {}", kImages.extensions(),
                    kRecordings.extensions()));
  }
  warn_of_what_is_left_out(folders, found.undecodable, found.first_undecodable, contents);
  return contents;
}

Result<FolderContents> class_contents(const NamedPath& root, std::vector<std::string> classes) {
  std::vector<std::optional<Result<FoundFiles>>> results(classes.size());
  parallel_for(classes.size(), usable_cores(), [&](std::size_t i) {
    results[i].emplace(find_files(*root.storage, root.path + "/" + classes[i], true));
  });
  std::vector<FoundFiles> folders;
  for (auto& result : results) {
    PENSTOCK_ASSIGN(FoundFiles files, std::move(*result));
    folders.push_back(std::move(files));
  }
  FolderContents contents{
      .content = &content_of(folders), .paths = {}, .labels = {}, .classes = {}, .warnings = {}};
  const FolderContent& content = *contents.content;
  std::vector<std::string> empty;
  std::uint64_t undecodable = 0;
  std::string first_undecodable;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const FoundKind& found = folders[c].*content.found;
    if (found.undecodable > 0 && undecodable == 0) {
      first_undecodable = classes[c] + "/" + found.first_undecodable;
    }
    undecodable += found.undecodable;
    if (found.paths.empty()) {
      empty.push_back(classes[c]);
    }
    for (const std::string& path : found.paths) {
      contents.paths.add(classes[c], path);
      contents.labels.push_back(static_cast<std::uint32_t>(c));
    }
  }
  if (!empty.empty()) {
    return failure(
        root,
        fmt::format("{} of {} class folders hold no {} (first: '{}')", empty.size(), classes.size(),
                    content.one, printable(empty[0])),
        fmt::format("every folder counts as a class; remove those that are not; {} must be {} files",
                    content.many, content.extensions()));
  }
  warn_of_what_is_left_out(folders, undecodable, first_undecodable, contents);
  warn_of_splits(classes, contents);
  contents.classes = std::move(classes);
  return contents;
}

}  // namespace

Result<FolderContents> contents_of(const NamedPath& root) {
  PENSTOCK_ASSIGN(FolderNames names, list_folder(*root.storage, root.path));
  if (names.folders.empty()) {
    return plain_contents(root);
  }
  PENSTOCK_ASSIGN(FolderContents contents, class_contents(root, std::move(names.folders)));
  PENSTOCK_ASSIGN(const FoundFiles beside, find_files(*root.storage, root.path, false));
  if (const std::size_t count = (beside.*contents.content->found).paths.size(); count > 0) {
    contents.warnings.push_back(fmt::format(
        "{} {} beside the class folders belong to no class and are left out", count, contents.content->many));
  }
  return contents;
}

}  // namespace penstock::inline v0
