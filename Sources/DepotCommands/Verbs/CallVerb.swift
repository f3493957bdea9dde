internal import DepotClient
internal import DepotProtocol

/// `depot call`: any operation of the protocol.
enum CallVerb {
  static let verb = Verb(
    words: ["call"],
    operands: "OP [JSON|-]",
    operandCount: 1...2,
    operand: .words(Operation.names),
    summary: "call an operation of the protocol",
    details: "A stream's rows are written as they come, one array in each line, before its result.",
    examples: [
      "depot call describe", #"depot call count '{"entity":"Package"}'"#,
      #"depot call fetch '{"entity":"Package","limit":2}'"#,
    ],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let operands = session.invocation.operands
    let arguments = try arguments(operands.count > 1 ? operands[1] : "{}")
    let output = session.output
    let result = try session.connect().call(operands[0], arguments: arguments) { row in
      output.append("[")
      output.append(integer: row.identifier)
      output.append(",")
      output.append(integer: row.version)
      while !row.isAtEndOfRow() {
        let field = try row.field()
        let quote = field.kind == .string ? "\"" : ""
        output.append("," + quote)
        output.bytes.append(contentsOf: field.bytes)
        output.append(quote)
      }
      output.append("]\n")
      try output.flushIfLarge()
    }
    session.write(result)
    return 0
  }

  private static func arguments(_ text: String) throws(DepotError) -> JSONValue {
    let bytes =
      text == "-" ? try InputFile("-").readAll(limit: Limits.frameBytes) : Array(text.utf8)
    do throws(DepotError) {
      return try JSONValue(parsing: bytes)
    } catch {
      var result = error
      result.message = "The arguments are no JSON object that the protocol accepts."
      throw result
    }
  }
}
