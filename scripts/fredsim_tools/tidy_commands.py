# SPDX-License-Identifier: Apache-2.0
"""python3 -m fredsim_tools.tidy_commands: compile commands for clang-tidy, in build/lint, from the commands of build.

Without precompiled headers, which are GCC's. Unity files are copied there as UnifiedSource_TARGET_N.cxx: Clang's analyzer follows
.cpp files that are included by a file of such a name, and by no other. Their .cpp files have commands, too. Prints what has every
.cpp in it: these copies, files that are compiled by themselves and, last, files of other presets, which clang-tidy runs with the
command of a neighbour."""

import json
import re
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
BUILD = CHECKOUT / 'build'
SOURCES = [CHECKOUT / folder for folder in ('sc_models', 'testbenches', 'tests')]


def without_pch(command: str) -> str:
    return re.sub(r' -include ("[^"]*cmake_pch\.hxx"|\S*cmake_pch\.hxx)', '', command)


def main() -> None:
    commands, units = [], []
    covered: set[str] = set()
    for entry in json.loads((BUILD / 'compile_commands.json').read_text()):
        entry['command'] = without_pch(entry['command'])
        name = entry['file']
        unity = re.search(r'/([^/]+)\.dir/Unity/unity_(\d+)_cxx\.cxx$', name)
        if unity:
            text = Path(name).read_text()
            copy = BUILD / 'lint' / f'UnifiedSource_{unity[1]}_{unity[2]}.cxx'
            copy.write_text(text)
            files = re.findall(r'^#include "(.*)"$', text, re.MULTILINE)
            covered |= set(files)
            commands += [dict(entry, file=file, command=entry['command'].replace(name, file)) for file in files]
            entry['command'] = entry['command'].replace(name, str(copy))
            entry['file'] = str(copy)
            units.append(str(copy))
        elif any(Path(name).is_relative_to(folder) for folder in SOURCES):
            covered.add(name)
            units.append(name)
        commands.append(entry)
    (BUILD / 'lint' / 'compile_commands.json').write_text(json.dumps(commands, indent=1))
    others = {str(file) for folder in SOURCES for file in folder.rglob('*.cpp')} - covered
    print('\n'.join(sorted(set(units)) + sorted(others)))


if __name__ == '__main__':
    main()
