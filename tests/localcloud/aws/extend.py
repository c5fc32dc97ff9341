"""How moto is extended: its classes get further methods before the server starts.

No file of moto is changed. `add` gives a class a method that it lacks, `wrap` puts a function
around one that it has. Both fail at import when moto is not what the extension was written for, so
a new release of moto is noticed at the start and not in the middle of a test.
"""

import functools
from collections.abc import Callable, Iterable
from typing import Any

Function = Callable[..., Any]

# An application of Python's web server interface: what moto's server is, and what is put around it.
Wsgi = Callable[[dict[str, Any], Function], Iterable[bytes]]


def add(owner: type) -> Callable[[Function], Function]:
    """Add the decorated function to `owner` under its own name."""

    def install(function: Function) -> Function:
        name = function.__name__
        if hasattr(owner, name):
            raise RuntimeError(f"moto has {owner.__name__}.{name} by now: drop the extension's")
        setattr(owner, name, function)
        return function

    return install


def wrap(owner: type, name: str) -> Callable[[Function], Function]:
    """Put the decorated function in the place of `owner.name`.

    It is called as `function(stock, self, ...)`, where `stock` is moto's own method, bound.
    """

    def install(function: Function) -> Function:
        stock = getattr(owner, name)

        @functools.wraps(stock)
        def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            return function(functools.partial(stock, self), self, *args, **kwargs)

        setattr(owner, name, method)
        return function

    return install
