#include "store/sound_build_names.hpp"

#include <fmt/format.h>

#include <numeric>
#include <string_view>
#include <vector>

#include "core/sha256.hpp"
#include "formats/sample_table.hpp"
#include "io/file.hpp"

namespace penstock {
namespace {

class BuildHash {
 public:
  /// To both names.
  void add(std::string_view text) {
    add_to(contents_, text);
    add_to(files_, text);
  }
  /// To the name of the source as it is now. What cannot be looked at is bad in its turn.
  void add_state(const FileState& state) {
    add_to(files_, fmt::format("{} {} {}", state.size, state.modified, state.changed));
  }
  SoundBuildNames names() {
    return {.contents = to_hex(contents_.finish()), .files = to_hex(files_.finish())};
  }

 private:
  static void add_to(Sha256& hash, std::string_view text) {
    hash.update(std::to_string(text.size())).update(":").update(text);
  }

  Sha256 contents_;
  Sha256 files_;
};

FileState state_or_none(const std::string& path) {
  const auto state = file_state(path);
  return state.ok() ? *state : FileState{};
}

void add_table(const SoundFiles& files, BuildHash& hash) {
  const SampleTable& table = *files.table;
  hash.add(table.fingerprint());
  hash.add(table.fields()[files.field].name);
  for (std::size_t i = 0; i < files.labels.size(); ++i) {
    hash.add(files.label_name(i));
  }
  std::vector<std::uint64_t> starts = table.shard_starts();
  if (starts.empty()) {  // every sample has a file of its own
    starts.resize(files.keys.size());
    std::iota(starts.begin(), starts.end(), 0);
  }
  for (const std::uint64_t sample : starts) {
    hash.add_state(state_or_none(table.place(sample, files.field).shard));
  }
}

}  // namespace

SoundBuildNames sound_build_names(const SoundFiles& files, const std::string& configuration) {
  BuildHash hash;
  hash.add(configuration);
  if (files.table != nullptr) {
    add_table(files, hash);
    return hash.names();
  }
  for (std::size_t i = 0; i < files.keys.size(); ++i) {
    const FileState state = state_or_none(files.path(i));
    hash.add(files.keys[i]);
    hash.add(std::to_string(state.size));
    hash.add_state(state);
  }
  return hash.names();
}

}  // namespace penstock
