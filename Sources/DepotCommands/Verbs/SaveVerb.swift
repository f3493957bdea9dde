internal import DepotClientCore
internal import DepotProtocol

/// `depot save`: changes to rows of any entities in one transaction.
enum SaveVerb {
  private static let key: OptionSpec =
    "--key KEY: an idempotency key: the same key is never applied twice"

  private static let policy = OptionSpec(
    """
    --policy POLICY: what to do with rows that others have changed since they were read: error,
    mergeByPropertyStoreTrump, mergeByPropertyObjectTrump, overwrite, or rollback
    """
  )

  static let verb = Verb(
    name: "save",
    operands: .init("[FILE|-]", 0...1, .files),
    summary: "insert, update, and delete rows of any entities together",
    details: """
      The file, or standard input, has the arguments of the protocol's operation save. Identifiers
      that begin with # are temporary: rows that are inserted may refer to each other by them. The
      answer has the permanent ones. All of it is stored, or nothing is.

      With the versions that were read ($version of updates, versions of deletes, read), others'
      changes since are found. The policy decides what becomes of them, and is told what it did.
      """,
    examples: [
      "depot save graph.json",
      """
      echo '{"insert":[
          {"entity":"City","columns":["$id","name"],"rows":[["#c","Rome"]]},
          {"entity":"Trip","columns":["name","city"],"rows":[["Easter","#c"]]}]}' |
          depot save
      """,
    ],
    options: [key, policy],
    terms: .arguments
  ) { session in
    let path = session.invocation.operands.first ?? "-"
    var operation = try operation(InputFile(path).readAll(limit: Limits.frameBytes), path)
    if let name = session.invocation.value(policy), case .save(var request) = operation {
      guard let policy = MergePolicy(rawValue: name) else {
        let names = MergePolicy.allCases.map(\.rawValue).joined(separator: ", ")
        throw DepotError(.usage, "There is no merge policy \"\(name)\".").hint(
          "There are \(names)."
        )
      }
      request.policy = policy
      operation = .save(request)
    }
    let result = try JSONValue(
      session.connect().send(operation, key: session.invocation.value(key))
    )
    let counts = ["inserted", "updated", "deleted"].map { name in
      "\(Numbers.grouped(Int(result[name]?.int64 ?? 0))) \(name)"
    }
    let identifiers = (result["ids"]?.object ?? [:]).sorted { $0.key < $1.key }
    let conflicts = (result["conflicts"]?.array ?? []).compactMap(SaveConflict.init)
      .flatMap(ConflictReport.lines)
    session.write(
      result,
      orText: ([counts.joined(separator: ", ")] + identifiers.map { "  \($0) = \($1.text)" }
        + conflicts.map(TextWidth.printable))
        .joined(separator: "\n")
    )
  }

  /// Reads the arguments of a save.
  static func operation(_ text: [UInt8], _ path: String) throws(DepotError) -> Operation {
    do throws(DepotError) {
      // Parsing the file alone first gives errors their positions in the file.
      _ = try JSONDocument(text)
      let call = try JSONDocument(Array("[\"save\",".utf8) + text + Array("]".utf8)).root.elements()
      guard call.count == 2 else { throw DepotError(.json, "The file isn't one JSON object.") }
      return try Operation(call[0], arguments: call[1])
    } catch {
      var error = error
      error.at = error.at.map { String($0.hasPrefix("/1") ? $0.dropFirst(2) : $0[...]) }
      throw SchemaFile.located(error, in: path)
    }
  }
}
