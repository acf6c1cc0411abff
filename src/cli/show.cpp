#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cli/output.hpp"
#include "cli/verbs.hpp"

namespace penstock::cli {
namespace {

/// The Python that this program was installed beside; else the first on the PATH.
std::string python_beside() {
  std::error_code problem;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (!problem && ::access((program.parent_path() / "python3").c_str(), X_OK) == 0) {
    return program.parent_path() / "python3";
  }
  return "python3";
}

/// Becomes the Python package's own program, which draws the sheet with Pillow, reads its arguments and knows
/// its help; returns only if that could not be started.
int run(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {python_beside(), "-m", "penstock._show_program"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  return fail({.kind = ErrorKind::unsupported,
               .message = fmt::format("cannot start {}: {}", words[0], std::strerror(errno)),
               .advice = "penstock show needs Python with the package penstock and Pillow"},
              false);
}

}  // namespace

void add_show(CLI::App& app, int& code) {
  CLI::App* const verb = app.add_subcommand(
      "show",
      "draw images, masks, boxes and what transforms make of them on a contact sheet (see show --help)");
  verb->set_help_flag();
  verb->prefix_command();
  verb->callback([verb, &code] { code = run(verb->remaining()); });
}

}  // namespace penstock::cli
