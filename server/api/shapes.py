"""JSON Schema (2020-12) of the types that the code decodes and encodes.

msgspec's own generator refuses unions of structs that carry no tag, and such unions are what the wire has
(a move is a removal or a transfer). This one reads the same annotations: structs, ``Annotated`` with `Meta`,
literals, unions, lists, tuples and dicts.

Of a request an unknown field is an error, so its objects are closed. Answers may grow, so theirs are open,
and every field that is always sent is required.
"""

import inspect
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import NODEFAULT, Meta, Raw, Struct, UnsetType

_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
_META = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
    "pattern": "pattern",
    "title": "title",
    "description": "description",
    "examples": "examples",
}

Overrides = Mapping[tuple[type, str], Any]


class Shapes:
    """Collects the schemas of structs under ``components``, so that each is written once.

    ``overrides`` names the type of a field whose annotation says less than is known: `Raw`, which is JSON that
    was encoded before. ``more`` is what is known of a struct beyond its fields. ``root`` is where the components
    stand in the document.
    """

    def __init__(
        self,
        overrides: Overrides | None = None,
        more: Mapping[type, dict[str, Any]] | None = None,
        root: str = "#/components/schemas/",
    ) -> None:
        self.components: dict[str, Any] = {}
        self._overrides = overrides or {}
        self._more = more or {}
        self._root = root
        self._types: dict[str, type] = {}

    def of(self, kind: Any) -> dict[str, Any]:
        """The schema of a type: a reference for structs, the whole of it for everything else."""
        origin = get_origin(kind)
        if origin is Annotated:
            inner, *notes = get_args(kind)
            schema = self.of(inner)
            for note in notes:
                if isinstance(note, Meta):
                    schema = _with_meta(schema, note)
            return schema
        if origin is Literal:
            return {"enum": list(get_args(kind))}
        if origin in (Union, UnionType):
            return self._union([one for one in get_args(kind) if one is not UnsetType])
        if origin is list or (origin is tuple and get_args(kind)[-1] is ...):
            return {"type": "array", "items": self.of(get_args(kind)[0])}
        if origin is tuple:
            items = [self.of(one) for one in get_args(kind)]
            return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
        if origin is dict or origin is Mapping:
            return {"type": "object", "additionalProperties": self.of(get_args(kind)[1])}
        if kind in _SCALARS:
            return {"type": _SCALARS[kind]}
        if kind is Any or kind is Raw:
            return {}
        if isinstance(kind, type) and issubclass(kind, Struct):
            return self._reference(kind)
        raise TypeError(f"no schema for {kind!r}")

    def _union(self, kinds: list[Any]) -> dict[str, Any]:
        schemas = [self.of(kind) for kind in kinds]
        if len(schemas) == 1:
            return schemas[0]
        names = [schema["type"] for schema in schemas if set(schema) == {"type"}]
        if len(names) == len(schemas):
            return {"type": names}
        return {"anyOf": schemas}

    def _reference(self, kind: type[Struct]) -> dict[str, Any]:
        name = kind.__name__
        known = self._types.setdefault(name, kind)
        if known is not kind:
            raise TypeError(f"two types are called {name}: {known!r} and {kind!r}")
        if name not in self.components:
            self.components[name] = {}  # it may hold itself
            self.components[name] = self._object(kind)
        return {"$ref": self._root + name}

    def _object(self, kind: type[Struct]) -> dict[str, Any]:
        closed = kind.__struct_config__.forbid_unknown_fields
        hints = get_type_hints(kind, include_extras=True)
        properties: dict[str, Any] = {}
        required: list[str] = []
        tag_field, tag = kind.__struct_config__.tag_field, kind.__struct_config__.tag
        if tag_field is not None:
            properties[tag_field] = {"const": tag}
            required.append(tag_field)
        for one in msgspec.structs.fields(kind):
            annotation = self._overrides.get((kind, one.name), hints[one.name])
            properties[one.encode_name] = self._field(annotation, one)
            if one.required if closed else not _may_be_unset(hints[one.name]):
                required.append(one.encode_name)
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        if closed:
            schema["additionalProperties"] = False
        if text := _description(kind):
            schema["description"] = text
        return schema | self._more.get(kind, {})

    def _field(self, annotation: Any, one: msgspec.structs.FieldInfo) -> dict[str, Any]:
        schema = self.of(annotation)
        if one.default is NODEFAULT or one.default is msgspec.UNSET or one.default is None:
            return schema
        return {**schema, "default": one.default}


def _with_meta(schema: dict[str, Any], meta: Meta) -> dict[str, Any]:
    schema = dict(schema)
    sizes = ("minItems", "maxItems") if schema.get("type") == "array" else ("minLength", "maxLength")
    for name, value in zip(sizes, (meta.min_length, meta.max_length), strict=True):
        if value is not None:
            schema[name] = value
    for name, keyword in _META.items():
        if (value := getattr(meta, name)) is not None:
            schema[keyword] = value
    return schema | (meta.extra_json_schema or {})


def _may_be_unset(annotation: Any) -> bool:
    if get_origin(annotation) is Annotated:
        return _may_be_unset(get_args(annotation)[0])
    return any(_may_be_unset(one) or one is UnsetType for one in get_args(annotation))


def _description(kind: type) -> str:
    text = inspect.cleandoc(kind.__doc__ or "")
    return " ".join(text.partition("\n\n")[0].split()).replace("``", "`")
