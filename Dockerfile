# SPDX-License-Identifier: Apache-2.0
# fredsim on Debian 12, from our packages.
#
#   docker build -t fredsim .
#   docker run --rm -v "$PWD:/work" fredsim compare mesh fred_d --size 1MiB
#
# Files of the current folder are in /work. MACHINES, RTL of a size that the program does not have: see docs/user/install.md.
FROM debian:12-slim AS build
WORKDIR /fredsim
COPY . .
RUN scripts/package.sh deb

FROM debian:12-slim
RUN --mount=type=bind,from=build,source=/fredsim/build-package,target=/packages \
    apt-get update \
    && apt-get install -y --no-install-recommends /packages/fredsim_*.deb /packages/python3-fredsim_*.deb \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin
WORKDIR /work
ENTRYPOINT ["fredsim"]
CMD ["--help"]
