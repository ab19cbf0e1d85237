"""Asks an advisory database about every version in the lock files: ``python docker/audit.py LOCK...``

Exit codes: 0 nothing is known against them, 1 at least one advisory, 2 not checked, because the database or the package index
cannot be reached.
"""

import json
import subprocess
import sys
import venv
from pathlib import Path

CLEAN, FOUND, NOT_CHECKED = 0, 1, 2
TOOL = "pip-audit>=2.9,<3"
FOLDER = Path("build/audit")
TIMEOUT_S = 900


def main(locks: list[str]) -> int:
    program = FOLDER / "bin" / "pip-audit"
    if not program.exists():
        venv.create(FOLDER, with_pip=True)
        done = run(str(FOLDER / "bin" / "python"), "-m", "pip", "install", "-q", TOOL)
        if done.returncode:
            return not_checked(f"{TOOL} cannot be installed: {last_line(done.stderr)}")
    worst = CLEAN
    for lock in locks:
        done = run(str(program), "-f", "json", "--progress-spinner", "off", "--disable-pip", "--require-hashes", "-r", lock)
        worst = max(worst, report(lock, done))
    return worst


def report(lock: str, done: "subprocess.CompletedProcess[str]") -> int:
    """Print what one run says.  Without a list of packages the database did not answer."""
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return not_checked(f"{lock}: {last_line(done.stderr)}")
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    found = [(package, advisory) for package in packages for advisory in package.get("vulns", [])]
    for package, advisory in found:
        fixed = ", ".join(advisory.get("fix_versions", [])) or "no version yet"
        print(f"{lock}: {package['name']} {package['version']}: {advisory['id']}, fixed in {fixed}")
    if skipped:
        return max(FOUND if found else CLEAN, not_checked(f"{lock}: {', '.join(skipped)}"))
    print(f"{lock}: {len(packages)} packages checked, {len(found)} advisories")
    return FOUND if found else CLEAN


def not_checked(why: str) -> int:
    print(f"not checked: {why}", file=sys.stderr)
    return NOT_CHECKED


def run(*command: str) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"no answer in {TIMEOUT_S} s")


def last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no output"])[-1][:300]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
