#pragma once
// A folder that may not be read, also where tests run as root.

#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {

/// Takes all rights from a folder inside `parent`, and the rights of root from this process, until the end.
class WithoutRights {
 public:
  WithoutRights(const TemporaryFolder& parent, std::string_view folder)
      : folder_(parent / folder), was_root_(::geteuid() == 0) {
    std::filesystem::permissions(parent.path(), std::filesystem::perms(0755));
    std::filesystem::permissions(folder_, std::filesystem::perms::none);
    ok_ = !was_root_ || ::seteuid(kNobody) == 0;
  }
  WithoutRights(const WithoutRights&) = delete;
  WithoutRights& operator=(const WithoutRights&) = delete;
  ~WithoutRights() {
    if (was_root_) {
      EXPECT_EQ(::seteuid(0), 0);
    }
    std::filesystem::permissions(folder_, std::filesystem::perms(0755));
  }

  bool ok() const { return ok_; }

 private:
  static constexpr ::uid_t kNobody = 65534;

  std::string folder_;
  bool was_root_;
  bool ok_ = false;
};

}  // namespace penstock::inline v0
