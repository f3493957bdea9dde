/// A key or key combination of the line editor.
enum Key: Hashable, Sendable {
  case text(String)
  /// Text from the clipboard; a line end in it doesn't run a command.
  case paste(String)
  case enter
  case tab
  case backspace
  case delete
  case left
  case right
  case wordLeft
  case wordRight
  case up
  case down
  case home
  case end
  case killToStart
  case killToEnd
  case killWord
  case killNextWord
  case yank
  case interrupt
  /// Ctrl-D: the end of the input, or the deletion of a character.
  case endOfInput
  case clear
  case search
  case cancel
}

/// The translation of a terminal's bytes into keys.
struct KeyDecoder {
  private var bytes: [UInt8] = []
  private var pasted: [UInt8]?

  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  /// Receives bytes and returns the complete keys.
  mutating func receive(_ input: some Sequence<UInt8>) -> [Key] {
    bytes.append(contentsOf: input)
    var keys: [Key] = []
    while let (key, count) = next() {
      bytes.removeFirst(count)
      guard let key else { continue }
      if case .text(let more) = key, case .text(let text)? = keys.last {
        keys[keys.count - 1] = .text(text + more)
      } else {
        keys.append(key)
      }
    }
    return keys
  }

  /// Returns the next key, if it has a meaning, and its length; `nil` if more bytes are needed.
  private mutating func next() -> (Key?, Int)? {
    guard let first = bytes.first else { return nil }
    if pasted != nil { return paste() }
    switch first {
    case 0x1B: return escape()
    case 0..<0x20, 0x7F: return (Self.controls[first], 1)
    default: return character(first)
    }
  }

  private static let controls: [UInt8: Key] = [
    0x01: .home, 0x02: .left, 0x03: .interrupt, 0x04: .endOfInput, 0x05: .end, 0x06: .right,
    0x07: .cancel, 0x08: .backspace, 0x09: .tab, 0x0A: .enter, 0x0B: .killToEnd, 0x0C: .clear,
    0x0D: .enter, 0x0E: .down, 0x10: .up, 0x12: .search, 0x15: .killToStart, 0x17: .killWord,
    0x19: .yank, 0x7F: .backspace,
  ]

  private func character(_ first: UInt8) -> (Key?, Int)? {
    let count =
      switch first {
      case 0..<0x80: 1
      case 0xC2..<0xE0: 2
      case 0xE0..<0xF0: 3
      case 0xF0..<0xF5: 4
      default: 0
      }
    if count == 0 { return (nil, 1) }
    if bytes.count < count { return nil }
    guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else { return (nil, 1) }
    return (.text(text), count)
  }

  /// Reads a sequence after the escape character: a key's, or a key with Alt.
  private mutating func escape() -> (Key?, Int)? {
    guard bytes.count > 1 else { return nil }
    switch bytes[1] {
    case UInt8(ascii: "["):
      guard let end = bytes.dropFirst(2).firstIndex(where: { 0x40...0x7E ~= $0 }) else {
        // No terminal sends a sequence as long as this.
        return bytes.count > 32 ? (nil, bytes.count) : nil
      }
      let sequence = String(decoding: bytes[2...end], as: UTF8.self)
      if sequence == "200~" { pasted = [] }
      return (Self.sequences[sequence], end + 1)
    case UInt8(ascii: "O"):
      guard bytes.count > 2 else { return nil }
      return (Self.sequences[String(decoding: bytes[2...2], as: UTF8.self)], 3)
    case UInt8(ascii: "b"): return (.wordLeft, 2)
    case UInt8(ascii: "f"): return (.wordRight, 2)
    case UInt8(ascii: "d"): return (.killNextWord, 2)
    case 0x7F, 0x08: return (.killWord, 2)
    case 0x1B: return (.cancel, 1)
    default: return (nil, 2)
    }
  }

  private static let sequences: [String: Key] = [
    "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "F": .end, "1~": .home, "4~": .end,
    "7~": .home, "8~": .end, "3~": .delete, "1;5C": .wordRight, "1;5D": .wordLeft,
    "1;3C": .wordRight, "1;3D": .wordLeft, "3;5~": .killNextWord,
  ]

  private mutating func paste() -> (Key?, Int)? {
    guard var text = pasted, let first = bytes.first else { return nil }
    if first == 0x1B {
      if bytes.starts(with: Self.pasteEnd) {
        pasted = nil
        return (.paste(String(decoding: text, as: UTF8.self)), Self.pasteEnd.count)
      }
      if bytes.count < Self.pasteEnd.count, Self.pasteEnd.starts(with: bytes) { return nil }
    }
    text.append(first)
    pasted = text
    return (nil, 1)
  }
}
