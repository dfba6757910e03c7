# SPDX-License-Identifier: Apache-2.0
"""fredsim: a cycle-accurate model of a wafer-scale interconnect, from Python.

    import fredsim
    mesh, fred = fredsim.Machine("configs/mesh.yaml"), fredsim.Machine("configs/fred_d.yaml")
    print(fredsim.compare([mesh, fred], "all_reduce", "64KiB").column("time_ns"))

Machines, plans, traffic and searches are computed in this process, runs and training in processes that are forked from it, studies by the program
`fredsim`. All return its results: records.py has every key of theirs as an attribute."""

from . import requirements

requirements.check()

from . import _fredsim, records
from .errors import BadInput, Error, Interrupted, RoutingConflict, RunFailed
from .facts import Parameter, SwitchKind, algorithms, collectives, switch_kinds, topology_kinds
from .machine import Link, Machine, Node
from .plan import Plan, PlannedPart
from .program import Progress, program
from .record import Record, Records, Results
from .simulation import compare, conflicts, load, optimize, run, strategies, sweep, traffic, train
from .trace import Trace, TraceNode

__version__ = _fredsim.version()
__commit__ = _fredsim.commit()

__all__ = [
    "BadInput", "Error", "Interrupted", "Link", "Machine", "Node", "Parameter", "Plan", "PlannedPart", "Progress", "Record", "Records", "Results",
    "RoutingConflict", "RunFailed", "SwitchKind", "Trace", "TraceNode", "__commit__", "__version__", "algorithms", "collectives", "compare", "conflicts", "load", "optimize",
    "program", "records", "run", "strategies", "sweep", "switch_kinds", "topology_kinds", "traffic", "train",
]  # fmt: skip
