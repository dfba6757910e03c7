#!/usr/bin/env bash
# Training iterations of the paper (§8.2, figure 10) on the mesh, Fred-C and -D: what can be run in reasonable time so
# far, ResNet-152, with the compute rate fitted on Fred-C's speed-up and with the roofline of the machine files, next to the paper's
# figures. Installs what is missing, builds, runs:
#
#   scripts/paper_fig10.sh [OPTION…]
#
# OPTIONs are those of `fredsim train`, such as --model rtl. Results as JSON and as a page: build/paper/paper_fig10*.
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_packages "${BUILD_PACKAGES[@]}"
build_targets fredsim

folder=build/paper
machines=(configs/paper/mesh.yaml configs/fred_c.yaml configs/fred_d.yaml)
work=(--workload resnet152 --dp 20)
mkdir -p "$folder"

echo "ResNet-152, the compute rate fitted on Fred-C = 1.41; the paper has 1.76 for Fred-D"
build/fredsim train "${machines[@]}" "${work[@]}" --fit configs/fred_c.yaml=1.41 --json "$folder/paper_fig10_fitted.json" "$@"
echo
echo "The same with the roofline of an H100-like NPU"
build/fredsim train "${machines[@]}" "${work[@]}" --json "$folder/paper_fig10_roofline.json" "$@"
build/fredsim report "$folder"/paper_fig10_{fitted,roofline}.json -o "$folder/paper_fig10.html"
echo
echo "as a page: $folder/paper_fig10.html"
