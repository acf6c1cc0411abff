#include "pipeline/run/error_report.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "formats/json.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

TEST(ErrorReport, several_writers_share_a_file_without_mixing_lines) {
  constexpr std::uint64_t kWriters = 4;
  constexpr std::uint64_t kLines = 300;
  const TemporaryFolder folder;
  const std::string path = folder / "bad.jsonl";
  std::vector<std::thread> writers;
  for (std::uint64_t writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&path, writer] {
      ErrorReport report(path);  // with a descriptor of its own, as another process would
      for (std::uint64_t line = 0; line < kLines; ++line) {
        const Error error{.kind = ErrorKind::io,
                          .message = std::string(100 + 13 * line, static_cast<char>('a' + writer)),
                          .place = {.key = "quote \" and newline \n and byte \xff", .index = line}};
        EXPECT_EQ(report.add(error, writer, false), "");
      }
    });
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
  std::ifstream file(path);
  std::map<std::uint64_t, std::uint64_t> next;  // of each writer
  for (std::string line; std::getline(file, line);) {
    const Result<Json> parsed = Json::parse(line);
    ASSERT_TRUE(parsed) << line;
    const std::uint64_t writer = parsed->find("epoch")->whole().value();
    ASSERT_EQ(parsed->find("index")->whole(), next[writer]++);
    ASSERT_EQ(*parsed->find("key")->string(), "quote \" and newline \n and byte \xff");
  }
  ASSERT_EQ(next.size(), kWriters);
  for (const auto& [writer, lines] : next) {
    EXPECT_EQ(lines, kLines);
  }
}

}  // namespace
}  // namespace penstock::inline v0
