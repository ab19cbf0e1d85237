"""The commands of docs/http-proxy.md."""

import os
import subprocess

import pytest

from tests.servers.proxy import ROOT, ProxyStack


@pytest.mark.slow
def test_the_commands_of_the_documentation_run(proxy: ProxyStack) -> None:
    page = (ROOT / "docs" / "http-proxy.md").read_text("utf-8")
    script = "set -euo pipefail\n" + page.partition("```sh\n")[2].partition("```")[0]
    env = {**os.environ, "REACT_MEM_API": proxy.url, "REACT_MEM_KEY": proxy.take()[1], "no_proxy": "127.0.0.1"}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=120, env=env, check=True)
    assert '"agent/default"' in done.stdout.splitlines()[0]
    assert done.stdout.rstrip().endswith("data: [DONE]")
