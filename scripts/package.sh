#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packages of fredsim, in build-package/:
#
#   scripts/package.sh [KIND…]         # builds these; without a KIND: deb tar wheel
#   scripts/package.sh --try [KIND…]   # and tries each in a bare Debian 12 of a temporary folder, as root
#
#   deb     fredsim, the program with machines and pages; fredsim-dev, libraries and headers for external programs; python3-fredsim
#   tar     fredsim-VERSION-linux-x86_64.tar.gz: the program and the package for Python, in a folder that may stand anywhere
#   wheel   the package for Python with the program inside, for pip. --python PROGRAM, more than once: for these interpreters (default:
#           /usr/bin/python3); --try runs it in each of them
#   image   fredsim:VERSION by the Dockerfile, with docker, podman or buildah, whichever is there
#
# tar and wheel hold the shared libraries that they need, and are without MPI; they run where glibc is not older than here.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tries=0 kinds=() pythons=()
while (($# > 0)); do
  case "$1" in
    --try) tries=1 ;;
    --python)
      (($# > 1)) || die "--python: found nothing; allowed: a Python, such as /usr/bin/python3"
      shift
      "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || die "--python: found '$1'; allowed: a Python from 3.11 on"
      pythons+=("$(command -v "$1")")
      ;;
    deb | tar | wheel | image) kinds+=("$1") ;;
    *) die "found '$1'; allowed: deb, tar, wheel, image, --try, --python PROGRAM" ;;
  esac
  shift
