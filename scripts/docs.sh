#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the pages of docs/ as a site, build/site/index.html, with MkDocs and its theme Material, which are installed if they are missing. A link that
# leads nowhere is an error.
#   --check   opens every page of it in headless Chromium, on a large screen and on a phone
#   --serve   serves the site on this machine instead, and builds it anew after every change
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

case "${1-}" in "" | --check | --serve) ;; *) die "found '$1'; allowed: --check, --serve" ;; esac
need_packages "${DOCS_PACKAGES[@]}"
if [[ "${1-}" == --serve ]]; then exec /usr/bin/mkdocs serve --config-file .mkdocs.yml; fi
/usr/bin/mkdocs build --quiet --strict --config-file .mkdocs.yml
say "the site: build/site/index.html"
if [[ "${1-}" == --check ]]; then
  need_packages python3 python3-selenium chromium chromium-driver
  /usr/bin/python3 -B tests/pages/site_test.py --browser /usr/bin/chromium --driver /usr/bin/chromedriver --site build/site
fi
