"""The server's library of benchmarks: uploaded files with their versions, and the two of the demonstration.

A changed file is a new version; runs keep the benchmark they were started with in any case. Files are in
`.proctor/benchmarks/ID/VERSION/ID.csv`, their metadata in `ID/about.json`.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import threading
import time
import unicodedata
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from proctor import demo
from proctor.benchmark import Benchmark
from proctor.codec import decode, encode
from proctor.errors import InputError
from proctor.formats import archive, csv
from proctor.formats.suites import suite
from proctor.redaction import private
from proctor.workflows.upload import ZIP, ExaminedFile, examine

_ABOUT = "about.json"
_UNPACKED = "files"
_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
LONGEST_NAME = 200
LONGEST_DESCRIPTION = 2000


class NoSuchBenchmark(InputError):
    """Raised when the library has no benchmark, or no version of one, with this id."""


class RefusedFile(InputError):
    """Raised for a file with errors; `examined` has all of them."""

    def __init__(self, message: str, examined: ExaminedFile) -> None:
        super().__init__(message)
        self.examined = examined


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    """A version of a benchmark."""

    id: str
    """First 12 hex digits of the digest of the file's bytes."""
    file: str
    """Original file name."""
    digest: str
    """Digest of the benchmark's content, by which runs are compared."""
    cases: int
    added: float
    """Upload time in seconds since the epoch; 0 if it ships with Proctor."""
    inside: str = ""
    """Path of the suite in a zip file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredBenchmark:
    """A benchmark of the library."""

    id: str
    """Id for URLs: letters, digits and hyphens."""
    name: str
    versions: tuple[Version, ...]
    """Versions, the newest first."""
    description: str = ""
    own: bool = True
    """False if it ships with Proctor and cannot be changed."""

    @property
    def newest(self) -> Version:
        """Newest version, which a new run uses."""
        return self.versions[0]


class Library:
    """The benchmarks in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._changing = threading.Lock()

    def all(self) -> list[StoredBenchmark]:
        """Return every benchmark, by name; those of the demonstration last."""
        abouts = sorted(self._folder.glob(f"*/{_ABOUT}"))
        own = [about for path in abouts if _ID.fullmatch(path.parent.name) and (about := _read(path)) is not None]
        return [*sorted(own, key=lambda each: each.name.casefold()), *_embedded_benchmarks()]

    def find(self, identity: str) -> StoredBenchmark:
        """Return the benchmark with this id."""
        found = _read(self._folder / identity / _ABOUT) if _ID.fullmatch(identity) else None
        for each in _embedded_benchmarks():
            if each.id == identity:
                found = each
        if found is None:
            raise NoSuchBenchmark(
                f"there is no benchmark {identity!r} here; the list of benchmarks shows those there are"
            )
        return found

    def path(self, identity: str, version: str | None = None) -> Path:
        """Return the file of a version, by default the newest."""
        stored, meant = self._find_version(identity, version)
        if not stored.own:
            return _EMBEDDED[identity]()
        return self._suite(stored, meant) if meant.inside else self._file(stored, meant)

    def original(self, identity: str, version: str | None = None) -> Path:
        """Return the original file, which may be a zip file."""
        stored, meant = self._find_version(identity, version)
        return self._file(stored, meant) if stored.own else self.path(identity, version)

    def _find_version(self, identity: str, version: str | None) -> tuple[StoredBenchmark, Version]:
        stored = self.find(identity)
        meant = next((each for each in stored.versions if version in (None, each.id)), None)
        if meant is None:
            raise NoSuchBenchmark(f"the benchmark {stored.name!r} has no version {version!r}")
        return stored, meant

    def playable(self, identity: str, version: str | None = None) -> Benchmark | Path:
        """Return the input of `prepare`: the file of a suite, or rows as a benchmark with its name."""
        path = self.path(identity, version)
        return path if suite.is_suite(path) else self.read(identity, version)

    def read(self, identity: str, version: str | None = None) -> Benchmark:
        """Return the benchmark."""
        stored, path = self.find(identity), self.path(identity, version)
        if suite.is_suite(path):
            return suite.read_suite(path)
        return csv.benchmark(csv.read_path(path), name=stored.name, description=stored.description)

    def save(self, *, file: str, content: bytes, name: str = "", description: str = "") -> StoredBenchmark:
        """Save a file as a benchmark, or as a new version of the one with its name; raise RefusedFile with all errors.

        A suite may contain its own name; rows need one. A version is only added to the benchmark that was named.
        """
        examined = examine(file, content)
        if examined.benchmark is None:
            raise RefusedFile(f"{file or 'the file'} is not a benchmark: {examined.first}", examined)
        given = name
        name, description = _check_texts(name or examined.benchmark.name, description or examined.benchmark.description)
        with self._changing:
            if not given and any(each.own and each.name == name for each in self.all()):
                raise InputError(
                    f"the suite calls itself {name!r}, and there is a benchmark of that name already: "
                    "give that name to add a version to it, or another name"
                )
            version = replace(_version(file, content, examined.benchmark), inside=examined.inside)
            return self._add(name, description, version, content)

    def edited_file(self, identity: str, version: str | None, file: str, content: bytes) -> tuple[str, bytes]:
        """Return the file name and content to save for an edited version; a suite keeps its folder of sources."""
        stored, meant = self._find_version(identity, version)
        read = suite.read_bytes(content, name=file).benchmark if suite.is_suite(file) else None
        if read is None or read.sources is None or not suite.is_suite(path := self.path(identity, version)):
            return file, content
        root = self._file(stored, meant).with_name(_UNPACKED) if meant.inside else path.parent
        sources = self.read(identity, version).sources
        source_paths = root.rglob("*") if meant.inside else Path(sources).rglob("*") if sources is not None else ()
        files = {each.relative_to(root).as_posix(): each.read_bytes() for each in source_paths if each.is_file()}
        files[path.relative_to(root).as_posix()] = content
        return f"{Path(file).stem}{ZIP}", archive.pack(files)

    def delete(self, identity: str) -> None:
        """Delete a benchmark with all its versions; runs keep their copies."""
        stored = self.find(identity)
        if not stored.own:
            raise InputError(f"the benchmark {stored.name!r} came with Proctor and cannot be deleted")
        with self._changing:
            shutil.rmtree(self._folder / identity, ignore_errors=True)

    def _add(self, name: str, description: str, version: Version, content: bytes) -> StoredBenchmark:
        known = next((each for each in self.all() if each.own and each.name == name), None)
        if known is None:
            known = StoredBenchmark(id=self._new_id(name), name=name, versions=(version,))
        else:
            older = tuple(each for each in known.versions if each.id != version.id)
            known = replace(known, versions=(version, *older))
        known = replace(known, description=description)
        _write(self._file(known, version), content)
        if version.inside:
            self._unpack(known, version, content)
        _write(self._folder / known.id / _ABOUT, encode(known).encode())
        return known

    def _file(self, stored: StoredBenchmark, version: Version) -> Path:
        """Return the path of the file; it has the benchmark's name, since an unnamed suite is named after its file."""
        return self._folder / stored.id / version.id / f"{stored.id}{Path(version.file).suffix.lower()}"

    def _suite(self, stored: StoredBenchmark, version: Version) -> Path:
        """Return the path of an unpacked suite, which has the benchmark's name, beside its sources."""
        inside = Path(version.inside)
        return self._file(stored, version).with_name(_UNPACKED) / inside.with_name(f"{stored.id}{inside.suffix}")

    def _unpack(self, stored: StoredBenchmark, version: Version, content: bytes) -> None:
        """Unpack a zip file atomically."""
        suite_path = self._suite(stored, version)
        folder = self._file(stored, version).with_name(_UNPACKED)
        if folder.exists():
            return
        unfinished = folder.with_name(f".{_UNPACKED}.new")
        shutil.rmtree(unfinished, ignore_errors=True)
        archive.unpack(content, unfinished)
        (unfinished / version.inside).rename(unfinished / suite_path.relative_to(folder))
        unfinished.rename(folder)

    def _new_id(self, name: str) -> str:
        taken = {*_NO_IDS} | {each.id for each in self.all()} | {path.name for path in self._folder.glob("*")}
        plain, number = _slug(name), 1
        while (made := plain if number == 1 else f"{plain}-{number}") in taken:
            number += 1
        return made


