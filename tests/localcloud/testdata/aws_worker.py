"""Run AWS CLI commands one after the other in one process: most of a command is import.

Each line of standard input is {"args": [...], "env": {...}}; the answer is a line
{"code": 0, "stdout": "...", "stderr": "..."}.
"""

import io
import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout

from awscli.clidriver import create_clidriver


def run(args: list[str], env: dict[str, str]) -> dict[str, int | str]:
    """Run one command as if from a shell."""
    os.environ.update(env)
    stdout, stderr = io.StringIO(), io.StringIO()
    with redirect_stdout(stdout), redirect_stderr(stderr):
        try:
            code = create_clidriver().main(args)
        except SystemExit as end:
            code = end.code
    return {"code": code or 0, "stdout": stdout.getvalue(), "stderr": stderr.getvalue()}


for line in sys.stdin:
    print(json.dumps(run(**json.loads(line))), flush=True)
