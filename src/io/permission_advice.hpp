#pragma once
// The advice of a file_error() where the system refused access.

namespace penstock::inline v0 {

inline constexpr const char* kCheckPermissions = "check the permissions";

}  // namespace penstock::inline v0