def _check_texts(name: str, description: str) -> tuple[str, str]:
    name, description = " ".join(name.split()), description.strip()
    if not name:
        raise InputError("the benchmark has no name; give it one")
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise InputError(f"the name cannot be used; expected up to {LONGEST_NAME} printable characters")
    if len(description) > LONGEST_DESCRIPTION:
        raise InputError(f"the description has {len(description):,} characters; expected up to {LONGEST_DESCRIPTION:,}")
    return name, description


def _version(file: str, content: bytes, benchmark: Benchmark) -> Version:
    return Version(
        id=hashlib.sha256(content).hexdigest()[:12],
        file=Path(file).name,
        digest=benchmark.digest,
        cases=len(benchmark.cases),
        added=time.time(),
    )


_NO_IDS = ("new", "check")
"""Ids reserved for URLs of the web app and its API."""


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:48].strip("-") or "benchmark"


def _read(path: Path) -> StoredBenchmark | None:
    try:
        return decode(path.read_bytes(), StoredBenchmark)
    except (OSError, msgspec.DecodeError):
        return None


def _write(path: Path, content: bytes) -> None:
    """Write the file atomically."""
    private.make_folder(path.parent)
    unfinished = path.with_name(f".{path.name}.new")
    private.write(unfinished, content)
    unfinished.replace(path)


_EMBEDDED = {"handbook-30": demo.benchmark_path, "library-skills": demo.suite_path}


def _embedded_benchmarks() -> list[StoredBenchmark]:
    return [_of_demonstration(identity) for identity in _EMBEDDED]


_known_embedded: dict[str, StoredBenchmark] = {}


def _of_demonstration(identity: str) -> StoredBenchmark:
    """Return a benchmark of the demonstration, cached since its files do not change."""
    if identity not in _known_embedded:
        path = _EMBEDDED[identity]()
        content = path.read_bytes()
        benchmark = suite.read_suite(path) if suite.is_suite(path) else csv.benchmark(content, name=identity)
        version = replace(_version(path.name, content, benchmark), added=0.0)
        described = benchmark.description or "Thirty questions over the handbook of the demonstration."
        _known_embedded[identity] = StoredBenchmark(
            id=identity, name=benchmark.name, description=described, versions=(version,), own=False
        )
    return _known_embedded[identity]
