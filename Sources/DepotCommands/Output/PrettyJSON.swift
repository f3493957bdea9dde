/// The laying out of JSON over lines, its members in their order.
enum PrettyJSON {
  /// Returns compact JSON with each element and member in a line of its own.
  ///
  /// Containers whose text is short stay in one line.
  static func text(of json: [UInt8]) -> String {
    var output: [UInt8] = []
    var position = 0
    write(json, &position, depth: 0, to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  private static let shortCount = 80

  private static func write(
    _ json: [UInt8],
    _ position: inout Int,
    depth: Int,
    to output: inout [UInt8]
  ) {
    let end = endOfValue(json, position)
    let isContainer = json[position] == UInt8(ascii: "{") || json[position] == UInt8(ascii: "[")
    let isNested = json[(position + 1)..<end].contains {
      $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[")
    }
    let fits = end - position + depth * 2 <= shortCount && (depth > 0 || !isContainer)
    guard isContainer, end - position > 2, !fits || isNested && depth < 2 else {
      spaced(json[position..<end], to: &output)
      position = end
      return
    }
    output.append(json[position])
    position += 1
    while position < end - 1 {
      newLine(depth + 1, &output)
      if json[position] == UInt8(ascii: "\"") {
        let endOfName = endOfValue(json, position)
        if json[endOfName] == UInt8(ascii: ":") {
          output.append(contentsOf: json[position...endOfName])
          output.append(0x20)
          position = endOfName + 1
        }
      }
      write(json, &position, depth: depth + 1, to: &output)
      if json[position] == UInt8(ascii: ",") {
        output.append(json[position])
        position += 1
      }
    }
    newLine(depth, &output)
    output.append(json[position])
    position += 1
  }

  private static func newLine(_ depth: Int, _ output: inout [UInt8]) {
    output.append(0x0A)
    output.append(contentsOf: repeatElement(0x20, count: depth * 2))
  }

  /// Copies a value with a space behind each comma and colon.
  private static func spaced(_ json: ArraySlice<UInt8>, to output: inout [UInt8]) {
    var isInString = false
    var isEscaped = false
    for byte in json {
      output.append(byte)
      if isEscaped {
        isEscaped = false
      } else if isInString, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString.toggle()
      } else if !isInString, byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") {
        output.append(0x20)
      }
    }
  }

  /// Returns the position after the value that begins at `start`.
  private static func endOfValue(_ json: [UInt8], _ start: Int) -> Int {
    var depth = 0
    var isInString = false
    var position = start
    while position < json.count {
      let byte = json[position]
      if isInString {
        if byte == UInt8(ascii: "\\") { position += 1 }
        if byte == UInt8(ascii: "\"") { isInString = false }
        if !isInString, depth == 0 { return position + 1 }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          if depth == 0 { return position }
          depth -= 1
          if depth == 0 { return position + 1 }
        case UInt8(ascii: ","), UInt8(ascii: ":"):
          if depth == 0 { return position }
        default: break
        }
      }
      position += 1
    }
    return position
  }
}
