"""Folders and files that are nobody else's: 0700 and 0600, whatever the umask says."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

FOLDER = ".proctor"
"""The name of folders that are ours: one that others could read is closed to them when it is used."""
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_folder(path: Path) -> Path:
    """Make a folder and those above it that lack, for its owner alone; what is there already stays as it is."""
    for each in [path, *path.parents][::-1]:
        if not each.exists():
            with suppress(FileExistsError):  # another process was quicker
                each.mkdir(mode=stat.S_IRWXU)
                each.chmod(stat.S_IRWXU)
        elif each.name == FOLDER:
            _close(each)
    path.mkdir(exist_ok=True)  # raises where it is a file
    return path


def make_file(path: Path) -> None:
    """Make an empty file for its owner alone, unless there is one."""
    with suppress(FileExistsError), open(path, "xb", opener=private_opener):
        pass


def private_opener(path: str, flags: int) -> int:
    """An opener for `open`: a file that it makes is its owner's alone, and so is one of ours from then on."""
    descriptor = os.open(path, flags, stat.S_IRUSR | stat.S_IWUSR)
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid():
        with suppress(OSError):  # a file system without modes
            os.fchmod(descriptor, stat.S_IRUSR | stat.S_IWUSR)
    return descriptor


def write(path: Path, content: bytes) -> None:
    """Write a file that is its owner's alone."""
    with open(path, "wb", opener=private_opener) as file:
        file.write(content)


def close_ours(path: Path) -> None:
    """Close a file in a folder of ours to others, and the folder; elsewhere, who made it has said who may read it."""
    ours = [folder for folder in path.parents if folder.name == FOLDER]
    for each in (*ours, path) if ours else ():
        _close(each)


def _close(path: Path) -> None:
    with suppress(OSError):  # it is gone, or the file system has no modes
        found = path.lstat()
        if found.st_uid == os.geteuid() and found.st_mode & _OTHERS and not stat.S_ISLNK(found.st_mode):
            path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)
