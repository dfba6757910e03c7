# SPDX-License-Identifier: Apache-2.0
# The schedules of gradients: one file in schedules/, one name in this list (schedule.h), in the order in which `--gradients` names them.
set(FREDSIM_SCHEDULES bucket layer zero2 dear priority)
# Executions: where the weights are and in which order the passes go (execution.h); one file in executions/, one name, in the order of
# the enum Execution.
set(FREDSIM_EXECUTIONS stationary streaming)
