"""Ratios of our own speed to a floor measured in the same run: `python -m tests.benchmarks [NAME…]`.

A time alone says little about a program and much about a machine, so nothing here is a unit test and nothing asserts. Each
row says what was compared, both medians, the ratio and the ratio aimed at.
"""
