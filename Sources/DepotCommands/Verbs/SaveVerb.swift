internal import DepotClient
internal import DepotProtocol

/// `depot save`: changes to rows of any entities in one transaction.
enum SaveVerb {
  private static let key = OptionSpec(
    name: "key",
    value: "KEY",
    help: "an idempotency key: the same key is never applied twice"
  )

  static let verb = Verb(
    words: ["save"],
    operands: "[FILE|-]",
    operandCount: 0...1,
    operand: .file,
    summary: "insert, update, and delete rows of any entities together",
    details: """
      The file, or standard input, has the arguments of the protocol's operation save. Identifiers
      that begin with # are temporary: rows that are inserted may refer to each other by them. The
      answer has the permanent ones. All of it is stored, or nothing is.
      """,
    examples: [
      "depot save graph.json",
      """
      echo '{"insert":[{"entity":"City","columns":["$id","name"],"rows":[["#c","Rome"]]},
          {"entity":"Trip","columns":["name","city"],"rows":[["Easter","#c"]]}]}' | depot save
      """,
    ],
    options: [key],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let path = session.invocation.operands.first ?? "-"
    let operation = try operation(InputFile(path).readAll(limit: Limits.frameBytes), path)
    let result = try JSONValue(
      session.connect().perform(operation, key: session.invocation.value(key))
    )
    let counts = ["inserted", "updated", "deleted"].map { name in
      "\(Numbers.grouped(Int(result[name]?.int64 ?? 0))) \(name)"
    }
    let identifiers = (result["ids"]?.object ?? [:]).sorted { $0.key < $1.key }
    session.write(
      result,
      orText: ([counts.joined(separator: ", ")] + identifiers.map { "  \($0) = \($1.text)" })
        .joined(separator: "\n")
    )
    return 0
  }

  /// Reads the arguments of a save.
  static func operation(_ text: [UInt8], _ path: String) throws(DepotError) -> Operation {
    do throws(DepotError) {
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
