// The text of a file that is named on the command line.
#pragma once

#include <optional>
#include <string>

namespace fredsim {

// "" of an empty file; none where it cannot be read, as errno says: it is not there, is a folder, …
std::optional<std::string> file_text(const std::string& path);

}  // namespace fredsim
