#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# in_temporary_folder.sh COMMAND…: runs the command with a folder of its own as one more argument,
# removed afterwards.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$@" "$folder"
