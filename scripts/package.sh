#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds Debian packages in build-package/: fredsim, the program with machines and pages; fredsim-dev, what programs of others need; and
# python3-fredsim, the package for Python.
#
#   scripts/package.sh         # builds them
#   scripts/package.sh --try   # and installs them in a bare Debian 12 of a temporary folder, as root, and runs them there
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tries=0
case "$*" in
  "") ;;
  --try) tries=1 ;;
  *) die "found '$*'; allowed: --try, or nothing" ;;
esac

need_packages "${BUILD_PACKAGES[@]}" dpkg-dev
say "the program, for a package"
with_log cmake -B build-package -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DFREDSIM_PACKAGE=ON -DFREDSIM_PYTHON=ON -DCMAKE_INSTALL_PREFIX=/usr
with_log cmake --build build-package
say "packages"
rm -f build-package/*.deb
(cd build-package && with_log cpack -G DEB)
ls build-package/*.deb
((tries)) || exit 0

need_packages debootstrap lintian
say "lintian"
lintian --fail-on error --allow-root build-package/*.deb
bare=$(mktemp -d)
trap 'umount "$bare/proc" 2>/dev/null || true; rm -rf --one-file-system "$bare"' EXIT
say "a bare Debian 12"
with_log debootstrap --variant=minbase bookworm "$bare"
cp build-package/*.deb "$bare/root/"
mount -t proc proc "$bare/proc"
inside() { with_log chroot "$bare" env DEBIAN_FRONTEND=noninteractive "$@"; }
inside apt-get update
say "fredsim alone: machines by name, no compiler"
inside sh -c 'apt-get install -y --no-install-recommends /root/fredsim_*.deb'
chroot "$bare" sh -c 'cd /tmp && fredsim run fred_small --quiet && fredsim info fred_d | head -3'
[[ -e "$bare/usr/share/man/man1/fredsim-run.1.gz" || -e "$bare/etc/dpkg/dpkg.cfg.d/docker" ]] || die "no manual pages"
say "python3-fredsim"
inside sh -c 'apt-get install -y --no-install-recommends /root/python3-fredsim_*.deb'
chroot "$bare" sh -c 'cd /tmp && python3 -c "import fredsim; print(fredsim.run(\"fred_small\", size=\"64KiB\").runs[0].time_ns, \"ns\")"'
say "with what it recommends: RTL of a size that it does not have"
inside apt-get install -y --no-install-recommends g++ verilator zlib1g-dev
chroot "$bare" sh -c 'cd /tmp && fredsim run fred_small --model lockstep --size 4KiB --set fabric.middle=2 --quiet'
say "fredsim-dev: a program of one's own"
inside sh -c 'apt-get install -y --no-install-recommends /root/fredsim-dev_*.deb make'
cp -r testbenches/tb_own_npu "$bare/tmp/my_npu"
inside sh -c 'cmake -S /tmp/my_npu -B /tmp/my_npu/build && cmake --build /tmp/my_npu/build'
chroot "$bare" sh -c '/tmp/my_npu/build/my_npu --config /usr/share/fredsim/configs/fred_small.yaml --model rtl 2>/dev/null | head -8'
say "all of it works there"
