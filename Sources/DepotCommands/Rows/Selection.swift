internal import DepotProtocol

/// The selection of rows by a command line.
enum Selection {
  /// Returns the predicate of `--where`, or `nil`.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if it can't be read.
  static func predicate(
    _ invocation: Invocation,
    _ bindings: inout Bindings
  ) throws(DepotError) -> QueryExpression? {
    guard let text = invocation.value(.predicate) else { return nil }
    return try bindings.predicate(text)
  }

  /// Returns the request for rows of the entity that is the first operand.
  static func fetch(_ invocation: Invocation) throws(DepotError) -> FetchRequest {
    var request = FetchRequest(entity: try entityName(invocation.operands[0]))
    var bindings = try Bindings(invocation)
    request.predicate = try predicate(invocation, &bindings)
    request.sort = try sortKeys(invocation.value(.sort), &bindings)
    try bindings.finish()
    request.includesSubentities = !invocation.has(.noSubentities)
    request.limit = try invocation.number(.limit)
    request.offset = try invocation.number(.offset) ?? 0
    request.select = invocation.value(.select).map(names)
    return request
  }

  /// Returns the request about rows of the first operand's entity.
  ///
  /// The second operand may be a predicate.
  static func count(_ invocation: Invocation) throws(DepotError) -> CountRequest {
    var request = CountRequest(entity: try entityName(invocation.operands[0]))
    var bindings = try Bindings(invocation)
    request.predicate = try predicate(invocation, &bindings)
    if invocation.operands.count > 1 {
      guard request.predicate == nil else {
        throw DepotError(.usage, "There are two predicates.").hint("Join them with AND.")
      }
      request.predicate = try bindings.predicate(invocation.operands[1])
    }
    try bindings.finish()
    request.includesSubentities = !invocation.has(.noSubentities)
    return request
  }

  /// Reads the keys of `--sort`, such as `name,size:desc`, `title:desc:localized`, `size * 2`, or
  /// `tags.@count:desc`.
  static func sortKeys(
    _ text: String?,
    _ bindings: inout Bindings
  ) throws(DepotError) -> [SortKey] {
    guard let text else { return [] }
    return try names(text).map { (part) throws(DepotError) in try sortKey(part, &bindings) }
  }

  private static func sortKey(
    _ text: String,
    _ bindings: inout Bindings
  ) throws(DepotError) -> SortKey {
    var rest = text[...]
    var words: Set<Substring> = []
    var isValid = true
    while let colon = rest.lastIndex(of: ":"),
      case let word = rest[rest.index(after: colon)...],
      ["asc", "desc", "localized"].contains(word)
    {
      isValid = words.insert(word).inserted && isValid
      rest = rest[..<colon]
    }
    let isExpression = isExpression(rest)
    guard isValid, !rest.isEmpty, isExpression || !rest.contains(":"),
      !words.isSuperset(of: ["asc", "desc"])
    else {
      throw DepotError(.usage, "\"\(text)\" is no key to sort by.")
        .hint("Write path, path:asc, path:desc, or path:desc:localized, with commas between.")
    }
    return SortKey(
      isExpression ? try bindings.expression(String(rest)) : .attribute(String(rest)),
      descending: words.contains("desc"),
      localized: words.contains("localized")
    )
  }

  /// Whether a text is more than a path, and must be parsed as an expression.
  static func isExpression(_ text: some StringProtocol) -> Bool {
    text.contains { "()+-*/@[ ".contains($0) }
  }

  /// Reads the position of a row: `42`, `Trip/42`, or `["a",42]`, with the sort keys' values first.
  static func place(_ text: String) throws(DepotError) -> [Value] {
    let number = text.split(separator: "/", maxSplits: 1).last ?? ""
    if let identifier = Int64(number) { return [.int64(identifier)] }
    let values = (try? JSONValue(parsing: text.utf8))?.array?.map(placeValue) ?? []
    if case .int64?? = values.last, !values.contains(nil) {
      return values.compactMap(\.self)
    }
    throw DepotError(.usage, "\"\(text)\" is no place of a row.")
      .hint("Write an identifier, or JSON such as '[\"name\",42]': the sort keys' values and it.")
  }

  /// Returns the value of a sort key, also of a date that has no exact text.
  private static func placeValue(_ value: JSONValue) -> Value? {
    let document = try? JSONDocument(Array("[\(value.text)]".utf8))
    if value.object != nil { return try? document?.root.elements().first?.value(as: .date) }
    return Bindings.constant(value)
  }

