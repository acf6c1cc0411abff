#include "formats/image_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "core/parallel_for.hpp"
#include "core/usable_cores.hpp"
#include "formats/fingerprint.hpp"
#include "formats/folder_scan.hpp"
#include "formats/header_sizes.hpp"
#include "formats/index_cache.hpp"
#include "formats/table_base.hpp"
#include "formats/tar_fields.hpp"
#include "formats/text.hpp"
#include "io/file_identity.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kLabelSize = 8;

/// All paths in one run of bytes: a million samples are a few allocations.
class PathList {
 public:
  void add(std::string_view folder, std::string_view path) {
    if (!folder.empty()) {
      bytes_ += folder;
      bytes_ += '/';
    }
    bytes_ += path;
    ends_.push_back(bytes_.size());
  }
  std::size_t size() const noexcept { return ends_.size(); }
  std::string_view operator[](std::size_t i) const noexcept {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> ends_;
};

/// What the samples of a folder are, and how messages name it.
struct Content {
  FieldKind kind;
  const char* field;
  const char* one;
  const char* many;
  const char* extensions;
  FoundKind FoundFiles::*found;
};

constexpr Content kImages = {FieldKind::image,   "image", "image", "images", "jpg, jpeg, png and webp",
                             &FoundFiles::images};
constexpr Content kRecordings = {
    FieldKind::audio,       "audio", "recording", "recordings", "wav, flac, ogg, opus and mp3",
    &FoundFiles::recordings};

struct Contents {
  const Content* content = &kImages;
  PathList paths;                     ///< relative to the root
  std::vector<std::uint32_t> labels;  ///< empty without classes
  std::vector<std::string> classes;
  std::vector<std::string> warnings;
};

/// Which samples keep their extension in the key, because without it two would have the same.
std::vector<bool> keys_with_extension(const PathList& paths) {
  std::vector<bool> whole(paths.size(), false);
  const auto key = [&](std::size_t i) { return whole[i] ? paths[i] : without_extension(paths[i]); };
  for (bool changed = true; changed;) {
    changed = false;
    std::unordered_map<std::string_view, std::size_t> seen;
    seen.reserve(paths.size());
    std::vector<std::size_t> clashing;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const auto [entry, is_new] = seen.try_emplace(key(i), i);
      if (!is_new) {
        clashing.insert(clashing.end(), {i, entry->second});
      }
    }
    for (const std::size_t i : clashing) {
      changed = changed || !whole[i];
      whole[i] = true;
    }
  }
  return whole;
}

class ImageFolder final : public TableBase {
 public:
  ImageFolder(NamedPath root, Contents contents, std::vector<FieldSpec> specs)
      : TableBase(std::move(specs), std::move(contents.classes), std::move(contents.warnings)),
        root_(std::move(root)),
        opened_root_(root_.storage->absolute(root_.path)),
        contents_(std::move(contents)),
        whole_keys_(keys_with_extension(contents_.paths)) {}

  std::uint64_t size() const noexcept override { return contents_.paths.size(); }
  std::string key(std::uint64_t sample) const override {
    return sample < size() ? std::string(key_view(sample)) : std::string();
  }

  /// Every sample is an object of its own.
  Result<Location> locate(std::uint64_t sample, std::size_t field) const override {
    PENSTOCK_TRY(check_numbers(sample, field, root_.named));
    return is_label(field) ? Location(Number{contents_.labels[sample]})
                           : Location(Extent{.source = sample, .offset = 0, .size = Extent::kWhole});
  }

  NamedPath object(std::uint64_t source) const override {
    return {file_of(source), root_.named, root_.storage};
  }

  std::uint64_t stored_size(std::uint64_t sample, std::size_t field) const override {
    if (sample >= size() || field >= fields().size()) {
      return 0;
    }
    return is_label(field) ? kLabelSize : state_of(sample).size;
  }

  ImageSize image_size(std::uint64_t, std::size_t) const override { return {}; }

  ImageSize one_size(std::size_t field) const override {
    constexpr std::uint64_t kFirst = 16;  // tell most folders of different sizes
    if (field >= fields().size() || fields()[field].kind != FieldKind::image ||
        size_in_headers(*this, field, 0, std::min(kFirst, size())).width == 0) {
      return {};
    }
    const std::int64_t begun =
        std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
    const std::vector<FileIdentity> files = look_at_files();
    const std::string identity = identity_of(files);
    if (const std::optional<ImageSize> kept = kept_size(identity)) {
      return *kept;
    }
    const ImageSize found = size_in_headers(*this, field, 0, size());
    if (std::none_of(files.begin(), files.end(),
                     [begun](const FileIdentity& file) { return could_change_unnoticed(file, begun); })) {
      keep_size(identity, found);
    }
    return found;
  }

