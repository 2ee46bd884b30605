"""Private folders and files: modes 0700 and 0600 regardless of the umask."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

FOLDER = ".proctor"
"""Name of our own folders: if others can read one, its permissions are tightened when it is used."""
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_folder(path: Path) -> Path:
    """Create a folder and missing parents for the owner only; existing folders keep their mode, except our own."""
    for each in [path, *path.parents][::-1]:
        if not each.exists():
            with suppress(FileExistsError):  # another process created it first
                each.mkdir(mode=stat.S_IRWXU)
                each.chmod(stat.S_IRWXU)
        elif each.name == FOLDER:
            _close(each)
    path.mkdir(exist_ok=True)  # raises if it is a file
    return path


def make_file(path: Path) -> None:
    """Create an empty file accessible to the owner only, unless it exists."""
    with suppress(FileExistsError), open(path, "xb", opener=private_opener):
        pass


def private_opener(path: str, flags: int) -> int:
    """Opener for `open` that restricts files to the owner: new ones, and existing ones that we own."""
    descriptor = os.open(path, flags, stat.S_IRUSR | stat.S_IWUSR)
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid():
        with suppress(OSError):  # a file system without permissions
            os.fchmod(descriptor, stat.S_IRUSR | stat.S_IWUSR)
    return descriptor


def write(path: Path, content: bytes) -> None:
    """Write a file that is accessible to the owner only."""
    with open(path, "wb", opener=private_opener) as file:
        file.write(content)


def close_ours(path: Path) -> None:
    """Remove the access of others to a file in one of our folders, and to the folder; leave other files alone."""
    ours = [folder for folder in path.parents if folder.name == FOLDER]
    for each in (*ours, path) if ours else ():
        _close(each)


def _close(path: Path) -> None:
    with suppress(OSError):  # it is gone, or the file system has no permissions
        found = path.lstat()
        if found.st_uid == os.geteuid() and found.st_mode & _OTHERS and not stat.S_ISLNK(found.st_mode):
            path.chmod(stat.S_IMODE(found.st_mode) & ~_OTHERS)
