#include "store/audio_build_names.hpp"

#include <string_view>
#include <vector>

#include "core/sha256.hpp"
#include "formats/sample_table.hpp"
#include "io/file_identity.hpp"
#include "io/storage.hpp"

namespace penstock::inline v0 {
namespace {

class BuildHash {
 public:
  /// To both names.
  void add(std::string_view text) {
    add_to(contents_, text);
    add_to(files_, text);
  }
  /// To the name of the source as it is now.
  void add_identity(std::string_view identity) { add_to(files_, identity); }
  AudioBuildNames names() {
    return {.contents = to_hex(contents_.finish()), .files = to_hex(files_.finish())};
  }

 private:
  static void add_to(Sha256& hash, std::string_view text) {
    hash.update(std::to_string(text.size())).update(":").update(text);
  }

  Sha256 contents_;
  Sha256 files_;
};

void add_table(const AudioFiles& files, BuildHash& hash) {
  const SampleTable& table = *files.table;
  hash.add(table.fingerprint());
  hash.add(table.fields()[files.field].name);
  for (std::size_t i = 0; i < files.labels.size(); ++i) {
    hash.add(files.label_name(i));
  }
  hash.add_identity(table.identity());
}

}  // namespace

AudioBuildNames audio_build_names(const AudioFiles& files, const std::string& configuration) {
  BuildHash hash;
  hash.add(configuration);
  if (files.table != nullptr) {
    add_table(files, hash);
    return hash.names();
  }
  SourceIdentity identity;
  for (std::size_t i = 0; i < files.keys.size(); ++i) {
    const auto found = files.storage->stat(files.path(i));
    // What cannot be looked at is bad in its turn.
    const FileIdentity state = found.ok() && found->is_file() ? found->identity : FileIdentity{};
    hash.add(files.keys[i]);
    hash.add(std::to_string(state.size));
    identity.add(files.keys[i], state);
  }
  hash.add_identity(identity.finish());
  return hash.names();
}

}  // namespace penstock::inline v0
