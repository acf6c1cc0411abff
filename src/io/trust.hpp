#pragma once
// Whose files are used as if they were one's own.

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "penstock/result.hpp"

namespace penstock::inline v0 {

/// Who may have written a file or folder, as its inode says.
struct Ownership {
  ::uid_t user = 0;
  ::gid_t group = 0;
  ::mode_t mode = 0;  ///< permission bits
};

/// Root, the effective user and the effective user's private group, and the users and groups that were named.
/// A plain value.
class Trust {
 public:
  Trust();
  /// "user:alice, group:team", by name or by number. `invalid` for anything else and for unknown names.
  static Result<Trust> parse(std::string_view list);

  /// Whether people who are not trusted may write to it.
  bool writable_by_others(const Ownership& found) const;
  /// Why an entry of a folder is not to be used; empty if it may be. In a folder where strangers can make
  /// entries too (`shared`) the group of an entry says nothing: a folder may pass its group on.
  std::string objection(const Ownership& found, bool shared) const;
  /// Why the entries of a folder could be replaced by strangers at any time; empty if they cannot.
  std::string folder_objection(const Ownership& found) const;
  /// Whether the group was named.
  bool names_group(::gid_t group) const;

 private:
  std::vector<::uid_t> users_;
  std::vector<::gid_t> named_;
};

}  // namespace penstock::inline v0
