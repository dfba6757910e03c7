#include "program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

namespace fredsim {

namespace {

using File = std::unique_ptr<std::FILE, decltype([](std::FILE* f) { std::fclose(f); })>;

std::string all_of(std::FILE* file) {
  std::string text;
  std::rewind(file);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  return text;
}

// In the child: never returns.
[[noreturn]] void become_program(std::vector<char*>& argv, int out, int err,
                                 const Surroundings& around) {
  const int in = ::open("/dev/null", O_RDONLY);
  if (!around.stdout_file.empty()) out = ::open(around.stdout_file.c_str(), O_WRONLY);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (around.max_file_bytes > 0) {
    const rlimit limit{.rlim_cur = around.max_file_bytes, .rlim_max = around.max_file_bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ::execv(FREDSIM_PROGRAM, argv.data());
  ::_exit(127);
}

}  // namespace

Outcome run_fredsim(const std::vector<std::string>& arguments, const Surroundings& around) {
  const File out(std::tmpfile());
  const File err(std::tmpfile());
  std::vector<std::string> words{"fredsim"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const pid_t child = ::fork();
  if (child == 0) become_program(argv, ::fileno(out.get()), ::fileno(err.get()), around);
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, all_of(out.get()), all_of(err.get())};
}

void expect_refused(const Outcome& outcome, const std::vector<std::string>& words) {
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_EQ(outcome.err.rfind("fredsim: ", 0), 0U) << outcome.err;
  for (const std::string& word : words) {
    EXPECT_NE(outcome.err.find(word), std::string::npos) << "'" << word << "' in " << outcome.err;
  }
}

FolderTest::FolderTest() {
  std::string name = (std::filesystem::temp_directory_path() / "fredsim_cli_XXXXXX").string();
  if (::mkdtemp(name.data()) != nullptr) folder_ = name;
}

FolderTest::~FolderTest() { std::filesystem::remove_all(folder_); }

std::string FolderTest::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name)) << text;
  return path(name);
}

std::vector<std::string> FolderTest::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string read_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace fredsim
