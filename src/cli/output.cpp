#include "cli/output.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>

#include "cli/verbs.hpp"

namespace penstock::cli {
namespace {

volatile sig_atomic_t interrupt_count = 0;

void on_interrupt(int) {
  interrupt_count = 1;
  ::signal(SIGINT, SIG_DFL);
}

}  // namespace

void print_document(const Json& document) { fmt::print("{}\n", document.text(2)); }

Json as_json(const Error& error) {
  const Place& place = error.place;
  const auto text = [](const std::string& words) { return words.empty() ? Json() : Json(words); };
  return Json::Members{
      {"kind", name_of(error.kind)},  {"message", error.message},
      {"advice", text(error.advice)}, {"source", text(place.source)},
      {"shard", text(place.shard)},   {"offset", place.offset ? Json(*place.offset) : Json()},
      {"key", text(place.key)},       {"index", place.index ? Json(*place.index) : Json()},
      {"stage", text(place.stage)}};
}

Json as_json(const std::vector<std::string>& lines) { return Json::List(lines.begin(), lines.end()); }

void print_warnings(const std::vector<std::string>& warnings, bool json) {
  for (std::size_t i = 0; i < warnings.size() && !json; ++i) {
    print_line(stderr, "warning: {}", warnings[i]);
  }
}

int fail(const Error& error, bool json) {
  if (json) {
    print_document(Json::Members{{"error", as_json(error)}});
  } else {
    fmt::print(stderr, "penstock: {}\n", error.to_string());
  }
  const bool usage = error.kind == ErrorKind::invalid || error.kind == ErrorKind::not_found;
  return usage ? kWrongUsage : kFinding;
}

std::vector<std::pair<std::string, std::string>> field_choice(const std::vector<std::string>& given) {
  std::vector<std::pair<std::string, std::string>> choice;
  for (const std::string& field : given) {
    const std::size_t equals = field.find('=');
    choice.emplace_back(field.substr(0, equals),
                        equals == std::string::npos ? field : field.substr(equals + 1));
  }
  return choice;
}

ProgressLine::ProgressLine(bool wanted) : on_(wanted && ::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (shown_) {
    fmt::print(stderr, "\r\x1b[K");
  }
}

void ProgressLine::show(std::uint64_t done, std::uint64_t total, const std::string& rest) {
  constexpr auto kBetween = std::chrono::milliseconds(100);
  constexpr int kWidth = 30;
  const auto now = std::chrono::steady_clock::now();
  if (!on_ || now - last_ < kBetween) {
    return;
  }
  last_ = now;
  shown_ = true;
  const double share = total == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total);
  const int filled = static_cast<int>(share * kWidth);
  fmt::print(stderr, "\r\x1b[K[{:#<{}}{:.<{}}] {}/{}{}", "", filled, "", kWidth - filled, done, total, rest);
  std::fflush(stderr);
}

void catch_interrupt() {
  interrupt_count = 0;
  ::signal(SIGINT, on_interrupt);
}

bool interrupted() noexcept { return interrupt_count != 0; }

}  // namespace penstock::cli
