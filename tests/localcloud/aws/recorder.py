"""Write down every call of the AWS API: a line of JSON for each, in the order of the answers.

A line has the caller's access key, the operation with its parameters as AWS's own model of the
service names them, the resources that the parameters lead to, as they were before the call, and
the HTTP status of the answer. A call that moto cannot answer is recorded like any other.
"""

import io
import json
import re
import threading
from collections.abc import Callable, Iterable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from moto.core.model import ServiceModel
from moto.core.parse import PROTOCOL_PARSERS
from moto.core.request import determine_request_protocol
from moto.core.responses import BaseResponse
from moto.core.utils import get_service_model
from werkzeug import Request

from .extend import Wsgi
from .resources import find_resources

CREDENTIAL = re.compile(r"Credential=([^/]+)/\d+/([^/]+)/([^/]+)/aws4_request")


def recording(application: Wsgi, file: Path) -> Wsgi:
    """Put a recorder around an application."""
    lock = threading.Lock()
    file.touch()

    def serve(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        call = read_call(environ)
        if call is None:
            return application(environ, start_response)
        call["status"] = 500  # unless the application gets as far as an answer

        def start(status: str, *arguments: Any) -> Any:
            call["status"] = int(status.split()[0])
            return start_response(status, *arguments)

        try:
            return application(environ, start)
        finally:
            with lock, file.open("a") as lines:
                lines.write(json.dumps(call, default=str) + "\n")

    return serve


def read_call(environ: dict[str, Any]) -> dict[str, Any] | None:
    """The signed call of a request, None for a request that is none."""
    credential = CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
    if not credential:
        return None
    access_key, region, service = credential.groups()
    body = Request(environ).get_data()
    environ["wsgi.input"], environ["CONTENT_LENGTH"] = io.BytesIO(body), str(len(body))
    # The application gets the same body once more.
    request = Request({**environ, "wsgi.input": io.BytesIO(body)})
    call = {
        "time": datetime.now(timezone.utc).isoformat(),
        "accessKeyId": access_key,
        "region": region,
        "service": service,
    }
    try:
        model = get_service_model(service)
        operation, path = find_operation(model, request)
        parameters = parse(model, operation, path, request)
        resources = find_resources(parameters, region)
    except Exception as problem:  # noqa: BLE001 (whoever reads the record decides what it means)
        return {**call, "problem": repr(problem)}
    return {**call, "operation": operation, "parameters": parameters, "resources": resources}


def find_operation(model: ServiceModel, request: Request) -> tuple[str, dict[str, str]]:
    """The operation of a request, and the parameters in its path."""
    if target := request.headers.get("X-Amz-Target"):
        return target.rsplit(".", 1)[-1], {}
    if action := request.values.get("Action"):
        return action, {}
    for name in model.operation_names:
        http = model.operation_model(name).http
        uri = http["requestUri"].split("?")[0]
        match = re.match(BaseResponse.uri_to_regexp(uri), request.path)
        # A parameter at the end of a pattern would take further segments of the path.
        if http["method"] == request.method and match and request.path.count("/") == uri.count("/"):
            return name, match.groupdict()
    raise LookupError(f"no operation of {model.service_name}: {request.method} {request.path}")


def parse(
    model: ServiceModel, operation: str, path: dict[str, str], request: Request
) -> dict[str, Any]:
    """The parameters of a request."""
    protocol = determine_request_protocol(model, request.content_type)
    return PROTOCOL_PARSERS[protocol](model.operation_model(operation)).parse(
        {
            "method": request.method,
            "values": request.values,
            "headers": request.headers,
            "body": request.get_data(),
            "url_path": request.path,
            "url_params": path,
        }
    )
