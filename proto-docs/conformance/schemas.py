"""A validator of the JSON Schemas that these documents use; it refuses a keyword that it doesn't know."""
import re

ANNOTATIONS = {"$schema", "$defs", "title", "description", "default"}


def problem(schema, value, root=None, path=""):
    """Returns what is wrong with a value, after its JSON pointer, or None."""
    root = schema if root is None else root
    if schema is True:
        return None
    for keyword, rule in schema.items():
        if keyword in ANNOTATIONS:
            continue
        if keyword == "$ref":
            found = problem(resolve(rule, root), value, root, path)
        else:
            found = KEYWORDS[keyword](rule, value, root, path, schema)
        if found:
            return found
    return None


def resolve(reference, root):
    node = root
    for name in reference.removeprefix("#/").split("/"):
        node = node[name]
    return node


TYPES = {
    "null": lambda v: v is None,
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "string": lambda v: isinstance(v, str),
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
}


def is_number(value):
    return TYPES["number"](value)


def check_type(rule, value, root, path, schema):
    names = [rule] if isinstance(rule, str) else rule
    if not any(TYPES[name](value) for name in names):
        return f"{path or '/'}: {value!r} is none of {', '.join(names)}"


def check_required(rule, value, root, path, schema):
    missing = [name for name in rule if isinstance(value, dict) and name not in value]
    if missing:
        return f"{path or '/'}: {missing[0]} is missing"


def check_properties(rule, value, root, path, schema):
    for name, part in rule.items():
        if isinstance(value, dict) and name in value:
            if found := problem(part, value[name], root, f"{path}/{name}"):
                return found


def check_additional(rule, value, root, path, schema):
    for name in value if isinstance(value, dict) else ():
        if name in schema.get("properties", ()):
            continue
        if rule is False:
            return f"{path}/{name} isn't known"
        if found := problem(rule, value[name], root, f"{path}/{name}"):
            return found


def check_items(rule, value, root, path, schema):
    for index, item in enumerate(value if isinstance(value, list) else ()):
        if found := problem(rule, item, root, f"{path}/{index}"):
            return found


def check_any(rule, value, root, path, schema):
    found = [problem(part, value, root, path) for part in rule]
    if all(found):
        return "; ".join(found)


def check_one(rule, value, root, path, schema):
    fitting = sum(problem(part, value, root, path) is None for part in rule)
    if fitting != 1:
        return f"{path or '/'}: {fitting} of the choices fit, not one"


def check_enum(rule, value, root, path, schema):
    if not any(value == choice and isinstance(value, bool) == isinstance(choice, bool) for choice in rule):
        return f"{path or '/'}: {value!r} is none of {rule}"


def check_pattern(rule, value, root, path, schema):
    if isinstance(value, str) and not re.search(rule, value):
        return f"{path or '/'}: {value!r} doesn't match {rule}"


def bound(fits, measure, what):
    def check(rule, value, root, path, schema):
        size = measure(value)
        if size is not None and not fits(size, rule):
            return f"{path or '/'}: {what} {size} is beyond {rule}"
    return check


def number_of(value):
    return value if is_number(value) else None


def count_of(kind):
    return lambda value: len(value) if isinstance(value, kind) else None


def at_least(size, rule):
    return size >= rule


def at_most(size, rule):
    return size <= rule


KEYWORDS = {
    "type": check_type,
    "required": check_required,
    "properties": check_properties,
    "additionalProperties": check_additional,
    "items": check_items,
    "anyOf": check_any,
    "oneOf": check_one,
    "enum": check_enum,
    "const": lambda rule, *rest: check_enum([rule], *rest),
    "pattern": check_pattern,
    "minimum": bound(at_least, number_of, "the number"),
    "maximum": bound(at_most, number_of, "the number"),
    "minItems": bound(at_least, count_of(list), "the count"),
    "maxItems": bound(at_most, count_of(list), "the count"),
    "minProperties": bound(at_least, count_of(dict), "the count"),
    "maxProperties": bound(at_most, count_of(dict), "the count"),
}
