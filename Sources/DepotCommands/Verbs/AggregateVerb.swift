internal import DepotProtocol

/// `depot aggregate`: aggregates of rows, in groups.
enum AggregateVerb {
  static let by = OptionSpec(
    "--by PATHS: the paths by which rows are grouped, or NAME=EXPRESSION; repeatable",
    candidates: .paths(.any),
    isRepeatable: true
  )
  static let value = OptionSpec(
    "--value NAME=FUNCTION: a column such as total=sum(size); repeatable (default: count)",
    isRepeatable: true
  )
  static let having: OptionSpec =
    "--having PREDICATE: the groups that satisfy it, such as \"total > 10\""

  static let verb = Verb(
    name: "aggregate",
    operands: .entity,
    summary: "count, sum, and the like, in groups",
    details: """
      The functions are \(QueryExpression.Aggregate.allCases.map(\.rawValue).joined(separator: ", ")).
      In --having and --sort, names are those of the columns. A column without a name is called after
      its function and path, such as sum_size, or tags_count of --by tags.@count.
      """,
    examples: [
      "depot aggregate Package --by section --value n=count --sort n:desc --limit 10",
      "depot aggregate Package --by maintainer.name --value 'total=sum(size)' --having 'total > 9'",
      "depot aggregate Package --value 'max(size)' --value 'mean=average(size)'",
    ],
    options: OptionSpec.matching + [by, value, having] + [.sort, .limit, .offset, .null]
  ) { session in
    let request = try request(session.invocation)
    var style = session.style(request.entity)
    guard style.format != .ids else {
      throw DepotError(.usage, "Groups have no identifiers.").hint("Choose another --output.")
    }
    style.showsIdentifier = false
    session.beginPaging()
    let count = try RowStream.write(.aggregate(request), style, session.connect(), session)
    if style.format.isTable { session.say(Numbers.counted(count, "group")) }
  }

  /// Returns the request that a command line describes.
  static func request(_ invocation: Invocation) throws(DepotError) -> AggregateRequest {
    var bindings = try Bindings(invocation)
    var request = AggregateRequest(entity: try Selection.entityName(invocation.operands[0]))
    request.predicate = try Selection.predicate(invocation, &bindings)
    request.includesSubentities = !invocation.has(.noSubentities)
    for text in invocation.values(by) { request.keys += try keys(text, &bindings) }
    for text in invocation.values(value) {
      request.values.append(try column(text, &bindings))
    }
    if request.values.isEmpty { request.values = [.init(name: "count", .count)] }
    if let text = invocation.value(having) { request.having = try bindings.predicate(text) }
    request.sort = try Selection.sortKeys(invocation.value(.sort), &bindings)
    try bindings.finish()
    request.limit = try invocation.number(.limit)
    request.offset = try invocation.number(.offset) ?? 0
    return request
  }

  /// Reads `a,b.c` or `name=expression`.
  private static func keys(
    _ text: String,
    _ bindings: inout Bindings
  ) throws(DepotError) -> [AggregateRequest.Column] {
    let (name, expression) = divided(text)
    guard let name else {
      var keys: [AggregateRequest.Column] = []
      for text in Selection.names(text) {
        keys.append(
          Selection.isExpression(text)
            ? .init(name: columnName(text), expression: try bindings.expression(text))
            : .init(name: text, expression: .attribute(text))
        )
      }
      return keys
    }
    return [.init(name: name, expression: try bindings.expression(String(expression)))]
  }

  /// Reads `name=sum(expression)`; the name is optional.
  private static func column(
    _ text: String,
    _ bindings: inout Bindings
  ) throws(DepotError) -> AggregateRequest.Value {
    let (chosen, call) = divided(text)
    let function = String(call.prefix { $0 != "(" })
    let rest = call.dropFirst(function.count)
    let functions = QueryExpression.Aggregate.allCases
    guard
      let aggregate = functions.first(where: { $0.rawValue.lowercased() == function.lowercased() })
    else {
      let hint = Spelling.hint(for: function, in: functions.map(\.rawValue)) { $0 }
      throw DepotError(.usage, "\"\(text)\" is no aggregate.")
        .hint(
          hint
            ?? "Write name=sum(path), or another of \(functions.map(\.rawValue).joined(separator: ", "))."
        )
    }
    let name = chosen ?? columnName(aggregate.rawValue + " " + rest)
    if aggregate == .count, rest.isEmpty || rest == "()" { return .init(name: name, .count) }
    guard rest.first == "(", rest.last == ")", rest.count > 2 else {
      throw DepotError(.usage, "\"\(text)\" has no path in parentheses.")
        .hint("Write \(name)=\(aggregate.rawValue)(path).")
    }
    let inner = try bindings.expression(String(rest.dropFirst().dropLast()))
    return .init(name: name, aggregate, of: inner)
  }

  /// Returns `sum_size` for `sum(size)`, and `tags_count` for `tags.@count`: names that predicates
  /// can use.
  private static func columnName(_ expression: String) -> String {
    expression.split { !NameSyntax.continues($0) }.joined(separator: "_")
  }

  /// Splits `name=expression`; an expression may have comparisons, but not before a name.
  private static func divided(_ text: String) -> (name: String?, rest: Substring) {
    let name = text.prefix { NameSyntax.continues($0) }
    let rest = text.dropFirst(name.count)
    guard !name.isEmpty, rest.first == "=", !rest.dropFirst().hasPrefix("=") else {
      return (nil, text[...])
    }
    return (String(name), rest.dropFirst())
  }
}
