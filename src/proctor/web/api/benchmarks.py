"""/api/benchmarks: the library. Files are sent unencoded as the request body."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse

from proctor.benchmark import Case
from proctor.formats.rules import COLUMNS
from proctor.reports.values import plain
from proctor.web.api import shapes
from proctor.web.api.answers import answer
from proctor.web.pages import file_limit
from proctor.web.site.forms import read_limited_body
from proctor.web.site.site import site_of
from proctor.workflows.doctor import find_problems
from proctor.workflows.intake import Intake, take_in
from proctor.workflows.library import LONGEST_DESCRIPTION, LONGEST_NAME, RefusedFile, StoredBenchmark
from proctor.workflows.run_filter import says

router = APIRouter(tags=["benchmarks"])
Named = Annotated[str, Path(description="The benchmark's id", examples=["handbook-30"])]
Which = Annotated[shapes.Version | None, Query()]
FileName = Annotated[
    str,
    Query(
        min_length=1,
        max_length=255,
        description="Its ending gives the format: .csv, .yaml, .yml, .jsonl, .zip (a suite and its sources); tables "
        "with a header are converted: .csv, .tsv, .xlsx, .jsonl",
        examples=["faq.csv"],
    ),
]
_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


async def _content(request: Request, file: FileName) -> bytes:
    """Read the request body up to the file size limit."""
    data = await read_limited_body(request, file_limit(file))
    if data is None:
        raise HTTPException(413, f"the file has more than {file_limit(file):,} bytes; split it into several")
    return data


Content = Annotated[bytes, Depends(_content)]


@router.get("/benchmarks", response_model=shapes.Benchmarks)
def list_benchmarks(request: Request) -> Response:
    """List all benchmarks with their versions."""
    return answer({"benchmarks": site_of(request).library.all()})


@router.post("/benchmarks", status_code=201, response_model=shapes.BenchmarkBody, openapi_extra=_BODY)
async def save_benchmark(
    request: Request,
    file: FileName,
    content: Content,
    name: Annotated[str, Query(max_length=LONGEST_NAME, description="A suite may have its own")] = "",
    description: Annotated[str, Query(max_length=LONGEST_DESCRIPTION)] = "",
) -> Response:
    """Store a file as a benchmark, or as a new version of the benchmark with this name. 422 lists all errors."""
    library = site_of(request).library

    def save() -> StoredBenchmark:
        taken = take_in(file, content)
        if taken.examined.benchmark is None:
            raise RefusedFile(f"{file} is not a benchmark: {taken.examined.first}", taken.examined)
        return library.save(file=taken.file, content=taken.content, name=name, description=description)

    saved = await run_in_threadpool(save)
    return answer(saved, status=201, location=f"/api/benchmarks/{saved.id}")


@router.post("/benchmarks/check", response_model=shapes.Checked, openapi_extra=_BODY)
async def check_benchmark(file: FileName, content: Content) -> Response:
    """Check a file: preview, compatibility, all errors, and how a table was converted. Nothing is stored."""
    return answer(_examination_body(await run_in_threadpool(lambda: take_in(file, content))))


@router.get("/benchmarks/{benchmark}", response_model=shapes.BenchmarkBody)
def read_benchmark(request: Request, benchmark: Named) -> Response:
    """Get a benchmark with its versions."""
    return answer(site_of(request).library.find(benchmark))


@router.delete("/benchmarks/{benchmark}", status_code=204)
def remove_benchmark(request: Request, benchmark: Named) -> Response:
    """Delete a benchmark with all its versions. Runs keep their own copy."""
    site_of(request).library.delete(benchmark)
    return Response(status_code=204)


@router.get("/benchmarks/{benchmark}/cases", response_model=shapes.Cases)
def list_cases(
    request: Request,
    benchmark: Named,
    version: Which = None,
    q: Annotated[str, Query(max_length=200, description="Words in questions and answers")] = "",
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> Response:
    """List the cases of a benchmark with their expectations."""
    found = [case for case in site_of(request).library.read(benchmark, version).cases if _matches(case, q)]
    return answer({"cases": [plain(case) for case in found[offset : offset + limit]], "found": len(found)})


@router.get("/benchmarks/{benchmark}/doctor", response_model=shapes.BenchmarkProblemsBody)
def consult_doctor(request: Request, benchmark: Named, version: Which = None) -> Response:
    """List problems of the benchmark itself, worst first."""
    return answer({"complaints": find_problems(site_of(request).library.read(benchmark, version))})


@router.get(
    "/benchmarks/{benchmark}/file",
    response_class=FileResponse,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
def download_benchmark(request: Request, benchmark: Named, version: Which = None) -> FileResponse:
    """Download the file as it was uploaded."""
    path = site_of(request).library.original(benchmark, version)
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)


def _matches(case: Case, q: str) -> bool:
    return says(q, case.question, case.answer or "", id=case.id)


def _examination_body(taken: Intake) -> dict[str, Any]:
    examined, done = taken.examined, taken.conversion
    return {
        "rows": examined.rows,
        "errors": examined.errors,
        "preview": [{name: getattr(case, name) for name in ("id", *COLUMNS)} for case in examined.preview],
        "compatibility": examined.compatibility,
        "more_errors": examined.more,
        "converted": None if done is None else {"columns": done.columns, "dropped": done.dropped, "notes": done.notes},
    }
