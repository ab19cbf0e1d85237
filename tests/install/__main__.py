"""Installs as a user does: built archives, an empty environment, the real commands.

    python -m tests.install FOLDER       # works there; needs the package index

The wheel is built from the source distribution.  Without extras every program starts and names what to install; with
``[local]`` one question is answered from what an earlier one said.
"""

import os
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.e2e.command import EMBEDDINGS, SCRIPT

ROOT = Path(__file__).parents[2]
SCRIPTS: Mapping[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
WRONG_SETUP = 3
LOCAL, LLM, GATEWAY, MCP = (f"pip install 'trustgraph-react-mem[{extra}]'" for extra in ("local", "llm", "gateway", "mcp"))
# Each starts on what an extra installs; the embedded engines where no server is named.
NEED_AN_EXTRA = (
    "agent-facts",
    "agent-episodes",
    "agent-conversations",
    "agent-memory-jobs",
    "react-mem-prompt",
    "react-mem-embeddings",
)
DATA = ("*.cypher", "*.json", "*.yaml", "*.txt", "py.typed")
BESIDE_THE_PACKAGE = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Makefile",
    "bench",
    "config",
    "docker",
    "docs",
    "examples",
    "schema",
    "tests",
)


class Installation:
    """An environment of its own, away from the repository; its commands see no setting of the caller's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._programs = folder / "environment" / "bin"
        venv.create(folder / "environment", with_pip=True, clear=True)

    def install(self, requirement: str) -> None:
        done = self.run("python", "-m", "pip", "install", "-q", requirement, timeout_s=900)
        expect(not done.returncode, f"pip install {requirement} failed", done)

    def run(self, program: str, *arguments: str, timeout_s: float = 120) -> "subprocess.CompletedProcess[str]":
        kept = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("REACT_MEM_", "OPENAI_", "OLLAMA_", "PYTHON"))
        }
        environment = kept | {
            "REACT_MEM_HOME": str(self.folder / "data"),
            "REACT_MEM_KEYS": str(self.folder / "keys"),
            "REACT_MEM_EMBEDDINGS": EMBEDDINGS,
            "OLLAMA_HOST": "127.0.0.1:9",  # nothing answers there
        }
        command = [str(self._programs / program), *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=self.folder, env=environment, timeout=timeout_s, check=False
        )


def expect(condition: bool, failure: str, done: "subprocess.CompletedProcess[str] | None" = None) -> None:
    if not condition:
        raise SystemExit(f"{failure}\n{done.stdout[-3000:]}{done.stderr[-3000:]}" if done else failure)


def build(folder: Path) -> tuple[Path, Path]:
    """(source distribution, the wheel that is built from it)."""
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)], check=True, stdout=subprocess.DEVNULL)
    [source], [wheel] = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return source, wheel


def tracked_data() -> set[str]:
    """The package's files that are no modules, as the wheel names them."""
    package = ROOT / "trustgraph_react_mem"
    folders = (package, package / "schema", package / "config")  # the latter two are links, which rglob does not follow
    return {str(path.relative_to(ROOT)) for folder in folders for pattern in DATA for path in folder.rglob(pattern)}


def check_archives(source: Path, wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    tops = {name.split("/")[0] for name in names if ".dist-info" not in name}
    expect(tops == {"trustgraph_react_mem"}, f"the wheel holds {', '.join(sorted(tops))}")
    wanted = tracked_data() | {"trustgraph_react_mem/schema/agent.py", "trustgraph_react_mem/config/__init__.py"}
    expect(wanted <= names, f"the wheel lacks {', '.join(sorted(wanted - names))}")
    with tarfile.open(source) as archive:
        members = {name.partition("/")[2] for name in archive.getnames()}
    missing = [name for name in BESIDE_THE_PACKAGE if not any(member.split("/")[0] == name for member in members)]
    expect(not missing, f"the source distribution lacks {', '.join(missing)}")
    stray = [member for member in members if "__pycache__" in member or "/.venv" in member]
    expect(not stray, f"the source distribution holds {', '.join(stray[:5])}")
    print(f"{source.name}: {len(members)} entries; {wheel.name}: {len(names)} entries")


def check_bare(installed: Installation) -> None:
    for script in set(SCRIPTS) - {"react-mem-gateway"}:  # its arguments are those of TrustGraph's gateway
        done = installed.run(script, "--help")
        expect(not done.returncode, f"{script} --help failed", done)
    for command in (("react-mem", "ask", "hello"), ("react-mem", "up"), *((name, "--no-metrics") for name in NEED_AN_EXTRA)):
        refused(installed.run(*command), LOCAL, " ".join(command))
    refused(installed.run("react-mem-text-completion", "--no-metrics"), LLM, "react-mem-text-completion")
    refused(installed.run("react-mem-gateway"), GATEWAY, "react-mem-gateway")
    refused(installed.run("react-mem", "mcp"), MCP, "react-mem mcp")
    print(f"without extras: {len(SCRIPTS)} programs start, and say what to install")


def refused(done: "subprocess.CompletedProcess[str]", remedy: str, command: str) -> None:
    expect(done.returncode == WRONG_SETUP, f"{command}: exit {done.returncode} instead of {WRONG_SETUP}", done)
    expect(remedy in done.stderr, f"{command} does not name {remedy}", done)
    expect("Traceback" not in done.stderr and "fault of react-mem" not in done.stderr, f"{command} blames itself", done)


def check_local(installed: Installation) -> None:
    script = f"scripted:{SCRIPT}"
    ask(installed, "My dog Miso is allergic to chicken.", script, "keep that in mind")
    ask(installed, "What is my dog Miso allergic to?", script, "Miso is allergic to chicken.")
    refused(installed.run("react-mem", "ask", "hello"), LLM, "react-mem ask, without a language model")
    present = installed.run("python", "-m", "pip", "freeze").stdout.lower()
    stray = [name for name in ("onnx==", "xllamacpp==", "pytest==") if f"\n{name}" in present]
    expect(not stray, f"[local] installs {', '.join(stray)}")
    print("with [local]: a question is answered from memory")


def ask(installed: Installation, question: str, model: str, answer: str) -> None:
    done = installed.run("react-mem", "ask", question, "--model", model)
    expect(not done.returncode and answer in done.stdout, f"react-mem ask {question!r} does not answer {answer!r}", done)


def main(arguments: Iterable[str]) -> int:
    [folder] = (Path(argument).resolve() for argument in arguments)
    if any(folder.glob("*")):
        raise SystemExit(f"{folder} is not empty: remove it first")
    folder.mkdir(parents=True, exist_ok=True)
    source, wheel = build(folder / "dist")
    check_archives(source, wheel)
    installed = Installation(folder)
    installed.install(str(wheel))
    check_bare(installed)
    installed.install(f"{wheel}[local]")
    check_local(installed)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
