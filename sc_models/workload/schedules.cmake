# SPDX-License-Identifier: Apache-2.0
# The schedules of gradients: one file in schedules/, one name in this list (schedule.h), in the order in which `--gradients` names them.
set(FREDSIM_SCHEDULES bucket layer zero2 dear priority)
