"""Replaces the package filelock: a run has one process."""

from contextlib import nullcontext


def FileLock(_path):
    return nullcontext()
