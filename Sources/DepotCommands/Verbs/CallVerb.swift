internal import DepotClientCore
internal import DepotProtocol

/// `depot call`: any operation of the protocol.
enum CallVerb {
  static let verb = Verb(
    name: "call",
    operands: .init("OP [JSON|-]", 1...2, .words(Operation.names)),
    summary: "call an operation of the protocol",
    details: "The rows of a stream are written as they come, one in each line, before its result.",
    examples: [
      "depot call describe", #"depot call count '{"entity":"Package"}'"#,
      #"depot call fetch '{"entity":"Package","limit":2}'"#,
    ],
    terms: .operation
  ) { session in
    let operands = session.invocation.operands
    let arguments = try arguments(operands.count > 1 ? operands[1] : "{}")
    let output = session.output
    let result = try session.connect().call(operands[0], arguments: arguments) { element in
      output.bytes.append(contentsOf: element)
      output.append("\n")
      try output.flushIfLarge()
    }
    session.write(result)
  }

  private static func arguments(_ text: String) throws(DepotError) -> JSONValue {
    let bytes =
      text == "-" ? try InputFile("-").readAll(limit: Limits.frameBytes) : Array(text.utf8)
    do throws(DepotError) {
      return try JSONValue(parsing: bytes)
    } catch {
      var result = error
      if result.code == .numberRange { throw result }
      result.message = "The arguments are no JSON object that the protocol accepts."
      throw result
    }
  }
}
