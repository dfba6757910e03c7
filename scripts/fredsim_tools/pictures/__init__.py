"""The pictures of README and docs, as SVG, each drawn from runs of fredsim."""
