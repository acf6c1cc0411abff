// Whose files are used.

#include "io/trust.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;

constexpr ::uid_t kStranger = 54321;
constexpr ::gid_t kTheirGroup = 54322;

TEST(trust, is_in_oneself_and_root) {
  const Trust trust;
  EXPECT_EQ(trust.objection({::geteuid(), kTheirGroup, 0755}, true), "");
  EXPECT_EQ(trust.objection({0, kTheirGroup, 0755}, true), "");
  EXPECT_THAT(trust.objection({kStranger, kTheirGroup, 0700}, false), HasSubstr("belongs to user 54321"));
}

TEST(trust, ends_where_others_can_write) {
  const Trust trust;
  EXPECT_THAT(trust.objection({::geteuid(), kTheirGroup, 0775}, false), HasSubstr("by group 54322"));
  EXPECT_THAT(trust.objection({::geteuid(), kTheirGroup, 0757}, false), HasSubstr("by everyone"));
  EXPECT_EQ(trust.folder_objection({0, 0, 01777}), "") << "/tmp";
  EXPECT_THAT(trust.folder_objection({0, 0, 0777}), HasSubstr("by everyone"));
  EXPECT_THAT(trust.folder_objection({kStranger, kTheirGroup, 01755}), HasSubstr("belongs to"));
}

TEST(trust, goes_to_those_who_are_named) {
  const Trust user = Trust::parse("user:54321").value();
  EXPECT_EQ(user.objection({kStranger, kTheirGroup, 0755}, true), "");
  EXPECT_NE(user.objection({kStranger, kTheirGroup, 0775}, true), "");
  EXPECT_NE(user.objection({kStranger + 1, kTheirGroup, 0755}, true), "");
  const Trust team = Trust::parse("user:7, group:54322").value();
  EXPECT_EQ(team.objection({kStranger, kTheirGroup, 0775}, false), "");
  EXPECT_NE(team.objection({kStranger, kTheirGroup + 1, 0755}, false), "");
  EXPECT_TRUE(team.names_group(kTheirGroup));
  EXPECT_FALSE(team.names_group(0));
}

TEST(trust, in_a_group_proves_nothing_where_strangers_can_make_files) {
  // A folder with the setgid bit gives its group to whatever anybody makes in it.
  const Trust team = Trust::parse("group:54322").value();
  EXPECT_NE(team.objection({kStranger, kTheirGroup, 0755}, true), "");
}

TEST(trust, refuses_what_names_nobody) {
  for (const char* text : {"", "alice", "user:", "user:root,", "team:x", "user:no such user here",
                           "group:no such group here", ":", "user:-1"}) {
    const auto trust = Trust::parse(text);
    ASSERT_FALSE(trust) << text;
    EXPECT_EQ(trust.error().kind, ErrorKind::invalid);
    EXPECT_THAT(trust.error().message, HasSubstr("cache_trust"));
  }
  EXPECT_TRUE(Trust::parse("user:root"));
}

}  // namespace
}  // namespace penstock::inline v0
