// SPDX-License-Identifier: Apache-2.0
// Libraries built by scripts in place of the tools: once, by one of several processes, whole or not
// at all.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "base/error.h"
#include "base/random.h"
#include "switch/on_demand/fake_tools.h"

namespace fredsim {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

constexpr auto kMoment = std::chrono::milliseconds(5);

std::string refusal(const FakeTools& fake, const std::function<void()>& action) {
  try {
    action();
  } catch (const BadInput& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error; the cache has " << fake.kept().size();
  return "";
}

// Waits for the effect of a script; a test that hangs is ended by ctest.
void wait_for(const std::function<bool()>& condition) {
  while (!condition()) std::this_thread::sleep_for(kMoment);
}

// Runs in a separate process; 0: it did not throw.
pid_t in_child(const std::function<void()>& action) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int code = 0;
  try {
    action();
  } catch (...) {
    code = 1;
  }
  ::_exit(code);
}

int exit_code(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(RtlBuilder, BuildsWhatIsNotThereOnce) {
  const FakeTools fake;
  const std::vector<RtlSize> sizes{FakeTools::size(4), FakeTools::size(5)};
  std::vector<std::size_t> done;
  Names entries;
  const RtlBuildOptions options{.on_progress = [&](const RtlBuildProgress& progress) {
    done.push_back(progress.done);
    entries.assign(progress.entries.begin(), progress.entries.end());
  }};
  const std::vector<fs::path> built = fake.build(sizes, options);
  ASSERT_EQ(built.size(), 2U);
  for (const fs::path& library : built) EXPECT_TRUE(fs::is_regular_file(library)) << library;
  EXPECT_NE(built[0], built[1]);
  EXPECT_EQ(fake.kept().size(), 2U) << "nothing beside the libraries";
  EXPECT_EQ(fake.runs("verilator"), 2);
  EXPECT_EQ(fake.runs("compiler"), 8) << "three files and the linker";
  EXPECT_EQ(entries, (Names{"a P=4", "a P=5"}));
  EXPECT_EQ(done.back(), 2U);

  EXPECT_EQ(fake.build(sizes, {.on_progress = [](const RtlBuildProgress&) { FAIL(); }}), built);
  EXPECT_EQ(fake.runs("verilator"), 2);
  fake.build({FakeTools::size(6)});
  EXPECT_EQ(fake.runs("verilator"), 3);
  EXPECT_EQ(fake.runs("compiler"), 12);
}

// Files of 9 MiB each, one that is larger than a part, and one of tables, which is compiled with
// the files that run once.
TEST(RtlBuilder, CompilesLargeSizesInParts) {
  const FakeTools fake;
  fake.says_verilator(R"sh(folder=$(printf '%s\n' "$@" | sed -n '/^--Mdir$/{n;p;}')
for n in 1 2 3 4; do [ -z "$folder" ] || truncate -s 9M "$folder/Vb$n.cpp"; done
[ -z "$folder" ] || truncate -s 30M "$folder/Vb__Slow.cpp"
[ -z "$folder" ] || truncate -s 1M "$folder/Vb__Syms__2.cpp")sh");
  fake.says_compiler(R"sh(case "$*" in
  *' fast.o fast_2.o slow.o slow_2.o around.o -o switch.so') ;;
  *switch.so) exit 9;;
esac
case "$*" in *fast_2.cpp*)
  [ "$(grep -c Vb fast.cpp)$(grep -c Vb fast_2.cpp)$(grep -c Vb slow.cpp)" = 221 ] || exit 8;;
esac)sh");
  EXPECT_EQ(fake.build({FakeTools::size(4)}).size(), 1U);
  EXPECT_EQ(fake.runs("compiler"), 6) << "five files and the linker";
}

