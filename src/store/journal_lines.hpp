#pragma once
// The lines of a journal: a checksum, a space, JSON. What both kinds of builds write theirs with.

#include <optional>
#include <string>
#include <string_view>

#include "io/disk_file.hpp"

namespace penstock::inline v0 {

/// The JSON text of a whole, undamaged line, given without its end.
std::optional<std::string_view> journal_text(std::string_view line);

Status append_journal_line(DiskFile& file, const std::string& json);

}  // namespace penstock::inline v0
