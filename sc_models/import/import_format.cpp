// SPDX-License-Identifier: Apache-2.0
#include "import/import_format.h"

#include "import/machine_text.h"

namespace fredsim {

ImportResult import_machine(const ImportFormat& format, const std::string& path,
                            const ImportOptions& options) {
  const ImportedMachine machine = format.read(path, options);
  if (!machine.graph.nodes.empty()) check_graph(machine.graph);
  return {machine_text(machine, format.name, path), machine.notes};
}

}  // namespace fredsim
