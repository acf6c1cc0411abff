#pragma once
// The catalogue of formats: how each is recognised and opened.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/folder_scan.hpp"
#include "formats/named_path.hpp"
#include "formats/sample_table.hpp"
#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// What a name of the user stands for, before anybody knows its format. It lists and opens what a format asks
/// to see, once. One thread.
class Candidate {
 public:
  explicit Candidate(NamedPath path);

  const NamedPath& path() const noexcept { return path_; }
  bool is_folder() const noexcept { return is_folder_; }
  /// What lies directly in the folder, hidden names left out.
  const Result<FolderNames>& names() const;
  /// The file itself; null if it is none or cannot be opened: who opens it then says why.
  const Source* file() const;
  /// The first bytes of a file in the folder, fewer if it has no more of them; none if it cannot be opened.
  Result<Bytes> first_bytes_of(const std::string& name, std::uint64_t size) const;

 private:
  NamedPath path_;
  bool is_folder_;
  mutable std::optional<Result<FolderNames>> names_;
  mutable std::optional<SourcePtr> file_;
};

/// A plain value.
struct Format {
  /// Why one is not opened together with other sources.
  struct Alone {
    const char* what = nullptr;  ///< "a store"
    const char* advice = nullptr;
  };

  const char* name;
  /// By listing and first bytes; the error is that of reading them. `among_many`: there are other sources
  /// beside it, perhaps thousands, so that names must be enough where they can be.
  Result<bool> (*recognise)(const Candidate& candidate, bool among_many);
  /// All of them are of this format: one if `alone` is set.
  Result<std::unique_ptr<SampleTable>> (*open)(const std::vector<NamedPath>& sources,
                                               const OpenOptions& options);
  std::optional<Alone> alone{};
};

/// All of them. A candidate is of the first one that recognises it.
std::span<const Format* const> formats();

/// The format of `catalogue` that all sources have, of which there is at least one. `unsupported` if they
/// differ in format, if one that is opened alone is among several, or if no format recognises one of them.
Result<const Format*> find_format(const std::vector<NamedPath>& sources,
                                  std::span<const Format* const> catalogue);

}  // namespace penstock::inline v0
