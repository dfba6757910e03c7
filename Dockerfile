# SPDX-License-Identifier: Apache-2.0
# fredsim on Debian 12: the program, its machines and the package for Python, without MPI and compilers.
#
#   docker build -t fredsim .
#   docker run --rm -v "$PWD:/work" fredsim compare mesh fred_d --size 1MiB
#
# Files of the current folder are in /work. RTL is of the sizes of mesh and fred_d alone (docs/user/install.md).
FROM debian:12-slim AS build
WORKDIR /fredsim
COPY . .
RUN scripts/package.sh tar

FROM debian:12-slim
RUN --mount=type=bind,from=build,source=/fredsim/build-package,target=/packages \
    apt-get update \
    && apt-get install -y --no-install-recommends python3 \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin \
    && tar -C /usr --strip-components=1 --no-same-owner -xzf /packages/fredsim-*.tar.gz
WORKDIR /work
ENTRYPOINT ["fredsim"]
CMD ["--help"]
