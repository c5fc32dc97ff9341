"""The price list of EC2, a service that moto lacks: two products of it. Karpenter knows all prices
itself and asks for newer ones; without an answer it would ask again and again.
"""

import json
from collections.abc import Callable, Iterable
from typing import Any

from werkzeug import Request, Response

from .extend import Wsgi

TARGET = "AWSPriceListService.GetProducts"
PRODUCTS = (
    ("m6i.large", "Compute Instance", "0.0960000000"),
    ("m6i.metal", "Compute Instance (bare metal)", "6.1440000000"),
)


def with_pricing(application: Wsgi) -> Wsgi:
    """Answer GetProducts and leave the rest to the application."""

    def serve(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ.get("HTTP_X_AMZ_TARGET") != TARGET:
            return application(environ, start_response)
        filters = json.loads(Request(environ).get_data()).get("Filters", [])
        wanted = {one["Field"]: one["Value"] for one in filters}
        found = [
            product(instance_type, family, price)
            for instance_type, family, price in PRODUCTS
            if wanted.get("productFamily", family) == family
        ]
        answer = {"FormatVersion": "aws_v1", "PriceList": found}
        return Response(json.dumps(answer), mimetype="application/x-amz-json-1.1")(
            environ, start_response
        )

    return serve


def product(instance_type: str, family: str, price: str) -> str:
    """One product as the price list has it: JSON in a text."""
    dimension = {"unit": "Hrs", "pricePerUnit": {"USD": price}}
    return json.dumps(
        {
            "product": {"productFamily": family, "attributes": {"instanceType": instance_type}},
            "terms": {"OnDemand": {"term": {"priceDimensions": {"dimension": dimension}}}},
        }
    )
