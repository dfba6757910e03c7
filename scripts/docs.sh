#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the pages of docs/ as a site, build/site/index.html, with MkDocs, which is installed if it is missing. A link that leads nowhere is an
# error. --serve: serves the site on this machine instead, and builds it anew after every change.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_packages mkdocs
case "${1-}" in
--serve) exec mkdocs serve --config-file .mkdocs.yml ;;
"")
  mkdocs build --quiet --strict --config-file .mkdocs.yml
  say "the site: build/site/index.html"
  ;;
*) die "found '$1'; allowed: --serve" ;;
esac
