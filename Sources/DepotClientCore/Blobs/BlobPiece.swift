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

/// A value of a request that goes ahead of it in pieces, and is known there by a name.
struct RequestUpload {
  let entity: String
  /// The path of the attribute, which must be in external storage.
  let attribute: String
  let upload: RowUpload
}

extension RequestUpload: Sequence {
  /// The calls that send the pieces.
  struct Iterator: IteratorProtocol {
    let upload: RequestUpload
    /// How many bytes were sent.
    private var sent = 0

    init(_ upload: RequestUpload) { self.upload = upload }

    mutating func next() -> Operation? {
      switch upload.upload.content {
      case .string(let text):
        let bytes = text.utf8
        let start = bytes.index(bytes.startIndex, offsetBy: sent)
        var end = bytes.index(start, offsetBy: BlobUpload.callBytes, limitedBy: bytes.endIndex)
        // A text is cut where a character begins.
        while let index = end, index < bytes.endIndex, bytes[index] & 0xC0 == 0x80 {
          end = bytes.index(before: index)
        }
        let piece = text[start..<(end ?? bytes.endIndex)]
        return call(String(piece), piece.utf8.count)
      case .data(let data):
        let piece = data.dropFirst(sent).prefix(BlobUpload.callBytes)
        return call(piece.base64EncodedString(), piece.count)
      default: return nil
      }
    }

    private mutating func call(_ data: String, _ count: Int) -> Operation? {
      guard count > 0 else { return nil }
      defer { sent += count }
      return .writeBlob(
        BlobWriteRequest(
          entity: upload.entity,
          identifier: nil,
          attribute: upload.attribute,
          data: data,
          place: .offset(sent),
          upload: upload.upload.name
        )
      )
    }
  }

  func makeIterator() -> Iterator { Iterator(self) }
}

extension RowBatch {
  fileprivate func uploads(_ entity: String, _ columns: [String]) -> [RequestUpload] {
    uploads.filter { columns.indices.contains($0.column) }.map {
      RequestUpload(entity: entity, attribute: columns[$0.column], upload: $0)
    }
  }
}

extension InsertRequest {
  /// The values that go ahead.
  var uploads: [RequestUpload] { rows.uploads(entity, columns) }
}

extension UpdateRequest {
  /// The values that go ahead.
  var uploads: [RequestUpload] { values.uploads(entity, columns) }
}

extension SaveRequest {
  /// The values that go ahead.
  var uploads: [RequestUpload] {
    inserts.flatMap { $0.rows.uploads($0.entity, $0.columns) }
      + updates.flatMap { $0.rows.uploads($0.entity, $0.columns) }
  }
}
