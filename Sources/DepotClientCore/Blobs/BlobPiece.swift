internal import DepotProtocol
internal import FoundationEssentials

/// The reading of the pieces of a value from the frames in which they come.
struct BlobPieces {
  private var isText = false

  /// Takes note of the names of the columns, the last of which says what the pieces are.
  mutating func begin(_ columns: [String]) { isText = columns.last == "text" }

  /// Reads the piece of a row.
  ///
  /// - Throws: ``DepotError`` if the row has none.
  func read(_ reader: inout RowReader) throws -> [UInt8] {
    let field = try reader.field()
    if isText {
      if let text = field.string { return Array(text.utf8) }
    } else if let data = field.data {
      return Array(data)
    }
    throw DepotError(.type, "The service sent a piece that is no \(isText ? "text" : "data").")
  }
}

/// The calls that write a value in pieces, of which nobody sees any before the last.
struct BlobUpload {
  /// How many bytes a call brings at most.
  static let callBytes = 256 << 10

  private let entity: String
  private let identifier: Int64
  private let attribute: String
  private let name: String
  private let isText: Bool
  private var bytes: [UInt8] = []
  /// How many bytes were sent.
  private var sent = 0

  init(_ entity: String, _ identifier: Int64, _ attribute: String, isText: Bool) {
    self.entity = entity
    self.identifier = identifier
    self.attribute = attribute
    self.isText = isText
    name = UUID().uuidString
  }

  /// Takes bytes; returns the calls that are full.
  mutating func add(_ more: some Sequence<UInt8>) -> [Operation] {
    bytes.append(contentsOf: more)
    var calls: [Operation] = []
    while bytes.count > Self.callBytes + 4 {
      // A text is cut where a character begins.
      var end = Self.callBytes
      while isText, bytes[end] & 0xC0 == 0x80, end > Self.callBytes - 4 { end -= 1 }
      calls.append(call(bytes[..<end], isFinal: false))
      bytes.removeFirst(end)
    }
    return calls
  }

  /// Returns the call that makes what was sent the value.
  mutating func finish() -> Operation {
    defer { bytes = [] }
    return call(bytes[...], isFinal: true)
  }

  private mutating func call(_ part: ArraySlice<UInt8>, isFinal: Bool) -> Operation {
    defer { sent += part.count }
    return .writeBlob(
      BlobWriteRequest(
        entity: entity,
        identifier: identifier,
        attribute: attribute,
        data: isText ? String(decoding: part, as: UTF8.self) : Data(part).base64EncodedString(),
        place: .offset(sent),
        upload: name,
        isFinal: isFinal
      )
    )
  }
}
