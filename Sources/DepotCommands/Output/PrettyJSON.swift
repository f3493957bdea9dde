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

  private static let shortCount = 80

  /// Writes a value, on one line if there is no `depth`.
  private static func write(
    _ node: JSONNode,
    depth: Int?,
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
      let fits = text.count + depth * 2 <= shortCount && depth > 0
      return children.isEmpty || fits && !(isNested && depth < 2) ? nil : depth
    }
    output += text.prefix(1)
    for (index, child) in children.enumerated() {
      if index > 0 { output += Array((depth == nil ? ", " : ",").utf8) }
      if let depth { newLine(depth + 1, &output) }
      if let name = child.name { output += node.document.bytes[name.range] + Array(": ".utf8) }
      try write(child.value, depth: depth.map { $0 + 1 }, to: &output)
    }
    if let depth { newLine(depth, &output) }
    output += text.suffix(1)
  }

  private static func newLine(_ depth: Int, _ output: inout [UInt8]) {
    output.append(0x0A)
    output.append(contentsOf: repeatElement(0x20, count: depth * 2))
  }
}
