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
#include "formats/folder_contents.hpp"
#include "formats/header_sizes.hpp"
#include "formats/index_cache.hpp"
#include "formats/table_base.hpp"
#include "formats/tar_fields.hpp"
#include "io/file_identity.hpp"

namespace penstock::inline v0 {
namespace {

constexpr std::uint64_t kLabelSize = 8;

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
  ImageFolder(NamedPath root, FolderContents contents, std::vector<FieldSpec> specs)
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
    return is_label(field) ? Location(Number(std::int64_t{contents_.labels[sample]}))
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
        size_in_headers(first_bytes(), 0, std::min(kFirst, size())).width == 0) {
      return {};
    }
    const std::int64_t begun =
        std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
    const std::vector<FileIdentity> files = look_at_files();
    const std::string identity = identity_of(files);
    if (const std::optional<ImageSize> kept = kept_size(identity)) {
      return *kept;
    }
    const ImageSize found = size_in_headers(first_bytes(), 0, size());
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

  FirstBytes first_bytes() const {
    return [this](std::uint64_t sample, std::uint64_t size) {
      return root_.storage->read_start(file_of(sample).c_str(), size);
    };
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
  FolderContents contents_;
  std::vector<bool> whole_keys_;
  mutable std::once_flag fingerprint_once_;
  mutable std::string fingerprint_;
};

Result<bool> recognise_folder(const Candidate& candidate, bool /*among_many*/) {
  return candidate.is_folder();
}

Result<std::unique_ptr<SampleTable>> open_one_folder(const std::vector<NamedPath>& sources,
                                                     const OpenOptions& options) {
  return open_image_folder(sources.front(), options);
}

}  // namespace

const Format kClassFolderFormat = {
    .name = "class folders",
    .recognise = recognise_folder,
    .open = open_one_folder,
    .alone = Format::Alone{.what = "a folder without tar shards",
                           .advice = "to open class folders, pass the folder that contains them all"}};

Result<std::unique_ptr<SampleTable>> open_image_folder(const NamedPath& root, const OpenOptions& options) {
  auto looked_through = contents_of(root);
  if (!looked_through.ok()) {
    Error error = std::move(looked_through).error();
    error.place.source = root.named;
    return error;
  }
  FolderContents contents = std::move(looked_through).value();
  const FolderContent& content = *contents.content;
  std::vector<FieldSpec> all = {FieldSpec::of({content.field, content.kind})};
  if (!contents.classes.empty()) {
    all.push_back(FieldSpec::of({"label", FieldKind::integer}, FieldSpec::Encoding::number));
  }
  PENSTOCK_ASSIGN(
      const std::vector<ChosenField> chosen,
      choose_fields(all, options.fields, fmt::format("a folder of {}", content.many), root.named));
  std::vector<FieldSpec> specs;
  for (const ChosenField& field : chosen) {
    specs.push_back(field.spec);
  }
  return std::unique_ptr<SampleTable>(
      std::make_unique<ImageFolder>(root, std::move(contents), std::move(specs)));
}

}  // namespace penstock::inline v0
