#include "io/storage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <map>

#include "io/faulty_storage_for_test.hpp"
#include "io/file_identity.hpp"
#include "io/memory_storage_for_test.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

/// The same answers from every storage, of a folder `root` with what put_objects() puts there.
void expect_storage(const Storage& storage, const std::string& root) {
  const auto listed = storage.list(root);
  ASSERT_TRUE(listed.ok()) << listed.error().to_string();
  EXPECT_THAT(*listed, ElementsAre(ListedObject{.name = ".hidden"}, ListedObject{.name = "a.txt"},
                                   ListedObject{.name = "b", .is_folder = true}));
  EXPECT_EQ(storage.list(root + "/none").error().kind, ErrorKind::not_found);

  EXPECT_TRUE(storage.stat(root + "/a.txt")->is_file());
  EXPECT_EQ(storage.stat(root + "/a.txt")->identity.size, 5u);
  EXPECT_TRUE(storage.stat(root + "/b")->is_folder());
  EXPECT_FALSE(storage.stat(root + "/none")->exists());
  EXPECT_FALSE(storage.stat(root + "/a.txt/none")->exists());

  const auto source = storage.open(root + "/a.txt", Access::normal);
  ASSERT_TRUE(source.ok()) << source.error().to_string();
  EXPECT_EQ((*source)->name(), root + "/a.txt");
  EXPECT_EQ((*source)->size(), 5u);
  EXPECT_EQ((*source)->identity(), storage.stat(root + "/a.txt")->identity);
  EXPECT_EQ(as_text(*(*source)->read(1, 3)), "ell");
  EXPECT_EQ((*source)->read(3, 3).error().kind, ErrorKind::corrupt);
  EXPECT_EQ(storage.open(root + "/none", Access::normal).error().kind, ErrorKind::not_found);

  const auto whole = storage.read(root + "/a.txt");
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(as_text(*whole), "hello");
  EXPECT_TRUE(whole->is_held());
  EXPECT_EQ(storage.read(root + "/none").error().kind, ErrorKind::not_found);
  EXPECT_EQ(as_text(*storage.read_start((root + "/a.txt").c_str(), 4)), "hell");
  EXPECT_EQ(as_text(*storage.read_start((root + "/a.txt").c_str(), 6)), "hello");
  EXPECT_TRUE(storage.read_start((root + "/a.txt").c_str(), 1)->is_held());
  EXPECT_EQ(storage.read_start((root + "/none").c_str(), 1).error().kind, ErrorKind::not_found);
  EXPECT_FALSE(storage.read_without_waiting(root + "/none"));
  storage.announce(root + "/none");
}

template <class Put>
void put_objects(Put&& put) {
  put("root/a.txt", "hello");
  put("root/.hidden", "x");
  put("root/b/c.txt", "deep");
}

class every_storage : public testing::TestWithParam<std::string> {};

TEST_P(every_storage, answers_alike) {
  const TemporaryFolder folder;
  // By scheme: puts the objects where the storage finds them, and gives the name of their folder.
  std::map<std::string, std::function<std::string()>> put;
  const auto to_files = [&folder] {
    put_objects([&folder](const char* path, const char* text) { folder.write(path, text); });
    return folder / "root";
  };
  put[""] = to_files;
  put["file"] = [&] { return "file://" + to_files(); };
  ASSERT_TRUE(put.contains(GetParam())) << "add what puts objects into this storage";
  const auto found = Storages::standard().find(put[GetParam()]());
  ASSERT_TRUE(found.ok()) << found.error().to_string();
  expect_storage(*found->storage, found->path);
}

INSTANTIATE_TEST_SUITE_P(standard, every_storage, testing::ValuesIn(Storages::standard().schemes()),
                         [](const auto& info) { return info.param.empty() ? "no_scheme" : info.param; });

TEST(storage, of_memory) {
  MemoryStorage memory;
  put_objects([&memory](const char* path, const char* text) { memory.put(path, std::string_view(text)); });
  expect_storage(memory, "root");
}

TEST(storage, of_memory_tells_a_version_from_the_next) {
  MemoryStorage memory;
  memory.put("a", "hello");
  const auto before = memory.open("a", Access::normal).value();
  memory.put("a", "HELLO");
  const auto after = memory.open("a", Access::normal).value();
  EXPECT_NE(SourceIdentity().add("a", before->identity()).finish(),
            SourceIdentity().add("a", after->identity()).finish());
  EXPECT_EQ(as_text(*before->read_all()), "hello");
}

TEST(storage, of_files_says_what_links_are) {
  const TemporaryFolder folder;
  folder.write("root/b/c.txt", "deep");
  std::filesystem::create_symlink("b", folder / "root/to_folder");
  std::filesystem::create_symlink("nowhere", folder / "root/to_nothing");
  EXPECT_THAT(*local_storage()->list(folder / "root"),
              ElementsAre(ListedObject{.name = "b", .is_folder = true},
                          ListedObject{.name = "to_folder", .is_folder = true, .is_link = true},
                          ListedObject{.name = "to_nothing", .is_link = true}));
}

TEST(storage, of_files_reads_small_and_large_ones) {
  const TemporaryFolder folder;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, std::size_t{kMaxCopiedFile}, std::size_t{kMaxCopiedFile} + 1}) {
    std::string text(size, 'x');
    if (size > 0) {
      text.back() = 'y';
    }
    const std::string path = folder.write("a", text);
    if (const auto bytes = local_storage()->read_without_waiting(path)) {
      EXPECT_TRUE(as_text(*bytes) == text) << size;
      EXPECT_LE(size, kMaxCopiedFile);
    }
    const auto bytes = local_storage()->read(path);
    ASSERT_TRUE(bytes.ok());
    EXPECT_TRUE(as_text(*bytes) == text) << size;
    EXPECT_TRUE(bytes->intact().ok());
  }
}

