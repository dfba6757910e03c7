"""Synthesis of the RTL: area, timing and energy of its modules."""
