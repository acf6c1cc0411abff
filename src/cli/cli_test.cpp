// The program as users call it: what it prints, and its exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "core/printable.hpp"
#include "formats/json.hpp"
#include "formats/tar_for_test.hpp"
#include "io/temporary_folder_for_test.hpp"
#include "store/store_for_test.hpp"

namespace penstock::inline v0 {
namespace {

using testing::HasSubstr;

struct Outcome {
  int code = -1;
  std::string out;  ///< standard output and error

  Json json() const {
    auto parsed = Json::parse(out);
    EXPECT_TRUE(parsed.ok()) << out;
    return parsed.ok() ? std::move(*parsed) : Json();
  }
};

Outcome run(const std::string& arguments) {
  Outcome outcome;
  std::FILE* const pipe = ::popen((std::string(PENSTOCK_PROGRAM) + " " + arguments + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  for (std::size_t count = 1; count > 0;) {
    count = std::fread(buffer.data(), 1, buffer.size(), pipe);
    outcome.out.append(buffer.data(), count);
  }
  const int status = ::pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

std::string tar_of(const TemporaryFolder& folder, int samples) {
  TarForTest tar;
  for (int i = 0; i < samples; ++i) {
    tar.file(fmt::format("{:03}.jpg", i), as_text(jpeg_for_test(64, 48, static_cast<unsigned>(i))));
    tar.file(fmt::format("{:03}.cls", i), std::to_string(i));
  }
  return folder.write("x.tar", tar.end().bytes());
}

TEST(cli, builds_shows_verifies_and_converts) {
  const TemporaryFolder folder;
  const std::string source = tar_of(folder, 12);
  const std::string store = folder / "s";
  const Outcome built = run(fmt::format("build {} {} --workers 2", source, store));
  EXPECT_EQ(built.code, 0) << built.out;
  EXPECT_THAT(built.out, HasSubstr("12 samples added"));
  EXPECT_THAT(built.out, testing::Not(HasSubstr("\x1b")));  // no bar without a terminal
  EXPECT_THAT(run("build " + source + " " + store).out, HasSubstr("already complete"));

  const Json info = run("info --json " + store).json();
  ASSERT_NE(info.find("samples"), nullptr);
  EXPECT_EQ(info.find("samples")->whole(), 12u);
  EXPECT_EQ(run("info " + store).code, 0);
  EXPECT_EQ(run("info " + source).code, 0);

  EXPECT_EQ(run(fmt::format("verify {} --source {}", store, source)).code, 0);
  EXPECT_EQ(run(fmt::format("convert {} {}", store, folder / "tars")).code, 0);
  EXPECT_EQ(run(fmt::format("verify {} --source {}", store, folder / "tars")).code, 0);

  const Json bench = run("bench --json --seconds 0.1 --size 32 --batch-size 4 " + store).json();
  ASSERT_NE(bench.find("verdict"), nullptr);
  EXPECT_FALSE(bench.find("verdict")->string()->empty());
}

TEST(cli, every_verb_uses_the_vectors_that_the_environment_names) {
  const TemporaryFolder folder;
  const std::string source = tar_of(folder, 3);
  const std::string store = folder / "s";
  ASSERT_EQ(::setenv("PENSTOCK_TARGET", "scalar", 1), 0);
  EXPECT_EQ(run("build " + source + " " + store).code, 0);
  ASSERT_EQ(::setenv("PENSTOCK_TARGET", "mmx", 1), 0);
  for (const std::string& verb :
       {"build " + source + " " + (folder / "t"), "info " + store, "verify " + store,
        "convert " + store + " " + (folder / "u"), "bench --seconds 0.1 " + store,
        "audio build " + source + " " + (folder / "v.h5")}) {
    const Outcome refused = run(verb);
    EXPECT_EQ(refused.code, 2) << verb;
    EXPECT_THAT(refused.out, HasSubstr("PENSTOCK_TARGET=mmx is unknown")) << verb;
  }
  ASSERT_EQ(::unsetenv("PENSTOCK_TARGET"), 0);
}

TEST(cli, stores_the_fields_that_are_named) {
  const TemporaryFolder folder;
  const std::string source = tar_of(folder, 3);
  ASSERT_EQ(run(fmt::format("build {} {} --field photo=jpg --field label", source, folder / "s")).code, 0);
  EXPECT_THAT(run("info " + (folder / "s")).out,
              testing::AllOf(HasSubstr("photo (image)"), HasSubstr("label (int)")));
  EXPECT_EQ(run(fmt::format("build {} {} --field mask", source, folder / "t")).code, 2);
}

TEST(cli, damage_is_a_finding) {
  const TemporaryFolder folder;
  const std::string store = folder / "s";
  ASSERT_EQ(run(fmt::format("build {} {}", tar_of(folder, 4), store)).code, 0);
  std::string shard = read_text(store + "/shard-000000.bin");
  shard[100] ^= 1;
  folder.write("s/shard-000000.bin", std::string_view(shard));
  const Outcome verified = run("verify --json " + store);
  EXPECT_EQ(verified.code, 1);
  const Json report = verified.json();
  ASSERT_NE(report.find("problems"), nullptr);
  EXPECT_GT(*report.find("problems")->whole(), 0u);
}

TEST(cli, left_out_samples_are_a_finding) {
  const TemporaryFolder folder;
  TarForTest tar;
  tar.file("a.jpg", as_text(jpeg_for_test(20, 20, 1))).file("b.jpg", "no image").end();
  const std::string source = folder.write("x.tar", tar.bytes());
  EXPECT_EQ(run(fmt::format("build {} {}", source, folder / "s")).code, 1);
  const Outcome skipped = run(fmt::format("build {} {} --on-error skip --json", source, folder / "s"));
  EXPECT_EQ(skipped.code, 1);
  EXPECT_EQ(skipped.json().find("skipped")->whole(), 1u);
  const Outcome again = run(fmt::format("build {} {} --on-error skip", source, folder / "s"));
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.out, HasSubstr("already complete, 1 left out"));
  const Outcome raised = run(fmt::format("build {} {}", source, folder / "s"));
  EXPECT_EQ(raised.code, 2);
  EXPECT_THAT(raised.out, HasSubstr("--on-error skip"));
}

TEST(cli, wrong_usage_is_told_apart) {
  const TemporaryFolder folder;
  EXPECT_EQ(run("").code, 2);
  EXPECT_EQ(run("brew").code, 2);
  EXPECT_THAT(run("brew").out, HasSubstr("unknown subcommand 'brew'"));
  EXPECT_EQ(run("build onlyone").code, 2);
  EXPECT_EQ(run("build a b --image jpg").code, 2);
  EXPECT_EQ(run("info " + (folder / "missing")).code, 2);
  EXPECT_EQ(run("--help").code, 0);
  EXPECT_EQ(run("--version").code, 0);
  EXPECT_NE(run("info --json " + (folder / "missing")).json().find("error"), nullptr);
}

TEST(cli, max_errors_is_read_strictly) {
  const TemporaryFolder folder;
  const std::string source = tar_of(folder, 2);
  for (const char* const wrong :
       {"1e2", "1e-3", "0x10", "nan", "abc", "-1", "1.5", "''", "1.0.0", ".", "99999999999999999999999"}) {
    SCOPED_TRACE(wrong);
    const Outcome outcome =
        run(fmt::format("build {} {} --on-error skip --max-errors={} --json", source, folder / "s", wrong));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(*outcome.json().find("error")->find("message")->string(), HasSubstr("0.01"));
  }
  EXPECT_EQ(run(fmt::format("build {} {} --max-errors 3", source, folder / "s")).code, 2);
  for (const char* const right : {"0", "100", "0.01", "1.0"}) {
    SCOPED_TRACE(right);
    EXPECT_EQ(
        run(fmt::format("build {} {} --on-error skip --max-errors {}", source, folder / right, right)).code,
        0);
  }
}

TEST(cli, numbers_that_cannot_be_are_refused) {
  const TemporaryFolder folder;
  const std::string source = tar_of(folder, 2);
  const std::string store = folder / "s";
  ASSERT_EQ(run(fmt::format("build {} {}", source, store)).code, 0);
  for (const std::string& wrong :
       {fmt::format("build {} {} --resize 0", source, folder / "t"),
        fmt::format("build {} {} --shard-bytes -5", source, folder / "t"),
        fmt::format("build {} {} --workers 99999999", source, folder / "t"),
        fmt::format("verify {} --workers 99999999", store),
        fmt::format("convert {} {} --shard-bytes 0", store, folder / "t"),
        fmt::format("convert {} {} --shard-bytes -1", store, folder / "t"),
        fmt::format("bench {} --seconds nan", store), fmt::format("bench {} --seconds 0", store)}) {
    SCOPED_TRACE(wrong);
    const Outcome outcome = run(wrong);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_LT(outcome.out.size(), 300u) << outcome.out;
    EXPECT_THAT(outcome.out, testing::Not(HasSubstr("18446744073709551")));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "t"));
}

TEST(cli, warnings_of_a_data_set_are_told_by_every_verb) {
  const TemporaryFolder folder;
  TarForTest tar;
  tar.file("a.jpg", as_text(jpeg_for_test(20, 20, 1))).file("a.cls", "1");
  tar.file("b.jpg", as_text(jpeg_for_test(20, 20, 2))).end();
  const std::string source = folder.write("x.tar", tar.bytes());
  const std::string store = folder / "s";
  const std::string lost = "label (1 of 2 samples)";
  int count = 0;
  for (const std::string& verb :
       {"build " + source + " " + store, "info " + source, "verify " + store + " --source " + source,
        "convert " + source + " " + (folder / "tars"), "bench --seconds 0.05 --size 16 " + source}) {
    SCOPED_TRACE(verb);
    const Outcome told = run(verb);
    EXPECT_EQ(told.code, 0);
    EXPECT_THAT(told.out, HasSubstr("warning: "));
    EXPECT_THAT(told.out, HasSubstr(lost));
    // Where the first run made something, the second one makes another.
    const Outcome document =
        run(verb + (verb.starts_with("convert") ? std::to_string(++count) : "") + " --json");
    EXPECT_EQ(document.code, 0);
    const Json json = document.json();
    ASSERT_NE(json.find("warnings"), nullptr);
    ASSERT_FALSE(json.find("warnings")->list()->empty());
    EXPECT_THAT(*json.find("warnings")->list()->front().string(), HasSubstr(lost));
  }
}

TEST(cli, bench_says_when_an_epoch_is_too_short) {
  const TemporaryFolder folder;
  const std::string bench = "bench --json --seconds 0.05 --size 16 --prefetch 3 " + tar_of(folder, 12);
  const Json few = run(bench).json();
  ASSERT_NE(few.find("warnings"), nullptr);
  ASSERT_EQ(few.find("warnings")->list()->size(), 1u);
  EXPECT_THAT(*few.find("warnings")->list()->front().string(), HasSubstr("--batch-size"));
  const Json enough = run(bench + " --batch-size 2").json();
  ASSERT_NE(enough.find("warnings"), nullptr);
  EXPECT_TRUE(enough.find("warnings")->list()->empty());
}

TEST(cli, fields_that_tars_cannot_name_are_told) {
  const TemporaryFolder folder;
  const std::string store = folder / "s";
  ASSERT_EQ(run(fmt::format("build {} {} --field photo=jpg", tar_of(folder, 2), store)).code, 0);
  const Outcome converted = run(fmt::format("convert {} {}", store, folder / "tars"));
  EXPECT_EQ(converted.code, 0);
  EXPECT_THAT(converted.out, HasSubstr("'photo.jpg'"));
}

TEST(cli, usage_errors_are_documents_too) {
  const TemporaryFolder folder;
  EXPECT_NE(run("brew --json").json().find("error"), nullptr);
  EXPECT_NE(run("build a b --image jpg --json").json().find("error"), nullptr);
  const std::string source = tar_of(folder, 2);
  EXPECT_NE(
      run(fmt::format("convert {} {} --json", source, folder / std::string(300, 'x'))).json().find("error"),
      nullptr);
}

TEST(cli, verify_reads_any_source) {
  const TemporaryFolder folder;
  EXPECT_EQ(run("verify " + (folder / "nope")).code, 2);
  const std::string whole = tar_of(folder, 3);
  const Outcome good = run("verify " + whole);
  EXPECT_EQ(good.code, 0) << good.out;
  EXPECT_THAT(good.out, HasSubstr("3 images decoded"));
  EXPECT_EQ(run(fmt::format("verify {} --source {}", whole, whole)).code, 2) << "only stores are compared";
  TarForTest tar;
  tar.file("1.jpg", "no image");
  tar.file("2.jpg", as_text(jpeg_for_test(64, 48, 1)));
  const std::string damaged = folder.write("y.tar", tar.end().bytes());
  const Outcome bad = run(fmt::format("verify {} {}", damaged, whole) + " --field image=jpg");
  EXPECT_EQ(bad.code, 1) << bad.out;
  EXPECT_THAT(bad.out, HasSubstr("y.tar"));
  const Json document = run("verify --json " + damaged).json();
  ASSERT_NE(document.find("errors"), nullptr);
  ASSERT_EQ(document.find("errors")->list()->size(), 1u);
  EXPECT_EQ(document.find("problems")->whole(), 1u);
  tar = {};
  tar.file("1.jpg", "no image").file("README.md", "hi").end();
  const Outcome unchecked = run("verify " + folder.write("z.tar", tar.bytes()));
  EXPECT_EQ(unchecked.code, 1) << unchecked.out;
  EXPECT_THAT(unchecked.out, HasSubstr("nothing was checked"));
}

/// What a terminal obeys and what makes a line look like another.
std::string hostile(std::string_view name) {
  return fmt::format(
      "{}\x1b[2J\x9b"
      "5m\u009b5m\u202e\u2028\x7f\nwarning: forged",
      name);
}

void expect_harmless(const std::string& out) {
  EXPECT_EQ(out, printable_lines(out));
  EXPECT_THAT(out, testing::Not(HasSubstr("\t")));
  EXPECT_THAT("\n" + out, testing::Not(HasSubstr("\nwarning: forged")));
}

TEST(cli, names_from_data_reach_no_terminal_as_they_are) {
  const TemporaryFolder folder;
  TarForTest tar;
  const std::string image(as_text(jpeg_for_test(20, 20, 1)));
  tar.file(hostile("good") + ".jpg", image).file("b.jpg", image);
  tar.file(hostile("good") + ".jpg", image);  // comes again: a warning
  tar.file(hostile("bad") + ".jpg", "no image").file(hostile("bad") + "." + hostile("ext"), "x").end();
  const std::string source = folder.write(hostile("x") + ".tar", tar.bytes());
  const auto quoted = [](const std::string& path) { return "'" + path + "'"; };
  const std::string store = folder / hostile("s");
  int count = 0;
  for (const std::string& verb :
       {fmt::format("build {} {}", quoted(source), quoted(store)),
        fmt::format("build --on-error skip {} {}", quoted(source), quoted(store)), "info " + quoted(source),
        "info " + quoted(store), "verify " + quoted(source),
        fmt::format("verify {} --source {}", quoted(store), quoted(source)),
        "bench --seconds 0.05 --size 16 --batch-size 1 " + quoted(source), "info " + quoted(hostile("/none")),
        quoted(hostile("verb")), "info " + quoted("--" + hostile("flag")),
        fmt::format("build a b --image {}", quoted(hostile("none"))),
        fmt::format("build {} {} --field {}", quoted(source), quoted(folder / "t"), quoted(hostile("f"))),
        fmt::format("convert {} {}", quoted(store), quoted(folder / hostile("tars")))}) {
    SCOPED_TRACE(verb);
    const Outcome told = run(verb);
    EXPECT_FALSE(told.out.empty());
    expect_harmless(told.out);
    const std::string again = verb.starts_with("convert") ? fmt::format("{}{}", verb, ++count) : verb;
    const Outcome document = run(again + " --json");
    expect_harmless(document.out);
    EXPECT_NE(document.json().members(), nullptr);
  }
}

TEST(cli, audio_build_says_what_it_did) {
  const Outcome tried = run("audio build --test-pipeline 20 --json");
  EXPECT_EQ(tried.code, 0) << tried.out;
  EXPECT_EQ(tried.json().find("samples")->whole(), 20u);
  EXPECT_THAT(run("audio build --test-pipeline 20").out, HasSubstr("bottleneck: "));
  EXPECT_EQ(run("audio build").code, 2);
  EXPECT_EQ(run("audio").code, 2);
  EXPECT_THAT(run("audio build /nowhere /tmp/x.h5").out, HasSubstr("/nowhere"));
  EXPECT_EQ(run("audio build /nowhere /tmp/x.h5 --duration 0.3").code, 2);
}

TEST(cli, says_the_mean_and_the_deviation_of_all_images) {
  const TemporaryFolder folder;
  const std::string source = tar_of(folder, 5);
  const std::string config = folder.write("crop.json", R"([{"op": "CenterCrop", "size": 8}])");
  const Outcome plain = run(fmt::format("stats {} --workers 2", source));
  EXPECT_EQ(plain.code, 0);
  EXPECT_THAT(plain.out, HasSubstr("of 5 images, 15360 pixels"));
  const Outcome cropped = run(fmt::format("stats {} --transforms {} --json", source, config));
  EXPECT_EQ(cropped.code, 0);
  EXPECT_EQ(cropped.json().find("pixels")->whole(), 320U);
  EXPECT_EQ(cropped.json().find("mean")->list()->size(), 3U);
  const std::string wrong = folder.write("wrong.json", R"([{"op": "CenterCrop", "size": -1}])");
  const Outcome refused = run(fmt::format("stats {} --transforms {}", source, wrong));
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.out, HasSubstr("wrong.json: [0]: CenterCrop: size must be"));
  EXPECT_EQ(run(fmt::format("stats {} --transforms {}/none.json", source, folder.path())).code, 2);
}

}  // namespace
}  // namespace penstock::inline v0
