"""Serve the local AWS on 127.0.0.1, on a port that the system chooses.

    python -m aws.server --port-file FILE [--calls FILE]

The port is bound before anything else happens and written to FILE, so nobody can take it between
choice and start. GET /localcloud/ready answers as soon as requests are served, and
POST /localcloud/token-review is the webhook of the API server (see `eks_tokens`). With --calls FILE
every call of AWS is written down (see `recorder`).
"""

import argparse
import os
import socket
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from .extend import Wsgi

MOTO_VERSION = "5.2.1"
HOST = "127.0.0.1"


def main() -> None:
    """Bind a port, extend moto, serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port-file", type=Path, required=True)
    parser.add_argument("--calls", type=Path)
    arguments = parser.parse_args()

    listener = socket.create_server((HOST, 0), backlog=128)
    port = listener.getsockname()[1]
    os.environ["MOTO_PORT"] = str(port)
    partial = arguments.port_file.with_suffix(".partial")
    partial.write_text(str(port))
    partial.rename(arguments.port_file)

    application = build(arguments.calls)
    from werkzeug.serving import make_server

    make_server(HOST, port, application, threaded=True, fd=listener.fileno()).serve_forever()


def build(calls: Path | None) -> Wsgi:
    """The application: moto with what it lacks, the recorder if it is asked for, our own paths."""
    application = moto_application()
    from .pricing import with_pricing
    from .recorder import recording

    application = with_pricing(application)
    if calls:
        application = recording(application, calls)
    return with_webhook(application)


def moto_application() -> Wsgi:
    """moto's application, after the extensions took effect."""
    import moto

    if moto.__version__ != MOTO_VERSION:
        sys.exit(f"moto {MOTO_VERSION} is needed, {moto.__version__} is installed")
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

    from . import (  # noqa: F401 (they take effect when imported)
        ec2_describes,
        ec2_fleets,
        eks_access,
        eks_addons,
        eks_clusters,
        eks_images,
        eks_pod_identity,
        iam_lists,
        iam_rules,
        sqs_rules,
    )

    return DomainDispatcherApplication(create_backend_app)


def with_webhook(application: Wsgi) -> Wsgi:
    """Answer the paths below /localcloud/ and leave the rest to moto."""
    from .eks_tokens import review_bytes

    def serve(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if path == "/localcloud/ready":
            body = b"{}"
        elif path == "/localcloud/token-review":
            length = int(environ.get("CONTENT_LENGTH") or 0)
            body = review_bytes(environ["wsgi.input"].read(length))
        else:
            return application(environ, start_response)
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        start_response("200 OK", headers)
        return [body]

    return serve


if __name__ == "__main__":
    main()