done
((${#kinds[@]} > 0)) || kinds=(deb tar wheel)
((${#pythons[@]} > 0)) || pythons=(/usr/bin/python3)
asked() { [[ " ${kinds[*]} " == *" $1 "* ]]; }

version=$(sed -nE 's/^project\(fredsim VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
tar=fredsim-$version-linux-$(uname -m)
work=$(mktemp -d)
bare=$work/bare
clean() {
  local mounted
  for mounted in "$work"/*/proc; do umount "$mounted" 2>/dev/null || true; done
  rm -rf --one-file-system "$work"
}
trap clean EXIT
mkdir -p build-package

# build FOLDER OPTION…: the program in a build folder of its own.
build() {
  say "the program in $1"
  with_log cmake -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DFREDSIM_PACKAGE=ON -DFREDSIM_PYTHON=ON \
    -DCMAKE_SKIP_INSTALL_ALL_DEPENDENCY=ON "${@:2}"
  with_log cmake --build "$1" --target fredsim fredsim_python fredsim_pages
}

make_deb() {
  need_packages "${BUILD_PACKAGES[@]}" dpkg-dev file
  build build-package/deb -DCMAKE_INSTALL_PREFIX=/usr
  rm -f build-package/*.deb
  (cd build-package/deb && with_log cpack -G DEB -B "$PWD/..")
  rm -rf build-package/_CPack_Packages
}

# A prefix with the program, its libraries with their licences, and the package for the Python of
# build-package/portable.
install_portable() {
  local component library package
  rm -rf "$1"
  for component in program python; do
    with_log cmake --install build-package/portable --strip --component "$component" --prefix "$1"
  done
  for library in "$1"/lib/fredsim/*.so*; do
    package=$(dpkg -S "*/$(basename "$library")" | sed -n '1s/:.*//p')
    mkdir -p "$1/share/fredsim/licences"
    cp "/usr/share/doc/$package/copyright" "$1/share/fredsim/licences/$package"
  done
}

make_portable() {
  need_packages "${BUILD_PACKAGES[@]}" dpkg-dev python3-wheel
  local python
  rm -f build-package/*.whl build-package/*.tar.gz
  for python in "${pythons[@]}"; do
    build build-package/portable -DFREDSIM_PORTABLE=ON -DFREDSIM_MPI=OFF -U'*Python_*' -DPython_EXECUTABLE="$python"
    install_portable "$work/$tar"
    if asked wheel; then (cd scripts && /usr/bin/python3 -B -m fredsim_tools.wheel "$work/$tar" ../build-package); fi
  done
  if asked tar; then tar -C "$work" --owner=0 --group=0 -czf "build-package/$tar.tar.gz" "$tar"; fi
}

# The tool for images: a docker without its daemon is none.
image_tool() {
  if docker info >/dev/null 2>&1; then
    echo docker
  else
    command -v podman || command -v buildah || die "image: found none of docker, podman and buildah; allowed: one of them"
  fi
}

make_image() {
  local tool
  tool=$(image_tool)
  say "image: by $(basename "$tool")"
  "$tool" build -t "fredsim:$version" .
}

# A fresh copy of a bare Debian 12, in the folder $bare; inside WORD… runs a command there, and
# shows what it prints if it fails.
fresh() {
  need_packages debootstrap
  if [[ ! -d "$work/debian" ]]; then
    say "a bare Debian 12"
    with_log debootstrap --variant=minbase bookworm "$work/debian"
    with_log chroot "$work/debian" apt-get update
  fi
  umount "$bare/proc" 2>/dev/null || true
  rm -rf --one-file-system "$bare"
  cp -a "$work/debian" "$bare"
  mount -t proc proc "$bare/proc"
}
inside() { with_log chroot "$bare" env DEBIAN_FRONTEND=noninteractive "$@"; }

try_deb() {
  need_packages lintian
  say "deb: lintian"
  lintian --fail-on error --allow-root build-package/*.deb
  fresh
  cp build-package/*.deb "$bare/root/"
  say "deb: fredsim alone: machines by name, no compiler"
  inside sh -c 'apt-get install -y --no-install-recommends /root/fredsim_*.deb'
  chroot "$bare" sh -c 'cd /tmp && fredsim run fred_small --quiet && fredsim info fred_d | head -3'
  [[ -e "$bare/usr/share/man/man1/fredsim-run.1.gz" || -e "$bare/etc/dpkg/dpkg.cfg.d/docker" ]] || die "no manual pages"
  say "deb: python3-fredsim"
  inside sh -c 'apt-get install -y --no-install-recommends /root/python3-fredsim_*.deb'
  chroot "$bare" sh -c 'cd /tmp && python3 -c "import fredsim; print(fredsim.run(\"fred_small\", size=\"64KiB\").runs[0].time_ns, \"ns\")"'
  say "deb: with what it recommends: RTL of a size that it does not have"
  inside apt-get install -y --no-install-recommends g++ verilator zlib1g-dev
  chroot "$bare" sh -c 'cd /tmp && fredsim run fred_small --model lockstep --size 4KiB --set fabric.middle=2 --quiet'
  say "deb: fredsim-dev: a program of one's own"
  inside sh -c 'apt-get install -y --no-install-recommends /root/fredsim-dev_*.deb make'
  cp -r testbenches/tb_own_npu "$bare/tmp/my_npu"
  inside sh -c 'cmake -S /tmp/my_npu -B /tmp/my_npu/build && cmake --build /tmp/my_npu/build'
  chroot "$bare" sh -c '/tmp/my_npu/build/my_npu --config /usr/share/fredsim/configs/fred_small.yaml --model rtl 2>/dev/null | head -8'
}

try_tar() {
  fresh
  say "tar: unpacked and moved, with nothing installed"
  tar -C "$bare/opt" -xzf "build-package/$tar.tar.gz"
  mv "$bare/opt/$tar" "$bare/opt/of fredsim"
  chroot "$bare" sh -c 'cd /tmp && "/opt/of fredsim/bin/fredsim" compare mesh fred_d --size 1MiB --model rtl --quiet && "/opt/of fredsim/bin/fredsim" info fred_d | head -3'
}

# in_environment ROOT PYTHON: the wheel in a fresh virtual environment of an interpreter; ROOT
# empty: of this machine's.
in_environment() {
  local as=()
  [[ -z "$1" ]] || as=(chroot "$1")
  # shellcheck disable=SC2016
  "${as[@]}" sh -ec 'cd /tmp && folder=$(mktemp -d) && trap "rm -rf $folder" EXIT
    "$1" -m venv "$folder" && "$folder/bin/pip" -q --disable-pip-version-check install --no-index "$2" && cd "$folder"
    bin/fredsim run fred_small --quiet
    bin/python -c "import fredsim; print(fredsim.__version__, fredsim.run(\"fred_small\", size=\"64KiB\").runs[0].time_ns, \"ns,\", len(fredsim.Machine(\"fred_d\").links), \"links\")"' sh "$2" "$3"
}

try_wheel() {
  local python number wheel
  fresh
  say "wheel: pip install in a virtual environment, nothing else installed"
  inside apt-get install -y --no-install-recommends python3-venv
  for python in "${pythons[@]}"; do
    number=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
    wheel=$(basename build-package/fredsim-"$version"-"$number"-*.whl)
    if [[ "$number" == cp311 ]]; then
      cp "build-package/$wheel" "$bare/root/"
      in_environment "$bare" python3 "/root/$wheel"
    fi
    say "wheel: in $python"
    in_environment "" "$python" "$PWD/build-package/$wheel"
  done
}

# in_image COMMAND…: in a fresh container of the image.
in_image() {
  local tool container
  tool=$(image_tool)
  if [[ "$tool" != */buildah ]]; then
    "$tool" run --rm --entrypoint "" "fredsim:$version" "$@"
    return
  fi
  container=$(buildah from "fredsim:$version")
  buildah run "$container" -- "$@"
  buildah rm "$container" >/dev/null
}

try_image() {
  local bytes
  say "image: its size, a run, and the package for Python"
  bytes=$(in_image du -sxb --exclude=/proc --exclude=/sys --exclude=/dev / | cut -f 1)
  echo "$((bytes / 1000000)) MB"
  ((bytes <= 250000000)) || die "image: found $bytes bytes; allowed: 250 MB"
  in_image fredsim compare mesh fred_d --size 1MiB --quiet
  in_image python3 -c 'import fredsim; print(fredsim.run("fred_small", size="64KiB").runs[0].time_ns, "ns")'
}

for kind in "${kinds[@]}"; do
  case "$kind" in
    deb | image) "make_$kind" ;;
    *) [[ -n "${made_portable-}" ]] || make_portable; made_portable=yes ;;
  esac
done
say "packages"
find build-package -maxdepth 1 -type f
((tries)) || exit 0
for kind in "${kinds[@]}"; do "try_$kind"; done
say "all of it works there"