  Place place(std::uint64_t sample, std::size_t) const override {
    Place place{.source = root_.named,
                .shard = {},
                .offset = {},
                .key = key(sample),
                .index = sample,
                .stage = "read"};
    if (sample < size()) {
      place.shard = path_of(sample);
    }
    return place;
  }

  std::string fingerprint() const override {
    std::call_once(fingerprint_once_, [this] { fingerprint_ = compute_fingerprint(look_at_files()); });
    return fingerprint_;
  }

  std::string identity() const override {
    const std::vector<FileIdentity> files = look_at_files();
    std::call_once(fingerprint_once_, [&] { fingerprint_ = compute_fingerprint(files); });
    return identity_of(files);
  }

 private:
  Result<Bytes> fetch(const Extent& extent) const override {
    std::array<char, PATH_MAX> path;  // on the stack: reading takes no memory
    const auto end = fmt::format_to_n(path.data(), path.size() - 1, "{}/{}", opened_root_,
                                      contents_.paths[static_cast<std::size_t>(extent.source)]);
    *end.out = '\0';
    return root_.storage->read(path.data());
  }

  bool is_label(std::size_t field) const noexcept { return fields()[field].kind == FieldKind::integer; }

  std::string_view key_view(std::uint64_t sample) const noexcept {
    const std::string_view path = contents_.paths[sample];
    return whole_keys_[sample] ? path : without_extension(path);
  }

  /// For messages: as the user named it.
  std::string path_of(std::uint64_t sample) const {
    return fmt::format("{}/{}", root_.path, contents_.paths[sample]);
  }
  /// To be opened: files are, whenever they are read, and the process may have changed its folder since.
  std::string file_of(std::uint64_t sample) const {
    return fmt::format("{}/{}", opened_root_, contents_.paths[sample]);
  }

  /// What cannot be looked at cannot be read either, and counts as empty.
  FileIdentity state_of(std::uint64_t sample) const {
    auto state = root_.storage->stat(file_of(sample));
    return state.ok() && state->is_file() ? std::move(state->identity) : FileIdentity{};
  }

  /// One stat for each.
  std::vector<FileIdentity> look_at_files() const {
    constexpr std::size_t kRun = 1024;
    std::vector<FileIdentity> files(contents_.paths.size());
    parallel_for((files.size() + kRun - 1) / kRun, usable_cores(), [&](std::size_t run) {
      for (std::size_t i = run * kRun; i < std::min(files.size(), (run + 1) * kRun); ++i) {
        files[i] = state_of(i);
      }
    });
    return files;
  }

  std::string identity_of(const std::vector<FileIdentity>& files) const {
    SourceIdentity hash;
    hash.add(opened_root_, {});
    for (std::size_t i = 0; i < files.size(); ++i) {
      hash.add(contents_.paths[i], files[i]);
    }
    return hash.finish();
  }

  std::string compute_fingerprint(const std::vector<FileIdentity>& files) const {
    return fingerprint_of(
        files.size(), fields(), [this](std::uint64_t sample) { return key_view(sample); },
        [&](std::uint64_t sample, std::size_t field) {
          return std::optional<std::uint64_t>(is_label(field) ? kLabelSize : files[sample].size);
        });
  }

  NamedPath root_;
  std::string opened_root_;
  Contents contents_;
  std::vector<bool> whole_keys_;
  mutable std::once_flag fingerprint_once_;
  mutable std::string fingerprint_;
};

Error failure(const NamedPath& root, std::string message, std::string advice) {
  return {.kind = ErrorKind::not_found,
          .message = std::move(message),
          .advice = std::move(advice),
          .place = {.source = root.named, .shard = root.path, .stage = "open"}};
}

std::string undecodable_remark(const Content& content, std::uint64_t count, const std::string& first) {
  return fmt::format("{} {} are left out because their format is not supported (first: {}); supported are {}",
                     count, content.many, printable(first), content.extensions);
}

