#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "formats/format.hpp"
#include "io/memory_storage_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;

/// A format by the end of a name, for the choice alone.
template <char kEnd>
Result<bool> ends_with(const Candidate& candidate, bool /*among_many*/) {
  return candidate.path().path.ends_with(kEnd);
}

Result<std::unique_ptr<SampleTable>> never_opened(const std::vector<NamedPath>&, const OpenOptions&) {
  return Error{.kind = ErrorKind::invalid, .message = "opened"};
}

constexpr Format kA{.name = "a", .recognise = ends_with<'a'>, .open = never_opened};
constexpr Format kB{.name = "b", .recognise = ends_with<'b'>, .open = never_opened};
constexpr Format kAlone{.name = "alone",
                        .recognise = ends_with<'c'>,
                        .open = never_opened,
                        .alone = Format::Alone{.what = "a c", .advice = "open it alone"}};
constexpr std::array kFormats = {&kA, &kB, &kAlone};

Result<const Format*> format_of_names(const std::vector<std::string>& names) {
  const auto memory = std::make_shared<MemoryStorage>();
  std::vector<NamedPath> sources;
  for (const std::string& name : names) {
    sources.push_back({.path = name, .named = name, .storage = memory});
  }
  return find_format(sources, kFormats);
}

TEST(find_format, takes_the_one_that_all_sources_have) {
  EXPECT_EQ(format_of_names({"1.a"}).value(), &kA);
  EXPECT_EQ(format_of_names({"1.b", "2.b", "3.b"}).value(), &kB);
  EXPECT_EQ(format_of_names({"1.c"}).value(), &kAlone);
}

TEST(find_format, refuses_sources_of_different_formats) {
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"1.b", "2.a"}, {"1.b", "2.b", "2.a"}, {"1.b", "2.a", "3.b"}}) {
    const auto mixed = format_of_names(names);
    ASSERT_FALSE(mixed.ok());
    EXPECT_EQ(mixed.error().kind, ErrorKind::unsupported);
    EXPECT_EQ(mixed.error().message,
              "sources of different formats cannot be opened together: '1.b' (b), '2.a' (a)");
    EXPECT_EQ(mixed.error().place.source, "2.a");
  }
}

TEST(find_format, refuses_what_is_opened_alone_and_what_nobody_knows) {
  EXPECT_THAT(format_of_names({"1.a", "2.c"}).error().message, HasSubstr("'2.c' is a c, among 2 sources"));
  EXPECT_EQ(format_of_names({"1.a", "2.x"}).error().message, "the format of the source is not recognised");
}

}  // namespace
}  // namespace penstock::inline v0
