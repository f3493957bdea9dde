extension HelpTopic {
  /// The language of predicates.
  ///
  /// The examples are true of the schema in ``schema``; a test runs each of them.
  static let predicates = HelpTopic(
    name: "predicates",
    summary: "the language of --where",
    parts: [
      .prose(
        """
        A predicate is true or false of a row, as in NSPredicate's format language. Keywords may be in
        either case. The examples are about the schema that depot help schema shows.
        """
      ),
      .heading("Comparisons"),
      .examples([
        ("title == 'Emma'", "also = != <> < <= > >="),
        ("year BETWEEN {1960, 1970}", "both included"),
        ("genre IN {'novel', 'essay'}", "one of a list"),
        ("author == 1", "a relationship, by the number of Author/1"),
        ("year == NULL", "without a value; also year != NULL"),
        ("year / 10 * 10 == 1960", "+ - * / % and ** for powers"),
      ]),
      .heading("Logic"),
      .examples([
        ("year > 1960 AND NOT isRead", "AND, OR, NOT; also && || !"),
        ("(year < 1900 OR year > 2000) AND isRead", "AND binds tighter than OR"),
      ]),
      .heading("Text"),
      .examples([
        ("title CONTAINS 'sea'", "also BEGINSWITH and ENDSWITH"),
        ("title LIKE 'The * of ?arth*'", "* any text, ? one character"),
        ("title MATCHES '[A-Z].+[0-9]{2}'", "a regular expression for all of it"),
        ("title CONTAINS[cd] 'cafe'", "[c] ignores case, [d] ignores accents"),
        ("title MATCHES TEXT 'earth* -sea'", "words, of attributes with \"spotlight\""),
      ]),
      .heading("Paths"),
      .examples([
        ("author.name == 'Jane Austen'", "through relationships, of any depth"),
        ("$id == 42 OR $version > 3", "the row's number and version"),
        ("ANY author.books.year > 2000", "at least one of several; also ALL, NONE"),
        ("ANY(author.books, $b, $b.year > 2000 AND $b.isRead)", "several conditions on one"),
        ("author.books.@count > 2", "how many; also @sum.year @min @max @avg"),
        ("SUBQUERY(author.books, $b, $b.isRead).@count == 0", "how many such that …"),
        ("keywords CONTAINS 'sf'", "a collection of values has it"),
      ]),
      .heading("Functions"),
      .examples([
        ("length(title) > 20", "also uppercase() lowercase() canonical() abs()"),
        ("COALESCE(year, 0) < 1900", "the first that isn't null"),
        ("TERNARY(isRead, year, 0) > 1960", "if, then, else"),
      ]),
      .heading("Dates and other types"),
      .examples([
        ("bought > '2026-01-31T12:00:00Z'", "text is converted to the type of the other side"),
        ("bought < now()", "the time of the call"),
        ("CAST(year, 'string') ENDSWITH '00'", "string int64 double decimal bool date uuid"),
      ]),
      .heading("Values from outside"),
      .prose(
        """
        $NAME takes a value from --bind, which needs no quoting: NAME=TEXT, or NAME:=JSON for numbers and
        lists.
        """
      ),
      .commands([
        "depot fetch Book --where 'title == $t AND year IN $years' "
          + "--bind \"t=It's mine\" --bind 'years:=[1969,1974]'"
      ]),
      .heading("In a shell"),
      .prose(
        """
        Put the predicate in single quotation marks and texts in double ones, or the other way round; but
        within double ones the shell wants \\$ for $, and bash makes something else of !. In a text, a
        backslash makes the next quotation mark or backslash plain.
        """
      ),
      .commands([
        "depot count Book --where 'title == \"Emma\"'",
        "depot count Book --where \"\\$id > 10 AND title == 'Emma'\"",
        "depot count Book --where \"title == 'It\\'s mine'\"",
      ]),
      .heading("More"),
      .prose(
        """
        A name that is a keyword is written #in. Null is a value as any other: NOT year < 1900 finds books
        without a year too. What a predicate costs: depot explain.
        """
      ),
    ]
  )
}
