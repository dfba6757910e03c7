# SPDX-License-Identifier: Apache-2.0
"""prove.py [--deep] [--depth N] [--jobs N] [NAME…] FOLDER: runs the named proofs (`proofs.py`), or all, and checks that their faults break them."""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from formal import HERE, Prover, Wrong
from proofs import PROOFS


def main():
    parser = argparse.ArgumentParser(description="Proves properties of RTL modules, and that planted faults break them.")
    parser.add_argument("--deep", action="store_true", help="bounded proofs as deep as proofs.py says")
    parser.add_argument("--depth", type=int, default=0, help="steps of bounded proofs, where they have fewer")
    parser.add_argument("--jobs", type=int, default=1, help="proofs at the same time")
    parser.add_argument("names", nargs="*", metavar="NAME", help="proofs; none: all of them")
    parser.add_argument("folder", type=Path, help="for intermediate files; waveforms of what does not hold are left there")
    options = parser.parse_args()

    known = sorted({proof.name for proof in PROOFS})
    harnesses = sorted(file.name.removesuffix("_proof.sv") for file in HERE.glob("*_proof.sv"))
    if known != harnesses:
        sys.exit(f"prove.py: harnesses without a proof, or the other way round: {sorted(set(known) ^ set(harnesses))}")
    names = options.names or known
    for name in names:
        if name not in known:
            sys.exit(f"prove.py: found the proof {name}; allowed: {', '.join(known)}")

    prover = Prover(options.folder)
    wrong = []

    def check(numbered):
        number, proof = numbered
        try:
            depth = max(options.depth, proof.deep if options.deep else 0)
            print(prover.check(proof, number, depth if not proof.induction else 0), flush=True)
        except Wrong as what:
            print(f"FAILED: {what}", flush=True)
            wrong.append(proof.title())

    for name in names:
        left = prover.unbroken([proof for proof in PROOFS if proof.name == name])
        if left:
            print(f"FAILED: {name}: no fault breaks {', '.join(sorted(left))}")
            wrong.append(name)
    todo = [(number, proof) for number, proof in enumerate(PROOFS) if proof.name in names]
    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(check, todo))
    if wrong:
        sys.exit(f"prove.py: failed: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
