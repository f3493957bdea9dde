internal import DepotProtocol

/// A check, byte by byte, that a text is one JSON document.
@Memberwise
struct JSONGrammar {
  private enum State {
    case value
    /// After the opening bracket of an array.
    case valueOrEnd
    /// After the opening brace of an object.
    case nameOrEnd
    case name
    case colon
    /// After a value.
    case behind
    case string(isName: Bool)
    case escape(isName: Bool)
    /// In a number, or in one of the three words.
    case word
  }

  private static let depth = 1 << 16
  private static let wordBytes = 1 << 10

  private var state = State.value
  /// Whether each container around the next byte is an object.
  private var containers: [Bool] = []
  private var word: [UInt8] = []

  /// Whether the document may end here.
  var isComplete: Bool {
    guard containers.isEmpty else { return false }
    return switch state {
    case .behind: true
    case .word: isWord
    default: false
    }
  }

  /// Moves past a byte; returns whether it is valid there.
  mutating func take(_ byte: UInt8) -> Bool {
    switch state {
    case .string(let isName):
      if byte == UInt8(ascii: "\"") {
        state = isName ? .colon : .behind
      } else if byte == UInt8(ascii: "\\") {
        state = .escape(isName: isName)
      }
      return byte >= 0x20
    case .escape(let isName):
      state = .string(isName: isName)
      return "\"\\/bfnrtu".utf8.contains(byte)
    case .word:
      if "+-.".utf8.contains(byte) || byte.isASCIILetterOrDigit {
        word.append(byte)
        return word.count < Self.wordBytes
      }
      state = .behind
      return isWord && takeBetween(byte)
    default: return takeBetween(byte)
    }
  }

  /// Moves past a value without reading its bytes.
  mutating func skipValue() { state = .behind }

  private var isWord: Bool { (try? JSONDocument(word)) != nil }

  private mutating func takeBetween(_ byte: UInt8) -> Bool {
    switch (state, byte) {
    case (_, 0x20), (_, 0x09), (_, 0x0A), (_, 0x0D): break
    case (.behind, UInt8(ascii: ",")):
      guard let isObject = containers.last else { return false }
      state = isObject ? .name : .value
    case (.valueOrEnd, UInt8(ascii: "]")), (.nameOrEnd, UInt8(ascii: "}")): end()
    case (.behind, UInt8(ascii: "]")):
      guard containers.last == false else { return false }
      end()
    case (.behind, UInt8(ascii: "}")):
      guard containers.last == true else { return false }
      end()
    case (.colon, UInt8(ascii: ":")): state = .value
    case (.name, UInt8(ascii: "\"")), (.nameOrEnd, UInt8(ascii: "\"")):
      state = .string(isName: true)
    case (.value, _), (.valueOrEnd, _): return beginValue(byte)
    default: return false
    }
    return true
  }

  private mutating func beginValue(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      let isObject = byte == UInt8(ascii: "{")
      containers.append(isObject)
      state = isObject ? .nameOrEnd : .valueOrEnd
      return containers.count < Self.depth
    case UInt8(ascii: "\""): state = .string(isName: false)
    default:
      guard byte == UInt8(ascii: "-") || byte.isASCIILetterOrDigit else { return false }
      word = [byte]
      state = .word
    }
    return true
  }

  private mutating func end() {
    containers.removeLast()
    state = .behind
  }
}

extension UInt8 {
  fileprivate var isASCIILetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
