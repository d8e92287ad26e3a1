"""docs/schemas against the types of the module, for test_module.py."""
import json
import typing

import culprit
from culprit import _answers


class Schemas:
    """The fields of docs/schemas, with the document that a reference is relative to."""

    def __init__(self, folder):
        self.documents = {path.name: json.loads(path.read_text()) for path in folder.glob("*.json")}

    def resolved(self, schema, document):
        while "$ref" in schema:
            name, _, pointer = schema["$ref"].partition("#")
            document = schema = self.documents[name] if name else document
            for key in pointer.split("/")[1:]:
                schema = schema[key]
        return schema, document

    def alternatives(self, schema, document):
        """The schema itself, and all of which it is one or the sum."""
        schema, document = self.resolved(schema, document)
        yield schema, document
        for word in ("allOf", "anyOf", "oneOf"):
            for one in schema.get(word, []):
                yield from self.alternatives(one, document)
        for word in ("then", "else"):
            if word in schema:
                yield from self.alternatives(schema[word], document)

    def fields(self, schema):
        return {name: (field, document) for one, document in self.alternatives(*schema)
                for name, field in one.get("properties", {}).items()}

    def element(self, schema):
        """Of a list or a map; otherwise itself."""
        for one, document in self.alternatives(*schema):
            inner = one.get("items", one.get("additionalProperties"))
            if isinstance(inner, dict):
                return self.element((inner, document))
        return schema

    def untyped(self, kind, schema, path):
        found = []
        for name, field in self.fields(schema).items():
            where, hint = f"{path}.{name}", _answers._hints(kind).get(name)
            while typing.get_args(hint):  # Optional, List, Dict
                hint = [one for one in typing.get_args(hint) if one is not type(None)][-1]
            element = self.element(field)
            if hint is None or self.fields(element) and (hint is culprit.Record or not _answers._is_record(hint)):
                found.append(where)
            elif self.fields(element):
                found += self.untyped(hint, element, where)
        return found