  /// Checks that the row of a place, such as `Trip/42`, is one of an entity or of its relatives.
  static func checkPlace(_ text: String, of entity: String, _ schema: Schema) throws(DepotError) {
    let named = text.prefix { $0 != "/" }
    guard named.count < text.count, named != entity, !text.hasPrefix("["),
      let other = schema[String(named)], let own = schema[entity]
    else { return }
    let relatives = schema.lineage(of: own) + schema.descendants(of: entity)
    guard relatives.contains(where: { $0.name == other.name }) else {
      throw DepotError(.usage, "--after \(text) is no row of \(entity).")
    }
  }

  /// Splits a list at its commas outside of brackets and quotation marks.
  static func names(_ text: String) -> [String] {
    text.parts(at: ",", brackets: true).map { $0.trimmed() }
  }

  /// Splits an argument such as `name=value` at the first equals sign.
  ///
  /// - Throws: ``DepotError`` `request.usage` that the argument does `nothing`, with `hint`, if it has no name.
  static func pair(
    _ text: String,
    orThat nothing: String,
    _ hint: String
  ) throws(DepotError) -> (name: String, value: String) {
    guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
      throw DepotError(.usage, "\"\(text)\" \(nothing).").hint(hint)
    }
    return (String(text[..<sign]), String(text[text.index(after: sign)...]))
  }

  /// Returns an operand that is the name of an entity.
  ///
  /// - Throws: ``DepotError`` `request.usage` if it is an identifier.
  static func entityName(_ word: String) throws(DepotError) -> String {
    guard let slash = word.firstIndex(of: "/") else { return word }
    throw DepotError(.usage, "Expected the name of an entity, not \"\(word)\".")
      .hint("Write \"\(word[..<slash])\", or: depot get \(word)")
  }

  /// Reads identifiers such as `Package/42`, all of one entity.
  static func identifiers(
    _ words: some Collection<String>
  ) throws(DepotError) -> (entity: String, identifiers: [Int64]) {
    var entity: String?
    var list: [Int64] = []
    for word in words {
      guard let slash = word.lastIndex(of: "/"), slash > word.startIndex,
        let identifier = Int64(word[word.index(after: slash)...])
      else {
        throw DepotError(.usage, "\"\(word)\" is no identifier.")
          .hint("An identifier looks like \(entity ?? "Package")/42.")
      }
      let name = String(word[..<slash])
      if let entity, entity != name {
        throw DepotError(.usage, "The identifiers are of two entities, \(entity) and \(name).")
          .hint("Ask for one entity after the other.")
      }
      entity = name
      list.append(identifier)
    }
    return (entity ?? "", list)
  }

  /// Reads an identifier such as `Package/42`.
  static func row(_ word: String) throws(DepotError) -> (entity: String, identifier: Int64) {
    let (entity, identifiers) = try identifiers([word])
    return (entity, identifiers[0])
  }

  /// Whether an operand is an identifier rather than an assignment or an entity.
  static func isIdentifier(_ word: String) -> Bool {
    word.contains("/") && !word.prefix { $0 != "/" }.contains("=")
  }

  /// Returns the rows of a change: given by identifiers, by `--where`, or by `--all`.
  ///
  /// - Throws: ``DepotError`` `request.usage` unless exactly one of them is given, so that nobody
  ///   changes all rows by forgetting an option.
  static func changed(
    _ words: [String],
    _ invocation: Invocation,
    _ bindings: inout Bindings
  ) throws(DepotError) -> (entity: String, rows: RowSelection) {
    let entity = words[0]
    if isIdentifier(entity) {
      for option in [OptionSpec.predicate, .all] where invocation.has(option) {
        throw DepotError(.usage, "--\(option.name) goes with an entity, not with identifiers.")
      }
      let (entity, identifiers) = try identifiers(words)
      return (entity, .identifiers(identifiers))
    }
    let predicate = try predicate(invocation, &bindings)
    switch (predicate, invocation.has(.all)) {
    case (let predicate?, false): return (entity, .predicate(predicate))
    case (nil, true): return (entity, .predicate(.and([])))
    case (.some, true): throw DepotError(.usage, "--all and --where contradict each other.")
    case (nil, false):
      let words = ["depot", invocation.verb?.name ?? "", entity, "--all"] + changes(invocation)
      throw DepotError(.usage, "Which rows of \(entity)? There is neither --where nor --all.")
        .hint("Add --where PREDICATE, or for every row: \(words.joined(separator: " "))")
    }
  }

  /// Returns the options of a command line that change rows, as they are typed.
  private static func changes(_ invocation: Invocation) -> [String] {
    let options = ["set", "compute"].flatMap { name in
      (invocation.lists[name] ?? []).flatMap { ["--\(name)", $0] }
    }
    return (invocation.operands.dropFirst() + options).map(CommandWords.quoted)
  }
}