/// Images, unless there are none but recordings.
const Content& content_of(const std::vector<FoundFiles>& folders) {
  const auto has = [&folders](const Content& content) {
    return std::any_of(folders.begin(), folders.end(),
                       [&content](const FoundFiles& files) { return !(files.*content.found).paths.empty(); });
  };
  return !has(kImages) && has(kRecordings) ? kRecordings : kImages;
}

void warn_of_what_is_left_out(const std::vector<FoundFiles>& folders, std::uint64_t undecodable,
                              const std::string& first_undecodable, Contents& contents) {
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
void warn_of_splits(const std::vector<std::string>& classes, Contents& contents) {
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
Result<Contents> plain_contents(const NamedPath& root) {
  PENSTOCK_ASSIGN(FoundFiles files, find_files(*root.storage, root.path, false));
  const std::vector<FoundFiles> folders = {std::move(files)};
  Contents contents{
      .content = &content_of(folders), .paths = {}, .labels = {}, .classes = {}, .warnings = {}};
  const Content& content = *contents.content;
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
        fmt::format("images must be {} files, recordings {}", kImages.extensions, kRecordings.extensions));
  }
  warn_of_what_is_left_out(folders, found.undecodable, found.first_undecodable, contents);
  return contents;
}

Result<Contents> class_contents(const NamedPath& root, std::vector<std::string> classes) {
  std::vector<std::optional<Result<FoundFiles>>> results(classes.size());
  parallel_for(classes.size(), usable_cores(), [&](std::size_t i) {
    results[i].emplace(find_files(*root.storage, root.path + "/" + classes[i], true));
  });
  std::vector<FoundFiles> folders;
  for (auto& result : results) {
    PENSTOCK_ASSIGN(FoundFiles files, std::move(*result));
    folders.push_back(std::move(files));
  }
  Contents contents{
      .content = &content_of(folders), .paths = {}, .labels = {}, .classes = {}, .warnings = {}};
  const Content& content = *contents.content;
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
                    content.many, content.extensions));
  }
  warn_of_what_is_left_out(folders, undecodable, first_undecodable, contents);
  warn_of_splits(classes, contents);
  contents.classes = std::move(classes);
  return contents;
}

Result<Contents> contents_of(const NamedPath& root) {
  PENSTOCK_ASSIGN(FolderNames names, list_folder(*root.storage, root.path));
  if (names.folders.empty()) {
    return plain_contents(root);
  }
  PENSTOCK_ASSIGN(Contents contents, class_contents(root, std::move(names.folders)));
  PENSTOCK_ASSIGN(const FoundFiles beside, find_files(*root.storage, root.path, false));
  if (const std::size_t count = (beside.*contents.content->found).paths.size(); count > 0) {
    contents.warnings.push_back(fmt::format(
        "{} {} beside the class folders belong to no class and are left out", count, contents.content->many));
  }
  return contents;
}

Result<bool> recognise_folder(const Candidate& candidate, bool /*among_many*/) {
  return candidate.is_folder();
}

Result<std::unique_ptr<SampleTable>> open_one_folder(const std::vector<NamedPath>& sources,
                                                     const FieldChoice& choice) {
  return open_image_folder(sources.front(), choice);
}

}  // namespace

const Format kClassFolderFormat = {
    .name = "class folders",
    .recognise = recognise_folder,
    .open = open_one_folder,
    .alone = Format::Alone{.what = "a folder without tar shards",
                           .advice = "to open class folders, pass the folder that contains them all"}};

Result<std::unique_ptr<SampleTable>> open_image_folder(const NamedPath& root, const FieldChoice& choice) {
  auto looked_through = contents_of(root);
  if (!looked_through.ok()) {
    Error error = std::move(looked_through).error();
    error.place.source = root.named;
    return error;
  }
  Contents contents = std::move(looked_through).value();
  const Content& content = *contents.content;
  std::vector<FieldSpec> all = {FieldSpec::of({content.field, content.kind})};
  if (!contents.classes.empty()) {
    all.push_back(FieldSpec::of({"label", FieldKind::integer}, FieldSpec::Encoding::number));
  }
  PENSTOCK_ASSIGN(const std::vector<ChosenField> chosen,
                  choose_fields(all, choice, fmt::format("a folder of {}", content.many), root.named));
  std::vector<FieldSpec> specs;
  for (const ChosenField& field : chosen) {
    specs.push_back(field.spec);
  }
  return std::unique_ptr<SampleTable>(
      std::make_unique<ImageFolder>(root, std::move(contents), std::move(specs)));
}

}  // namespace penstock::inline v0
