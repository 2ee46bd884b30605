"""Installs agent frameworks, each into an environment of its own, and runs their tests against a scripted model.

    python tools/try_frameworks.py              # all of them
    python tools/try_frameworks.py crewai dspy  # some

Exit 1: a test failed, or a framework could not be installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENVIRONMENTS = ROOT / ".venv-frameworks"
PACKAGES = {
    "agno": ["agno", "openai", "openinference-instrumentation-agno"],
    "autogen": ["autogen-agentchat", "autogen-ext[openai]"],
    "claude_agent": ["claude-agent-sdk"],
    "crewai": ["crewai", "openinference-instrumentation-crewai"],
    "dspy": ["dspy", "openinference-instrumentation-dspy"],
    "google_adk": ["google-adk", "litellm", "mcp"],
    "llama_index": [
        "llama-index-core",
        "llama-index-llms-openai-like",
        "openinference-instrumentation-llama-index",
    ],
    "smolagents": ["smolagents", "openai", "openinference-instrumentation-smolagents"],
    "strands": ["strands-agents", "openai"],
}


def main(names: list[str]) -> int:
    """Try these, or all."""
    unknown = sorted(set(names) - PACKAGES.keys())
    if unknown:
        sys.exit(f"there is no framework {unknown[0]!r}; known are {', '.join(PACKAGES)}")
    results = {name: _try(name) for name in names or PACKAGES}
    for name, result in results.items():
        sys.stdout.write(f"{name:<14} {result}\n")
    return 0 if all(result == "passed" for result in results.values()) else 1


def _try(name: str) -> str:
    folder = ENVIRONMENTS / name
    python = folder / "bin" / "python"
    if not (folder / "stamp").exists():
        venv.create(folder, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        if subprocess.run([*install, *PACKAGES[name], "opentelemetry-sdk", "pytest", "-e", str(ROOT)]).returncode:
            return "cannot be installed"
        (folder / "stamp").touch()
    quiet = {"PYTHONPATH": str(ROOT), "LITELLM_LOCAL_MODEL_COST_MAP": "True", "CREWAI_DISABLE_TELEMETRY": "true"}
    options = [
        "-q",
        "--noconftest",
        "-c",
        os.devnull,
        "-p",
        "no:cacheprovider",
        "--import-mode=importlib",
        "-W",
        "ignore",
    ]
    test = [str(python), "-m", "pytest", *options, f"--rootdir={ROOT}", f"tests/frameworks/test_{name}.py"]
    done = subprocess.run(test, cwd=ROOT, env={**os.environ, **quiet}, timeout=600)
    return "passed" if done.returncode == 0 else "failed"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
