#!/usr/bin/env python3
"""Writes the generated files of proto-docs from protocol.json.

generate.py          writes 50-operations.md, 80-errors.md, errors.json, limits.json, schemas/, and the
                     table of limits in 90-limits-versioning.md
generate.py --check  changes nothing; exits with 1 if a file differs
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "conformance"))
from schemas import problem  # noqa: E402

NOTE = "<!-- Generated from protocol.json by generate.py; do not edit. -->\n"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
PRIMITIVES = {
    "string": {"type": "string"},
    "bool": {"type": "boolean"},
    # The service takes a string of digits for a whole number too.
    "integer": {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[0-9]+$"}]},
    "true": {"const": True},
    "object": {"type": "object"},
    "array": {"type": "array"},
    "any": {},
}


def compact(value):
    return json.dumps(value, ensure_ascii=False)


def pretty(value):
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def cell(text):
    return text.replace("|", "\\|")


def type_link(name):
    return name if name in PRIMITIVES else f"[{name}](#types)"


# Markdown

def member_notes(member):
    notes = []
    if "enum" in member:
        notes.append("one of " + ", ".join(f"`{compact(v)}`" for v in member["enum"]))
    if "minimum" in member or "maximum" in member:
        notes.append(f"{member.get('minimum', '')} to {member.get('maximum', 'any')}")
    if "default" in member:
        notes.append(f"default `{compact(member['default'])}`")
    return f" ({'; '.join(notes)})" if notes else ""


def member_table(members):
    lines = ["| name | type | required | meaning |", "|---|---|---|---|"]
    for m in members:
        need = "yes" if m["required"] else "no"
        meaning = cell(m["description"] + member_notes(m))
        lines.append(f"| `{m['name']}` | {type_link(m['type'])} | {need} | {meaning} |")
    return lines


def yes(flag):
    return "yes" if flag else "no"


def operation_text(op):
    lines = [f"## {op['name']}", "", op["summary"], ""]
    facts = [
        f"since {op['since']}",
        f"writes: {yes(op['writes'])}",
        f"streams: {yes(op['streams'])}",
        f"idempotent: {yes(op['idempotent'])}",
        f"may be called by: {op['privilege']}",
    ]
    lines += [" · ".join(facts), ""]
    if op["args"]:
        lines += ["**Arguments**", "", *member_table(op["args"]), ""]
    else:
        lines += ["No arguments.", ""]
    if "exactlyOne" in op:
        names = " and ".join(f"`{n}`" for n in op["exactlyOne"])
        lines += [f"Exactly one of {names} is given.", ""]
    if "atLeastOne" in op:
        names = " and ".join(f"`{n}`" for n in op["atLeastOne"])
        lines += [f"At least one of {names} is given.", ""]
    if op["result"]:
        lines += ["**Result**", "", *member_table(op["result"]), ""]
    if op["errors"]:
        links = [f"[`{code}`](80-errors.md)" for code in op["errors"]]
        lines += ["**Errors** besides the common ones: " + ", ".join(links), ""]
    example = op["example"]
    lines += ["```", "-> " + compact({"id": 1, "call": op["name"], "args": example["args"]})]
    if "next" in example:
        lines.append("<- " + compact({"id": 1, **example["next"]}))
    if "err" in example:
        lines.append("-> " + compact({"id": 1, "cancel": True}))
    lines += ["<- " + compact({"id": 1, **{k: example[k] for k in ("ok", "err") if k in example}}), "```", ""]
    return lines


def operations_page(doc):
    lines = [NOTE, "# Operations", ""]
    lines += ["A call is `{\"id\":n,\"call\":name,\"args\":{…}}`; see [the envelope](30-envelope.md).", ""]
    lines += ["| operation | summary |", "|---|---|"]
    for op in doc["operations"]:
        anchor = op["name"].replace(".", "")
        lines.append(f"| [`{op['name']}`](#{anchor}) | {cell(op['summary'])} |")
    lines += ["", "Every operation can also fail with one of these common errors: "
              + ", ".join(f"`{code}`" for code in doc["commonErrors"]) + ".", ""]
    for op in doc["operations"]:
        lines += operation_text(op)
    lines += ["## Types", "", "| type | meaning | JSON Schema |", "|---|---|---|"]
    for t in doc["types"]:
        lines.append(f"| {t['name']} | {cell(t['description'])} | `{cell(compact(t['schema']))}` |")
    lines += ["", "The forms of attribute values are in [Values](40-values.md).", "",
              "## Operators", "",
              "Operands (`A`, `B`, …) are expressions; *form* is the tree, and *language* the text in the "
              "language below. Operators with *options* take `\"options\"` beside them, with any of the letters "
              "`c` (ignores case), `d` (ignores diacritics), `n` (the text is normalized already), and `l` "
              "([localized](55-queries.md#order-and-pages)).",
              "", "| operator | form | language | options | meaning | null |", "|---|---|---|---|---|---|"]
    for o in doc["operators"]:
        lines.append(f"| `{cell(o['name'])}` | `{cell(compact(o['form']))}` | `{cell(o['text'])}` | "
                     f"{yes(o.get('options', False))} | {cell(o['meaning'])} | {cell(o['null'])} |")
    lines += ["", "## Language", "",
              "Where an expression is expected, a string is one in the format language of NSPredicate. "
              "A constant string is `{\"value\": \"…\"}` there.",
              "", "| part | form | notes |", "|---|---|---|"]
    for part in doc["language"]:
        lines.append(f"| {part['name']} | `{cell(part['form'])}` | {cell(part['meaning'])} |")
    return "\n".join(lines) + "\n"


RETRY = {
    "no": "the same request fails again",
    "now": "send it again at once",
    "later": "send it again after a pause that grows",
    "after_refetch": "read the rows again and decide anew",
}
EFFECT = {
    "none": "nothing was stored",
    "applied": "the change is stored",
    "partial": "a part is stored: the chunks before the one that failed",
    "unknown": "the outcome is unknown; the same request with the same `key` settles it",
}


def errors_page(doc):
    errors = doc["errors"]
    lines = [NOTE, "# Errors", "",
             "One shape everywhere: `{\"code\":\"class.reason\",\"message\":…,\"hint\":…,\"at\":…,"
             "\"retry\":…,\"effect\":…,\"details\":{…}}`.",
             "`hint`, `at` and `details` may be absent. Act on `code`, `retry` and `effect`; "
             "`message` and `hint` are for people and change freely.",
             "Handle an unknown reason by its class: new reasons may appear, "
             "but codes are never renamed and never get another meaning.",
             "`at` is a JSON pointer (RFC 6901) into the frame, such as `/args/where/and/1`.", "",
             "| retry | meaning |", "|---|---|"]
    lines += [f"| `{k}` | {v} |" for k, v in RETRY.items()]
    lines += ["", "| effect | meaning |", "|---|---|"]
    lines += [f"| `{k}` | {v} |" for k, v in EFFECT.items()]
    lines += ["", "The `effect` of the frame decides; the tables below give the usual one.", "",
              "An error with the effect `partial` has two more `details`: `done`, the number of finished rows, and "
              "`after`, the identifier of the last of them.", "",
              "*Connection*: after an error without `id` the service closes, except for a frame that was "
              "skipped (`limit.frame_bytes`). The column has the usual reaction. Codes with "
              "`stays` can also come without `id`, if the frame had no readable one or was a wrong `more` or "
              "`cancel`. The service never sends `local` errors: client programs report them. *Exit* is the exit "
              "status of `depot`.", "",
              "## Classes", "", "| class | meaning | exit |", "|---|---|---|"]
    for c in errors["classes"]:
        lines.append(f"| {c['name']} | {c['meaning']} | {c['exitStatus']} |")
    for c in errors["classes"]:
        lines += ["", f"## {c['name']}", "",
                  "| code | meaning | retry | effect | connection | exit | details |",
                  "|---|---|---|---|---|---|---|"]
        codes = [e for e in errors["codes"] if e["class"] == c["name"]]
        for e in codes:
            details = ", ".join(f"`{d}`" for d in e.get("details", []))
            lines.append(f"| `{e['code']}` | {cell(e['meaning'])} | {e['retry']} | {e['effect']} | "
                         f"{e['connection']} | {e['exitStatus']} | {details} |")
        lines += ["", "```", *(compact(e["example"]) for e in codes), "```"]
    return "\n".join(lines) + "\n"


# JSON Schema

def references(value):
    """Yields the names of all types that a schema refers to."""
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"].rsplit("/", 1)[1]
        for v in value.values():
            yield from references(v)
    elif isinstance(value, list):
        for v in value:
            yield from references(v)


def member_schema(member):
    kind = member["type"]
    schema = dict(PRIMITIVES[kind]) if kind in PRIMITIVES else {"$ref": f"#/$defs/{kind}"}
    if member.get("nullable"):
        schema = {"anyOf": [*schema.get("anyOf", [schema]), {"type": "null"}]}
    for key in ("enum", "minimum", "maximum", "default", "description"):
        if key in member:
            schema[key] = member[key]
    return schema


def object_schema(members, closed):
    schema = {"type": "object", "properties": {m["name"]: member_schema(m) for m in members}}
    required = [m["name"] for m in members if m["required"]]
    if required:
        schema["required"] = required
    if closed:
        schema["additionalProperties"] = False
    return schema


def with_definitions(doc, name, body):
    known = {t["name"]: t for t in doc["types"]}
    wanted, pending = {}, list(references(body))
    while pending:
        reference = pending.pop()
        if reference not in known:
            sys.exit(f"protocol.json: {name} have the type {reference}, which isn't among the types")
        if reference not in wanted:
            wanted[reference] = {"description": known[reference]["description"],
                                 **known[reference]["schema"]}
            pending += references(wanted[reference])
    schema = {"$schema": DIALECT, "title": name, **body}
    if wanted:
        schema["$defs"] = {key: wanted[key] for key in sorted(wanted)}
    return schema


def schemas(doc):
    """Requests are must-understand, so their schemas are closed; replies are must-ignore."""
    for frame in doc["frames"]:
        closed = frame["from"] == "client"
        body = {"description": frame["summary"], **object_schema(frame["members"], closed)}
        yield f"frame.{frame['name']}", with_definitions(doc, frame["name"], body)
    for op in doc["operations"]:
        body = {"description": op["summary"], **object_schema(op["args"], True)}
        if "exactlyOne" in op:
            body["oneOf"] = [{"required": [name]} for name in op["exactlyOne"]]
        if "atLeastOne" in op:
            body["anyOf"] = [{"required": [name]} for name in op["atLeastOne"]]
        yield f"{op['name']}.args", with_definitions(doc, f"{op['name']} args", body)
        body = object_schema(op["result"], False)
        yield f"{op['name']}.result", with_definitions(doc, f"{op['name']} result", body)


def limits_page(doc):
    """Returns the hand-written page with its table, between two comments, made anew."""
    begin, end = "<!-- generated: limits -->\n", "<!-- end -->\n"
    head, rest = (HERE / "90-limits-versioning.md").read_text("utf-8").split(begin)
    lines = ["| limit | value | unit | why | error |", "|---|---|---|---|---|"]
    for limit in doc["limits"]:
        error = limit["error"] if limit["error"] == "none" else f"`{limit['error']}`"
        lines.append(f"| `{limit['name']}` | {limit['value']:,} | {limit['unit']} | "
                     f"{cell(limit['reason'])} | {error} |")
    return head + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1]


def outputs(doc):
    yield "50-operations.md", operations_page(doc)
    yield "80-errors.md", errors_page(doc)
    yield "90-limits-versioning.md", limits_page(doc)
    yield "errors.json", pretty(doc["errors"])
    yield "limits.json", pretty(doc["limits"])
    for name, schema in schemas(doc):
        yield f"schemas/{name}.schema.json", pretty(schema)


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    document = json.loads((HERE / "protocol.json").read_text("utf-8"))
    if found := problem(json.loads((HERE / "protocol.schema.json").read_text("utf-8")), document):
        sys.exit(f"protocol.json doesn't fit protocol.schema.json: {found}")
    files = dict(outputs(document))
    stale = sorted(p for p in (HERE / "schemas").glob("*.json") if f"schemas/{p.name}" not in files)
    bad = [f"schemas/{p.name}" for p in stale]
    for name, text in files.items():
        path = HERE / name
        if path.exists() and path.read_text("utf-8") == text:
            continue
        bad.append(name)
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
    if not check:
        for path in stale:
            path.unlink()
    for name in bad:
        print(f"{name}: {'differs from protocol.json; run proto-docs/generate.py' if check else 'written'}")
    sys.exit(1 if check and bad else 0)


if __name__ == "__main__":
    main()