TEST(RtlBuilder, OfSeveralProcessesOneBuildsEachSize) {
  const FakeTools fake;
  fake.says_verilator("sleep 0.05");
  fake.says_compiler("sleep 0.05");
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    children.push_back(in_child([&] {
      // Not all begin with the same.
      std::vector<RtlSize> sizes{FakeTools::size(4 + i % 2), FakeTools::size(5 - i % 2)};
      for (const fs::path& library : fake.build(sizes)) {
        if (!fs::is_regular_file(library)) throw std::runtime_error("no library");
      }
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(exit_code(child), 0);
  EXPECT_EQ(fake.runs("verilator"), 2);
  EXPECT_EQ(fake.runs("compiler"), 8);
  EXPECT_EQ(fake.kept().size(), 2U);
}

TEST(RtlBuilder, ThatFailsSaysTheCommandAndTheLogAndLeavesNoLibrary) {
  const FakeTools fake;
  fake.says_compiler(
      "case $* in *slow.cpp*) echo first; seq 30; echo 'no good' >&2; exit 7;; esac");
  const std::string what = refusal(fake, [&] { fake.build({FakeTools::size(4)}); });
  const Names kept = fake.kept();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_TRUE(kept[0].ends_with(".log")) << kept[0];
  const std::string log = (fake.cache() / "rtl" / kept[0]).string();
  EXPECT_TRUE(what.starts_with("RTL of 'a P=4' cannot be built: exit code 7 of compiler:\n  cd "))
      << what;
  EXPECT_NE(what.find(" -O2 -O0 -c slow.cpp -o slow.o\nIts output, all of it: " + log + ":\n"),
            std::string::npos)
      << what;
  EXPECT_EQ(what.find("  first\n"), std::string::npos) << "only the last lines: " << what;
  EXPECT_TRUE(what.ends_with("\n  30\n  no good")) << what;
  std::stringstream text;
  text << std::ifstream(log).rdbuf();
  EXPECT_NE(text.str().find("-c slow.cpp -o slow.o\nfirst\n1\n"), std::string::npos) << text.str();

  fake.says_compiler("");
  fake.build({FakeTools::size(4)});
  ASSERT_EQ(fake.kept().size(), 1U) << "the log is gone";
  EXPECT_TRUE(fake.kept()[0].ends_with(".so"));
}

TEST(RtlBuilder, WithoutAToolOrWithAnotherVersionSaysSo) {
  const FakeTools fake;
  const auto refused = [&](const std::function<void(RtlToolchain&)>& change) {
    RtlToolchain tools = fake.tools();
    change(tools);
    return refusal(fake, [&] {
      build_libraries(std::vector{FakeTools::size(4)}, tools, fake.where(), fake.cache(), {});
    });
  };
  EXPECT_EQ(
      refused([](RtlToolchain& t) { t.verilator = "/no/verilator"; }),
      "RTL of a switch size is to be built, and Verilator: '/no/verilator' cannot be started: "
      "No such file or directory; allowed: install it (Debian: verilator), or --model tlm, or "
      "--rtl-build never for the sizes that are in the program");
  EXPECT_NE(refused([](RtlToolchain& t) { t.compiler = "/no/c++"; })
                .find("the compiler: '/no/c++' cannot be started: No such file or directory; "
                      "allowed: install it (Debian: g++)"),
            std::string::npos);
  EXPECT_EQ(refused([](RtlToolchain& t) { t.compiler_version = "13.1.0"; }),
            "RTL of a switch size is to be built, and '" + fake.file("compiler") +
                "' says 12.2.0; allowed: 13.1.0, with which this program was built, or build the "
                "program again");
  EXPECT_NE(refused([](RtlToolchain& t) {
              t.verilator_version = "Verilator 5.00";
            }).find("says Verilator 5.006 2023-01-22; allowed: Verilator 5.00,"),
            std::string::npos)
      << "a part of the version is another version";
  EXPECT_TRUE(fake.kept().empty());
}

TEST(RtlBuilder, IsNotStoppedByWhatAKilledOneHasLeft) {
  const FakeTools fake;
  fake.build({FakeTools::size(4)});
  const fs::path library = fake.build({FakeTools::size(4)})[0];
  fs::remove(library);
  fs::path building = library;
  building.replace_extension(".building");
  fs::create_directories(building);
  FakeTools::write(building / "Vold.cpp", "#error old\n");
  FakeTools::write(fs::path(building).replace_extension(".lock"), "");
  fake.says_compiler(R"(if grep -q old fast.cpp 2>/dev/null; then exit 1; fi)");
  fake.build({FakeTools::size(4)});
  EXPECT_EQ(fake.kept(), Names{library.filename().string()});
}

// While a compiler of a killed builder still writes, no other process writes.
TEST(RtlBuilder, ThatWasKilledKeepsTheLockUntilItsToolsHaveEnded) {
  const FakeTools fake;
  const std::string go_on = fake.file("go_on");
  fake.says_compiler("echo $$ >>" + fake.file("pids") + "\nwhile [ ! -e " + go_on +
                     " ]; do sleep 0.01; done");
  const pid_t child = in_child([&] { fake.build({FakeTools::size(4)}); });
  wait_for([&] { return fs::exists(fake.file("pids")); });
  ::kill(child, SIGKILL);
  EXPECT_EQ(exit_code(child), -1);
  const CachedLibrary library = cached_library(
      fake.cache(), FakeTools::size(4), rtl_key(FakeTools::size(4), fake.tools(), fake.where()));
  EXPECT_EQ(BuildLock::take(library), nullptr);
  FakeTools::write(go_on, "");
  wait_for([&] { return BuildLock::take(library) != nullptr; });
  fake.build({FakeTools::size(4)});
  EXPECT_EQ(fake.kept(), Names{library.file.filename().string()});
}

TEST(RtlBuilder, ThatIsInterruptedEndsItsToolsAndLeavesNothing) {
  const FakeTools fake;
  // A child of the compiler, as g++ has.
  fake.says_compiler("sleep 1000 & echo $! >" + fake.file("pid.new") + "; mv " +
                     fake.file("pid.new") + " " + fake.file("pid") + "; wait");
  std::atomic<bool> stop{false};
  const RtlBuildOptions options{.stop = &stop, .on_progress = [&](const RtlBuildProgress&) {
                                  if (fs::exists(fake.file("pid"))) stop = true;
                                }};
  EXPECT_THROW(fake.build({FakeTools::size(4)}, options), Interrupted);
  EXPECT_TRUE(fake.kept().empty());
  pid_t grandchild = 0;
  std::ifstream(fake.file("pid")) >> grandchild;
  ASSERT_GT(grandchild, 0);
  // The process has ended, or waits for its new parent.
  wait_for([&] {
    std::ifstream status("/proc/" + std::to_string(grandchild) + "/stat");
    std::string number;
    std::string name;
    std::string state;
    return !(status >> number >> name >> state) || state == "Z";
  });
}

TEST(RtlBuilder, WaitsForAnotherProcessAndSaysSo) {
  const FakeTools fake;
  const CachedLibrary library = cached_library(
      fake.cache(), FakeTools::size(4), rtl_key(FakeTools::size(4), fake.tools(), fake.where()));
  auto lock = BuildLock::take(library);
  bool has_waited = false;
  fake.build({FakeTools::size(4)}, {.on_progress = [&](const RtlBuildProgress& progress) {
               if (!progress.waits || has_waited) return;
               has_waited = true;
               FakeTools::write(fake.file("switch.so"), "built by the other");
               keep_library(fake.file("switch.so"), library);
               lock.reset();
             }});
  EXPECT_TRUE(has_waited);
  EXPECT_EQ(fake.runs("verilator"), 0);
  EXPECT_EQ(fake.kept(), Names{library.file.filename().string()});
}

// Bits that a disk turns, and ends that a full one loses, anywhere in a library.
TEST(RtlBuilder, BuildsALibraryAgainThatDiffersFromItsDigest) {
  constexpr std::uint64_t kSeed = 67;
  constexpr int kFlips = 40;
  const FakeTools fake;
  const std::vector<RtlSize> sizes{FakeTools::size(4), FakeTools::size(5)};
  Names damaged;
  const RtlBuildOptions options{.on_progress = [&](const RtlBuildProgress& progress) {
    damaged.assign(progress.damaged.begin(), progress.damaged.end());
  }};
  const fs::path library = fake.build(sizes, options)[0];
  EXPECT_TRUE(damaged.empty());
  Random random(kSeed);
  int built = fake.runs("verilator");
  const auto expect_built_again = [&](const std::string& what) {
    damaged.clear();
    fake.build(sizes, options);
    EXPECT_EQ(fake.runs("verilator"), ++built) << what << ", seed " << kSeed;
    EXPECT_EQ(damaged, Names{"a P=4"}) << what;
    EXPECT_EQ(fake.kept().size(), 2U) << what;
  };
  const std::string text = "a library" + std::string(5000, 'x');
  const CachedLibrary cached = cached_library(
      fake.cache(), FakeTools::size(4), rtl_key(FakeTools::size(4), fake.tools(), fake.where()));
  const auto keep = [&](const std::string& changed) {
    FakeTools::write(fake.file("built.so"), text);
    keep_library(fake.file("built.so"), cached);
    FakeTools::write(library, changed);
  };
  keep(text);
  fake.build(sizes, options);
  EXPECT_EQ(fake.runs("verilator"), built) << "it is as its digest says";
  for (int flip = 0; flip < kFlips; ++flip) {
    std::string changed = text;
    const auto bit = random.below(8 * text.size());
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    keep(changed);
    expect_built_again("bit " + std::to_string(bit));
  }
  for (int cut = 0; cut < kFlips / 4; ++cut) {
    const auto bytes = random.below(text.size());
    keep(text.substr(0, bytes));
    expect_built_again(std::to_string(bytes) + " bytes left");
  }
  fs::path digest = library;
  digest.replace_extension(".sha256");
  FakeTools::write(digest, "0123");
  expect_built_again("another digest");
  fs::remove(digest);
  expect_built_again("no digest");
}

// Libraries are loaded from it.
TEST(RtlBuilder, RefusesACacheThatOthersMayWrite) {
  const FakeTools fake;
  const std::vector<RtlSize> sizes{FakeTools::size(4)};
  const auto old = ::umask(0);
  const fs::path library = fake.build(sizes)[0];
  ::umask(old);
  EXPECT_EQ(fake.build(sizes)[0], library)
      << "what it makes itself is the owner's, whatever the umask";
  fs::path digest = library;
  digest.replace_extension(".sha256");
  for (const fs::path& path : {fake.cache(), fake.cache() / "rtl", library, digest}) {
    for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
      fs::permissions(path, others, fs::perm_options::add);
      const std::string what = refusal(fake, [&] { fake.build(sizes); });
      EXPECT_TRUE(what.starts_with("cache of switch RTL: found '" + path.string() +
                                   "', which others than its owner may write (mode 0"))
          << what;
      EXPECT_NE(what.find("; allowed: chmod go-w " + path.string() + ", or FREDSIM_CACHE=FOLDER"),
                std::string::npos)
          << what;
      fs::permissions(path, others, fs::perm_options::remove);
    }
  }
  EXPECT_EQ(fake.runs("verilator"), 1);
  if (::geteuid() != 0) return;  // nobody else may give a folder away
  ASSERT_EQ(::chown(fake.cache().c_str(), 12345, 12345), 0);
  EXPECT_NE(refusal(fake, [&] { fake.build(sizes); })
                .find("found '" + fake.cache().string() + "' of user 12345, and programs load"),
            std::string::npos);
  ASSERT_EQ(::chown(fake.cache().c_str(), 0, 0), 0);
}

TEST(RtlBuild, IsParsed) {
  EXPECT_EQ(parse_rtl_build("auto"), RtlBuild::kAuto);
  EXPECT_EQ(parse_rtl_build("never"), RtlBuild::kNever);
  try {
    parse_rtl_build("nevr");
    FAIL() << "no error";
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(), "--rtl-build: found 'nevr'; did you mean 'never'?");
  }
}

}  // namespace
}  // namespace fredsim
