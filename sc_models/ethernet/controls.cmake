# SPDX-License-Identifier: Apache-2.0
# Congestion controls: one file in controls/, one name in this list (congestion_control.h).
set(FREDSIM_CONGESTION_CONTROLS none dcqcn dctcp timely hpcc hpcc_pint)
