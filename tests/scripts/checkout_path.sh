#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# checkout_path.sh CHECKOUT: configures and builds parts of a copy of the checkout in a folder whose
# name has a space and an apostrophe; without tests, where GoogleTest must not be looked for; with
# them, but without GoogleTest, which is refused; and with a ccache that was not there before, which
# must not make anything be built again, and be used.
set -euo pipefail
checkout=$1
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
copy="$top/it's a test"
mkdir "$copy" "$top/bin"
cd "$checkout"
cp -r CMakeLists.txt README.md configs docs rtl sc_models scripts testbenches tests "$copy"
cd "$copy"
cp -r rtl "my rtl"

fail() {
  echo "FAILED: $*"
  exit 1
}
configure() {
  cmake -S . -B build -G Ninja "$@" >"$top/log" 2>&1
}
must_configure() { configure "$@" || { cat "$top/log"; fail "cmake $*"; }; }
build() { cmake --build build --target "$@" >"$top/log" 2>&1 || { cat "$top/log"; fail "building $*"; }; }
# would_do TEXT TARGET…: the dry run of a build of the targets contains the text.
would_do() {
  local text=$1
  shift
  ninja -C build -n "$@" >"$top/log"
  grep -q "$text" "$top/log"
}

echo "without tests and without GoogleTest"
own="mesh 1 0 1 5 1 mesh_router my rtl/mesh/mesh_router.f"
must_configure -DBUILD_TESTING=OFF -DFREDSIM_UNITY=OFF -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON "-DFREDSIM_SWITCHES=$own"
[[ ! -e build/CTestTestfile.cmake ]] || fail "there are tests"
class=sc_models/switch/verilated/Vmesh_1_0_1_5_1_mesh_router
build "$class/slow.cpp" fredsim_base
if grep -q "$top" "build/$class"/*.cpp; then fail "Verilator has names of files from the path, cut at a space"; fi
would_do "no work to do" "$class/slow.cpp" fredsim_base || fail "built once more"
touch "my rtl/mesh/mesh_allocator.sv"
would_do Verilating "$class/slow.cpp" || fail "a source of the switch is not known as one"
touch sc_models/base/rational.h
would_do units.cpp fredsim_base || fail "a header is not known as one"
build fredsim_base

echo "with a ccache that comes later"
cat >"$top/bin/ccache" <<END
#!/bin/sh
echo "\$@" >>"\${0%/bin/*}/ccache.log"
exec "\$@"
END
chmod +x "$top/bin/ccache"
export PATH="$top/bin:$PATH"
must_configure
would_do "no work to do" fredsim_base || fail "everything is built again"
touch sc_models/base/suggest.cpp
build fredsim_base
grep -q "suggest.cpp" "$top/ccache.log" || fail "ccache is not used"

echo "with tests but without GoogleTest"
if configure -DBUILD_TESTING=ON; then fail "configured"; fi
grep -q -e "-DBUILD_TESTING=OFF" "$top/log" || { cat "$top/log"; fail "no word of BUILD_TESTING"; }

echo "with tests"
must_configure -DCMAKE_DISABLE_FIND_PACKAGE_GTest=OFF
build tests/tutorial/verilated/Vfred_4_3_1_48_4_24_0_fred_switch/all.cpp
