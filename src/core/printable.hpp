#pragma once
// Text from outside (keys, paths, names of fields) as people may be shown it. Any thread.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace penstock::inline v0 {

/// Whether a character of Unicode may stand as it is on a terminal and in a line of a log: no control
/// character (C0, DEL, C1), no separator of lines or paragraphs, and none that changes the direction of what
/// follows (Unicode's Bidi_Control).
bool is_harmless(std::uint32_t code) noexcept;

/// A name, on one line: what is not harmless becomes an escape such as \n, \x1b, \u202e, a byte that is not
/// UTF-8 \xff, and a backslash \\, so that no two names look the same. Of a name longer than `longest` bytes
/// the middle is left out ("begin...end"), between characters.
std::string printable(std::string_view name, std::size_t longest = 120);

/// The same of a path, of which people want up to 1000 bytes.
std::string printable_path(std::string_view path);

/// The same of a sentence that may hold names made printable: backslashes stay, so that a second call changes
/// nothing.
std::string printable_line(std::string_view line, std::size_t longest = std::string_view::npos);

/// The same of a text of several lines, such as a traceback: line feeds and tabs stay too, and nothing is
/// left out.
std::string printable_lines(std::string_view text);

}  // namespace penstock::inline v0
