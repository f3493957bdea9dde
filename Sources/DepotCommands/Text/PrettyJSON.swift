internal import DepotProtocol

/// Formats JSON over several lines, in the order of its members.
enum PrettyJSON {
  /// Returns compact JSON with each element and member in a line of its own.
  ///
  /// Containers whose text is short stay in one line.
  static func text(of json: String) -> String {
    let json = Array(json.utf8)
    var output: [UInt8] = []
    do throws(DepotError) {
      try write(JSONDocument(json, valueLimit: .max).root, depth: 0, to: &output)
    } catch {
      output = json
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// How wide a line with a short container may be.
  private static let width = 80

  /// Writes a value, in one line if there is no `depth`; `column` is how much of the line is before it.
  private static func write(
    _ node: JSONNode,
    depth: Int?,
    column: Int = 0,
    to output: inout [UInt8]
  ) throws(DepotError) {
    let text = node.document.bytes[node.range]
    var children: [(name: JSONNode?, value: JSONNode)] = []
    switch node.kind {
    case .object: for (name, value) in try node.members() { children.append((name, value)) }
    case .array: for value in try node.elements() { children.append((nil, value)) }
    default:
      output += text
      return
    }
    let isNested = text.dropFirst().contains { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }
    let depth = depth.flatMap { depth in
      // In one line there are spaces behind the commas and colons, and perhaps a comma behind it.
      let fits = depth > 0 && column + text.count + spaces(text) < width
      return children.isEmpty || fits && !(isNested && depth < 2) ? nil : depth
    }
    output += text.prefix(1)
    for (index, child) in children.enumerated() {
      if index > 0 { output += Array((depth == nil ? ", " : ",").utf8) }
      if let depth { newLine(depth + 1, &output) }
      if let name = child.name { output += node.document.bytes[name.range] + Array(": ".utf8) }
      let column = (depth ?? 0) * 2 + 2 + (child.name.map { $0.range.count + 2 } ?? 0)
      try write(child.value, depth: depth.map { $0 + 1 }, column: column, to: &output)
    }
    if let depth { newLine(depth, &output) }
    output += text.suffix(1)
  }

  /// How many spaces compact JSON gets at most in one line.
  private static func spaces(_ text: ArraySlice<UInt8>) -> Int {
    text.count { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ":") }
  }

  private static func newLine(_ depth: Int, _ output: inout [UInt8]) {
    output.append(0x0A)
    output.append(contentsOf: repeatElement(0x20, count: depth * 2))
  }
}
