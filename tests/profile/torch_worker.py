# SPDX-License-Identifier: Apache-2.0
"""One of two processes that train a perceptron over gloo and trace a step of it, for torch_test.py.

torch_worker.py RANK FOLDER KIND: writes FOLDER/host_RANK.json, complete when the process has ended, and FOLDER/step_RANK.json.
KIND: plain, an all-reduce after the other; or ddp, DistributedDataParallel, whose all-reduces run beside the backward pass."""

import sys
import time
from pathlib import Path

import torch
import torch.distributed
from torch import nn
from torch.autograd import profiler

RANK, FOLDER, KIND = int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
SAMPLES, WIDTHS = 32, (64, 128, 16)


def perceptron() -> nn.Module:
    first, second, third = WIDTHS
    model = nn.Sequential(nn.Linear(first, second), nn.ReLU(), nn.Linear(second, third))
    return nn.parallel.DistributedDataParallel(model) if KIND == "ddp" else model


def step(model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    optimizer.zero_grad()
    model(torch.randn(SAMPLES, WIDTHS[0])).square().mean().backward()
    if KIND == "plain":
        for parameter in model.parameters():
            torch.distributed.all_reduce(parameter.grad)
    optimizer.step()


def main() -> None:
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"file://{FOLDER / 'store'}", rank=RANK, world_size=2)
    model = perceptron()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(2):  # DistributedDataParallel makes its buckets anew after the first
        step(model, optimizer)
    observer = torch.profiler.ExecutionGraphObserver()
    observer.register_callback(str(FOLDER / f"host_{RANK}.json"))
    observer.start()
    with profiler.profile(use_kineto=False) as profile:
        with profiler.record_function("ProfilerStep#3"):
            step(model, optimizer)
        time.sleep(0.5)  # a thread of gloo records its collective after it has completed it
    observer.stop()
    observer.unregister_callback()
    profile.export_chrome_trace(str(FOLDER / f"step_{RANK}.json"))


if __name__ == "__main__":
    main()
