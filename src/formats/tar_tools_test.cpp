// Archives that the tar programs of this machine write, read back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>

#include "formats/tar_table.hpp"
#include "io/temporary_folder_for_test.hpp"

namespace penstock::inline v0 {
namespace {

class TarTools : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string deep =
        "p/" + std::string(60, 'q') + "/" + std::string(60, 'r') + "/" + std::string(60, 's');
    files_ = {{"a/000.jpg", std::string(1000, 'j')},
              {"a/000.cls", " 12\n"},
              {"a/001.jpg", ""},
              {"a/001.cls", "-3"},
              {"u/\xC3\xA9\xE4\xB8\x96.jpg", "unicode"},
              {"u/\xC3\xA9\xE4\xB8\x96.cls", "0"}};
    ustar_only_ = files_;
    files_[deep + "/" + std::string(120, 't') + ".jpg"] = "long";
    files_[deep + "/" + std::string(120, 't') + ".cls"] = "7";
    ustar_only_[deep.substr(0, 130) + "/short.jpg"] = "split";
    ustar_only_[deep.substr(0, 130) + "/short.cls"] = "8";
  }

  /// Runs `command` in a folder with the files; it must write out.tar beside that folder.
  void check(const std::string& tool, const std::string& command,
             const std::map<std::string, std::string>& files) {
    if (std::system(fmt::format("command -v {} >/dev/null 2>&1", tool).c_str()) != 0) {
      std::cout << "[ NOT USED ] " << tool << " is not on this machine\n";
      return;
    }
    const TemporaryFolder folder;
    for (const auto& [name, text] : files) {
      folder.write("in/" + name, text);
    }
    ASSERT_EQ(
        std::system(
            fmt::format("cd '{}' && LC_ALL=C.UTF-8 {} >/dev/null 2>&1", folder / "in", command).c_str()),
        0)
        << command;
    const auto table =
        open_tar_table({{folder / "out.tar", "out.tar"}}, {{{"jpg", "jpg"}, {"cls", "cls"}}}, {});
    ASSERT_TRUE(table.ok()) << command << ": " << table.error().to_string();
    EXPECT_EQ((*table)->size(), files.size() / 2) << command;
    for (std::uint64_t i = 0; i < (*table)->size(); ++i) {
      std::string key = (*table)->key(i);
      key = key.starts_with("./") ? key.substr(2) : key;
      for (const std::size_t field : {std::size_t{0}, std::size_t{1}}) {
        const auto wanted = files.find(key + (field == 0 ? ".jpg" : ".cls"));
        ASSERT_NE(wanted, files.end()) << command << ": " << key;
        const auto stored = (*table)->read(i, field);
        ASSERT_TRUE(stored.ok()) << stored.error().to_string();
        EXPECT_EQ(as_text(stored->bytes), wanted->second) << command << ": " << key;
      }
    }
  }

  std::map<std::string, std::string> files_;
  std::map<std::string, std::string> ustar_only_;
};

TEST_F(TarTools, gnu_tar) {
  for (const char* format : {"gnu", "oldgnu", "pax"}) {
    check("tar", fmt::format("tar --format={} --sort=name -cf ../out.tar .", format), files_);
  }
  check("tar", "tar --format=ustar --sort=name -cf ../out.tar a u p", ustar_only_);
}

TEST_F(TarTools, bsdtar) {
  for (const char* format : {"pax", "gnutar"}) {
    check("bsdtar", fmt::format("find . -type f | sort | bsdtar --format {} -cf ../out.tar -T -", format),
          files_);
  }
  check("bsdtar", "find a u p -type f | sort | bsdtar --format ustar -cf ../out.tar -T -", ustar_only_);
}

TEST_F(TarTools, python_tarfile) {
  for (const char* format : {"GNU", "PAX", "USTAR"}) {
    check("python3",
          fmt::format(
              "python3 -c \"import tarfile, glob, os; t = tarfile.open('../out.tar', 'w', "
              "format=tarfile.{}_FORMAT); "
              "[t.add(f) for f in sorted(glob.glob('**', recursive=True)) if os.path.isfile(f)]; t.close()\"",
              format),
          format == std::string("USTAR") ? ustar_only_ : files_);
  }
}

}  // namespace
}  // namespace penstock::inline v0