TEST(storage, of_files_tells_that_a_large_one_became_shorter) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", std::string(2 * kMaxCopiedFile, 'x'));
  const auto bytes = local_storage()->read(path);
  ASSERT_TRUE(bytes.ok());
  std::filesystem::resize_file(path, 50);
  EXPECT_EQ((*bytes)[bytes->size() - 1], 0);
  EXPECT_EQ(bytes->intact().error().kind, ErrorKind::io);
}

TEST(storage, of_files_refuses_what_is_no_file) {
  const TemporaryFolder folder;
  EXPECT_EQ(local_storage()->read(folder.path()).error().kind, ErrorKind::io);
  EXPECT_EQ(local_storage()->open(folder.path()).error().kind, ErrorKind::io);
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(local_storage()->read(folder / "fifo").error().kind, ErrorKind::io) << "and nobody waits";
  EXPECT_EQ(local_storage()->stat(folder / "fifo")->type, ObjectState::Type::other);
}

TEST(storages, are_found_by_scheme) {
  Storages storages = Storages::standard();
  EXPECT_EQ(storages.find("/a/b")->path, "/a/b");
  EXPECT_EQ(storages.find("a:b")->path, "a:b") << "a local name may hold a colon";
  EXPECT_EQ(storages.find(":a")->path, ":a") << "and begin with one";
  EXPECT_EQ(storages.find("file:/a/b")->path, "/a/b");
  EXPECT_EQ(storages.find("file:///a/b")->path, "/a/b");
  EXPECT_EQ(storages.find("file:///a/b")->storage, local_storage());
  for (const char* const name : {"s3://bucket/key", "https://host/x", "memory://x", "gs:x"}) {
    EXPECT_EQ(storages.find(name).error().kind, ErrorKind::unsupported) << name;
  }
  EXPECT_EQ(storages.find("s3://bucket/key").error().message, "cannot read s3:// sources yet");
  EXPECT_EQ(storages.find("gs:x").error().message, "cannot read gs:// sources yet");
  const auto memory = std::make_shared<MemoryStorage>();
  storages.set("memory", memory);
  EXPECT_EQ(storages.find("memory://x/y")->storage, memory);
  EXPECT_EQ(storages.find("memory://x/y")->path, "x/y");
}

/// One object of six bytes.
std::unique_ptr<FaultyStorage> with(std::vector<Fault> faults) {
  auto memory = std::make_shared<MemoryStorage>();
  memory->put("m", "012345");
  return std::make_unique<FaultyStorage>(std::move(memory), std::move(faults));
}

TEST(faulty_storage, without_faults_copies_every_read) {
  const auto storage = with({});
  const auto source = storage->open("m", Access::normal).value();
  const auto bytes = source->read(2, 3);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(as_text(*bytes), "234");
  EXPECT_TRUE(bytes->is_held());
  EXPECT_EQ(storage->reads(), 1u);
  EXPECT_EQ(storage->bytes_read(), 3u);
}

TEST(faulty_storage, fails_reads_that_touch_an_offset) {
  const auto source = with({{.offset = 3, .error = ErrorKind::timeout}})->open("m", Access::normal).value();
  EXPECT_TRUE(source->read(0, 3).ok());
  EXPECT_TRUE(source->read(4, 2).ok());
  const auto struck = source->read(2, 2);
  ASSERT_FALSE(struck.ok());
  EXPECT_EQ(struck.error().kind, ErrorKind::timeout);
  EXPECT_EQ(struck.error().place.offset, 2u);
}

TEST(faulty_storage, fails_only_the_reads_asked_for) {
  const auto source =
      with({{.object = "m", .after = 1, .times = 2}, {.object = "other"}})->open("m", Access::normal).value();
  std::string seen;
  for (int i = 0; i < 5; ++i) {
    seen += source->read(0, 1).ok() ? '.' : 'x';
  }
  EXPECT_EQ(seen, ".xx..");
}

TEST(faulty_storage, shortens_delays_replaces_and_lets_bytes_vanish) {
  const auto storage = with({{.kind = Fault::Kind::shorten, .length = 4},
                             {.kind = Fault::Kind::delay, .offset = 0, .delay = 20ms}});
  const auto source = storage->open("m", Access::normal).value();
  EXPECT_EQ(source->read(2, 3).error().kind, ErrorKind::corrupt);
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_TRUE(source->read(0, 4).ok());
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 20ms);

  const auto vanishing = with({{.kind = Fault::Kind::vanish, .after = 1}})->open("m", Access::normal).value();
  EXPECT_TRUE(vanishing->read(0, 4)->intact().ok());
  EXPECT_TRUE(vanishing->check().ok());
  const auto zeros = vanishing->read(0, 4);
  EXPECT_EQ((*zeros)[0], 0);
  EXPECT_EQ(zeros->intact().error().kind, ErrorKind::io);
  EXPECT_FALSE(vanishing->check().ok());

  const auto changing = with({{.kind = Fault::Kind::replaced}});
  const auto before = changing->stat("m")->identity;
  EXPECT_EQ(changing->read("m").error().kind, ErrorKind::io);
  EXPECT_NE(changing->stat("m")->identity, before);
}

}  // namespace
}  // namespace penstock::inline v0
