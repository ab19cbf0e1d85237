"""mem0's TypeScript client: ``mem0_client.test.mjs``, run by Node.js."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from .conftest import ROOT, Served

NODE_MODULES = Path(os.environ.get("CLIENTS_NODE", str(ROOT / "build" / "clients" / "node")))
USERS = 10


def test_the_typescript_client_works_unchanged(served: Served) -> None:
    node = shutil.which("node")
    assert node, "Node.js is not installed, so the TypeScript client cannot be tested: install nodejs 18 or newer with npm"
    assert (NODE_MODULES / "node_modules" / "mem0ai").is_dir(), f"mem0ai is not in {NODE_MODULES}: see CONTRIBUTING.md"
    listener = {"url": served.url, "users": [vars(served.user()) for _ in range(USERS)]}
    ran = subprocess.run(
        [node, "--test", str(Path(__file__).with_name("mem0_client.test.mjs"))],
        env={**os.environ, "CLIENTS_NODE": str(NODE_MODULES), "LISTENER": json.dumps(listener)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
