extension ProtocolDocument {
  /// The aggregates and functions, and the format language.
  static let language = #"""
        {
          "name": "count", "form": {"count": {"attribute": "items"}}, "text": "items.@count",
          "meaning": "The number of elements.", "null": "Null elements count; null has none."
        },
        {
          "name": "countDistinct", "form": {"countDistinct": {"attribute": "items.price"}},
          "text": "items.price.@distinctCount", "meaning": "The number of different elements.",
          "null": "Null elements do not count."
        },
        {
          "name": "sum", "form": {"sum": {"attribute": "items.price"}}, "text": "items.@sum.price",
          "meaning": "The sum, 0 of none.", "null": "Null elements do not count."
        },
        {
          "name": "min", "form": {"min": {"attribute": "items.price"}}, "text": "items.@min.price",
          "meaning": "The least, null of none.", "null": "Null elements do not count."
        },
        {
          "name": "max", "form": {"max": {"attribute": "items.price"}}, "text": "items.@max.price",
          "meaning": "The greatest, null of none.", "null": "Null elements do not count."
        },
        {
          "name": "average", "form": {"average": {"attribute": "items.price"}},
          "text": "items.@avg.price", "meaning": "The mean, null of none.",
          "null": "Null elements do not count."
        },
        {
          "name": "median", "form": {"median": {"attribute": "items.price"}},
          "text": "items.price.@median",
          "meaning": "The middle one or the mean of the two in the middle, null of none.",
          "null": "Null elements do not count."
        },
        {
          "name": "mode", "form": {"mode": {"attribute": "items.price"}},
          "text": "items.price.@mode",
          "meaning": "The most frequent, the least of these if there are several; null of none.",
          "null": "Null elements do not count."
        },
        {
          "name": "stddev", "form": {"stddev": {"attribute": "items.price"}},
          "text": "items.price.@stddev",
          "meaning": "The standard deviation of the whole population, null of none.",
          "null": "Null elements do not count."
        },
        {
          "name": "uppercase", "form": {"uppercase": ["A"]}, "text": "uppercase(a)",
          "meaning": "The text in upper case.", "null": "Null gives null."
        },
        {
          "name": "lowercase", "form": {"lowercase": ["A"]}, "text": "lowercase(a)",
          "meaning": "The text in lower case.", "null": "Null gives null."
        },
        {
          "name": "canonical", "form": {"canonical": ["A"]}, "text": "canonical(a)",
          "meaning": "The text without case and marks, as [cd] compares it.",
          "null": "Null gives null."
        },
        {
          "name": "length", "form": {"length": ["A"]}, "text": "length(a)",
          "meaning": "The number of characters of a text, of bytes of data.",
          "null": "Null gives null."
        },
        {
          "name": "concatenate", "form": {"concatenate": ["A", "B"]}, "text": "concatenate(a, b)",
          "meaning": "A as text with B after it.", "null": "Null gives null."
        },
        {
          "name": "abs", "form": {"abs": ["A"]}, "text": "abs(a)", "meaning": "The magnitude.",
          "null": "Null gives null."
        },
        {
          "name": "floor", "form": {"floor": ["A"]}, "text": "floor(a)",
          "meaning": "The nearest whole number that is not greater.", "null": "Null gives null."
        },
        {
          "name": "ceiling", "form": {"ceiling": ["A"]}, "text": "ceiling(a)",
          "meaning": "The nearest whole number that is not less.", "null": "Null gives null."
        },
        {
          "name": "trunc", "form": {"trunc": ["A"]}, "text": "trunc(a)",
          "meaning": "The whole part, rounded towards zero.", "null": "Null gives null."
        },
        {
          "name": "round", "form": {"round": ["A"]}, "text": "round(a)",
          "meaning": "The nearest whole number, away from zero if there are two.",
          "null": "Null gives null."
        },
        {
          "name": "sqrt", "form": {"sqrt": ["A"]}, "text": "sqrt(a)",
          "meaning": "The square root; NaN of a negative number.", "null": "Null gives null."
        },
        {
          "name": "exp", "form": {"exp": ["A"]}, "text": "exp(a)",
          "meaning": "e to the power of A.", "null": "Null gives null."
        },
        {
          "name": "ln", "form": {"ln": ["A"]}, "text": "ln(a)",
          "meaning": "The natural logarithm; -Infinity of 0, NaN of a negative number.",
          "null": "Null gives null."
        },
        {
          "name": "log", "form": {"log": ["A"]}, "text": "log(a)",
          "meaning": "The logarithm to base 10; -Infinity of 0, NaN of a negative number.",
          "null": "Null gives null."
        },
        {
          "name": "randomn", "form": {"randomn": ["A"]}, "text": "randomn(a)",
          "meaning": "A random whole number from 0 up to A, which it does not reach.",
          "null": "Null gives null."
        },
        {
          "name": "random", "form": {"random": []}, "text": "random()",
          "meaning": "A random number from 0 to 1.", "null": "It never is."
        },
        {
          "name": "bitwiseAnd", "form": {"bitwiseAnd": ["A", "B"]}, "text": "bitwiseAnd(a, b)",
          "meaning": "The bits that both have; also `bitwiseAnd:with:(a, b)`.",
          "null": "Null gives null."
        },
        {
          "name": "bitwiseOr", "form": {"bitwiseOr": ["A", "B"]}, "text": "bitwiseOr(a, b)",
          "meaning": "The bits that either has.", "null": "Null gives null."
        },
        {
          "name": "bitwiseXor", "form": {"bitwiseXor": ["A", "B"]}, "text": "bitwiseXor(a, b)",
          "meaning": "The bits that one of them has.", "null": "Null gives null."
        },
        {
          "name": "onesComplement", "form": {"onesComplement": ["A"]}, "text": "onesComplement(a)",
          "meaning": "The other bits.", "null": "Null gives null."
        },
        {
          "name": "leftshift", "form": {"leftshift": ["A", "B"]}, "text": "leftshift(a, b)",
          "meaning": "The bits of A, B places to the left; also `leftshift:by:(a, b)`.",
          "null": "Null gives null."
        },
        {
          "name": "rightshift", "form": {"rightshift": ["A", "B"]}, "text": "rightshift(a, b)",
          "meaning": "The bits of A, B places to the right.", "null": "Null gives null."
        },
        {
          "name": "json", "form": {"json": ["A", "B"]}, "text": "json(a, b)",
          "meaning": "The member B of a JSON object: a text, number, or truth value; also `a[\"b\"]`.",
          "null": "Null gives null."
        },
        {
          "name": "rank", "form": {"rank": []}, "text": "rank()",
          "meaning": "How well the row matches the full-text queries of the request's predicate: greater is better.",
          "null": "Null of a row that matches none."
        }
      ],
      "language": [
        {
          "name": "predicate",
          "form": "comparison | predicate AND predicate | predicate OR predicate | NOT predicate | TRUEPREDICATE | FALSEPREDICATE | (predicate)",
          "meaning": "Also &&, ||, !. NOT binds tighter than AND, AND tighter than OR; keywords may be in either case."
        },
        {
          "name": "comparison", "form": "[ANY | SOME | ALL | NONE] expression operator expression",
          "meaning": "One operator only; after ANY and the like comes a collection, and the comparison is about its elements."
        },
        {
          "name": "operator",
          "form": "= == != <> < <= =< > >= => BETWEEN IN CONTAINS BEGINSWITH ENDSWITH LIKE MATCHES IS",
          "meaning": "With options behind it in brackets: [c] case, [d] marks, [n] already normalized, [l] as people expect it; any together, as in [cd]."
        },
        {
          "name": "expression",
          "form": "literal | path | variable | call | -expression | expression + expression | (expression)",
          "meaning": "- binds tightest, then ** (from left to right), then * / %, then + -."
        },
        {
          "name": "literal",
          "form": "\"text\" 'text' 12 -1.5 1e3 0xFF 0o17 0b1 TRUE YES FALSE NO NULL NIL {1, 2}",
          "meaning": "Strings have JSON's escapes. In braces stands any expression but a list; `max({a, b})` is the greater."
        },
        {
          "name": "cast", "form": "CAST(literal, \"type\")",
          "meaning": "A constant of a type that has no literal: date, uuid, data, decimal, url, json; or of a width, as int8 or float. NSDate and its kin are known. Of another expression, the conversion; of an object and the name of an entity, AS."
        },
        {
          "name": "path", "form": "name.name.$id",
          "meaning": "From the row. #name is a name that is a keyword. SELF.name and $x.name begin elsewhere."
        },
        {
          "name": "suffix",
          "form": "path.@count path.@sum.name path.name.@sum path[0] path[FIRST] path[LAST] path[SIZE] path[0:2] path[\"key\"] path AS Entity",
          "meaning": "@count @distinctCount @sum @min @max @avg @median @mode @stddev; @unionOfObjects, and @distinctUnionOfObjects before @count. They follow anything that is a collection: SUBQUERY(…).@count."
        },
        {
          "name": "variable", "form": "$name",
          "meaning": "An element that an enclosing SUBQUERY, ANY(…), ALL(…), or NONE(…) names, else the value of that name in `bind`, which may be a list after IN and BETWEEN."
        },
        {
          "name": "call",
          "form": "uppercase(a) uppercase:(a) add:to:(a, b) sum(items.price) sum({1, 2})",
          "meaning": "The functions of the operators, the aggregates of a collection, and Core Data's add:to: from:subtract: multiply:by: divide:by: modulus:by: raise:toThe: bitwiseAnd:with: bitwiseOr:with: bitwiseXor:with: leftshift:by: rightshift:by: castObject:toType: objectFrom:withIndex: noindex:."
        },
        {
          "name": "subquery", "form": "SUBQUERY(collection, $x, predicate)",
          "meaning": "The elements that satisfy the predicate; ANY(collection, $x, predicate), ALL(…), and NONE(…) are predicates with a name for the element."
        },
        {
          "name": "search", "form": "SELF MATCHES TEXT \"words\"",
          "meaning": "Or a path or {path, path} before MATCHES TEXT."
        },
        {
          "name": "refused", "form": "%@ %K := FUNCTION(…) FETCH(…)",
          "meaning": "Write values and paths themselves, or bind variables."
        }
      ]
    """#
}
