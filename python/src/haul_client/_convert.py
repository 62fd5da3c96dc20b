"""Between the JSON of the API, in camelCase, and Python's names."""

from __future__ import annotations

import dataclasses
import functools
import re
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints, overload

Model = TypeVar("Model")

AS_THEY_ARE = {"metadata", "provider_options"}
"""Fields whose keys are the caller's own."""


def to_camel(name: str) -> str:
    """`cost_in_dollars` becomes `costInDollars`, and `import_`, which avoids Python's keyword, `import`."""
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name).rstrip("_")


def to_json(fields: Any) -> Any:
    """The fields of a request as the API names them."""
    if isinstance(fields, dict):
        return {to_camel(name): value if name in AS_THEY_ARE else to_json(value) for name, value in fields.items()}
    if isinstance(fields, (list, tuple)):
        return [to_json(each) for each in fields]
    return fields


@overload
def parse(hint: type[Model], value: Any) -> Model: ...
@overload
def parse(hint: Any, value: Any) -> Any: ...
def parse(hint: Any, value: Any) -> Any:
    """
    Makes the type of a response from its JSON. The service may be newer or older than this package: fields that are not
    known are left out, and fields that are missing are None.
    """
    if value is None or hint is None:
        return None
    if get_origin(hint) in (Union, UnionType):
        return _parse_member(get_args(hint), value)
    if get_origin(hint) is list and isinstance(value, list):
        return [parse(get_args(hint)[0], each) for each in value]
    if get_origin(hint) is tuple and isinstance(value, list):
        return tuple(value)
    if _is_model(hint) and isinstance(value, dict):
        return hint(**{name: parse(each, value.get(to_camel(name))) for name, each in _fields_of(hint).items()})
    return value


TAGS = ("type", "is_playlist", "status")
"""Fields whose value tells the members of a union apart."""


def _parse_member(members: tuple[Any, ...], value: Any) -> Any:
    """None if the value is of a kind that this package does not know."""
    models = [each for each in members if _is_model(each)]
    if not models or not isinstance(value, dict):
        return parse(next((each for each in members if get_origin(each) is list), Any), value)
    if len(models) == 1:
        return parse(models[0], value)
    for tag in TAGS:
        if all(get_origin(_fields_of(each).get(tag)) is Literal for each in models):
            found = value.get(to_camel(tag))
            return parse(next((each for each in models if found in get_args(_fields_of(each)[tag])), None), value)
    return value


def _is_model(hint: Any) -> bool:
    return dataclasses.is_dataclass(hint)


@functools.cache
def _fields_of(model: Any) -> dict[str, Any]:
    hints = get_type_hints(model)
    return {field.name: hints[field.name] for field in dataclasses.fields(model)}
