// SPDX-License-Identifier: Apache-2.0
// Child processes: their end, output, folder, environment and group, and programs that cannot be
// started.
#include "base/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "base/error.h"
#include "base/file_text.h"
#include "support/temporary_folder.h"

namespace fredsim {
namespace {

ChildCommand shell(const std::string& text) { return {{"/bin/sh", "-c", text}, {}}; }

TEST(ChildProcess, TellsHowItEnded) {
  EXPECT_EQ(ChildProcess(shell("exit 0"), {}).wait().failure(), "");
  EXPECT_EQ(ChildProcess(shell("exit 3"), {}).wait().failure(), "exit code 3");
  ChildProcess child(shell("exec sleep 100"), {});  // no shell whose death leaves it
  EXPECT_FALSE(child.ended().has_value());
  child.send(SIGTERM);
  EXPECT_EQ(child.wait().failure(), "signal 15");
}

TEST(ChildProcess, WritesToAFileWithItsTemporaryFilesBeside) {
  const TemporaryFolder folder;
  const auto output = folder.path() / "output";
  ChildCommand command = shell("cat; echo $TMPDIR; pwd; echo error >&2");
  command.folder = "/";
  EXPECT_EQ(start_to_file(command, output, true).wait().exit_code, 0);
  EXPECT_EQ(file_text(output.string()), folder.path().string() + "\n/\nerror\n");
}

TEST(ChildProcess, DoesWorkOfThisProcessWithItsOutputsAlone) {
  const TemporaryFolder folder;
  const int output = ::open((folder.path() / "output").c_str(), O_WRONLY | O_CREAT, 0600);
  const int kept = ::dup(output), other = ::dup(output);
  const std::string text = "a value of this process\n";
  const auto work = [&] {
    if (::write(STDOUT_FILENO, text.data(), text.size()) < 0) return 1;
    return ::write(kept, "kept\n", 5) == 5 && ::write(other, "other\n", 6) < 0 ? 7 : 2;
  };
  EXPECT_EQ(ChildProcess(work, {.out = output}, {kept}).wait().exit_code, 7);
  for (const int descriptor : {output, kept, other}) ::close(descriptor);
  EXPECT_EQ(file_text((folder.path() / "output").string()), text + "kept\n");
}

TEST(ChildProcess, IsRefusedWithTheReasonWhereItCannotStart) {
  const auto message = [](const ChildCommand& command) -> std::string {
    try {
      ChildProcess(command, {}).wait();
    } catch (const BadInput& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({{"/none"}, {}}), "'/none' cannot be started: No such file or directory");
  EXPECT_EQ(message({{"/bin/sh"}, "/none"}),
            "'/bin/sh' cannot be started: No such file or directory");
  EXPECT_EQ(message({{"/etc/passwd"}, {}}), "'/etc/passwd' cannot be started: Permission denied");
}

TEST(ChildProcess, EndsWithItsObjectAndWithItsGroup) {
  const TemporaryFolder folder;
  const auto output = folder.path() / "output";
  pid_t grandchild = 0;
  {
    const ChildProcess child = start_to_file(shell("sleep 100 & echo $!; wait"), output, true);
    std::string text;
    while (text.empty() || text.back() != '\n') text = file_text(output.string()).value_or("");
    grandchild = std::stoi(text);
    EXPECT_EQ(::kill(grandchild, 0), 0);
  }
  // Killed, it is gone, or waits for init to take its end.
  const std::string file = "/proc/" + std::to_string(grandchild) + "/stat";
  for (std::string stat = "R"; !stat.empty() && stat.find(") Z") == std::string::npos;)
    stat = file_text(file).value_or("");
}

TEST(ChildProcess, GivesItsOutput) {
  EXPECT_EQ(output_of(shell("echo text")), "text\n");
  EXPECT_EQ(output_of(shell("echo text; exit 1")), std::nullopt);
}

}  // namespace
}  // namespace fredsim
