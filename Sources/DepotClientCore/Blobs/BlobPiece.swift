internal import DepotProtocol
internal import FoundationEssentials

/// The reading of a value's pieces from frames.
struct BlobPieces {
  private var isText = false

  /// Takes the names of the columns; the last one shows the type of the pieces.
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

  /// Returns the JSON of the value that all pieces are.
  func json(_ bytes: [UInt8], _ end: BlobEnd) -> [UInt8] {
    JSONWriter.bytes { writer in
      if end.length == nil {
        writer.raw("null")
      } else if isText {
        bytes.withUnsafeBufferPointer { writer.string(utf8: $0) }
      } else {
        writer.write(.data(Data(bytes)))
      }
    }
  }
}

/// The end of a read of a value.
struct BlobEnd {
  /// The length of the whole value; `nil` if it is null.
  let length: Int?
  /// The version of the row.
  let version: Int64

  init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    let length = try reader.required("length")
    self.length = length.isNull ? nil : Int(try length.int64())
    version = try reader.required("version").int64()
  }
}

/// The calls that write a value in pieces; nobody sees the value before the last piece.
struct BlobUpload {
  /// How many bytes a call brings at most.
  static let callBytes = 256 << 10
  /// The greatest number of bytes of a character after its first one.
  private static let characterBytes = 3

  private let entity: String
  /// The row; `nil` for a value that a later request refers to by its name.
  private let identifier: Int64?
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

  fileprivate init(_ upload: RequestUpload) {
    entity = upload.entity
    identifier = nil
    attribute = upload.attribute
    name = upload.upload.name
    if case .string = upload.upload.content { isText = true } else { isText = false }
  }

  /// Takes bytes; returns the calls that are full.
  mutating func add(_ more: some Sequence<UInt8>) -> [Operation] {
    bytes.append(contentsOf: more)
    var calls: [Operation] = []
    while bytes.count > Self.callBytes + Self.characterBytes {
      let piece = piece(of: bytes, from: 0)
      calls.append(call(piece, isFinal: false))
      bytes.removeFirst(piece.count)
    }
    return calls
  }

  /// Returns the call that makes the uploaded bytes the value.
  mutating func finish() -> Operation {
    defer { bytes = [] }
    return call(bytes, isFinal: true)
  }

  /// Returns the next call for a value in memory; `nil` after the last.
  fileprivate mutating func next(of value: Value) -> Operation? {
    switch value {
    case .string(let text): next(in: text.utf8)
    case .data(let data): next(in: data)
    default: nil
    }
  }

  private mutating func next(in bytes: some BidirectionalCollection<UInt8>) -> Operation? {
    let piece = piece(of: bytes, from: sent)
    return piece.isEmpty ? nil : call(piece, isFinal: false)
  }

  /// Returns the bytes of a call from an offset on; a text is cut where a character begins.
  private func piece<Bytes: BidirectionalCollection<UInt8>>(
    of bytes: Bytes,
    from place: Int
  ) -> Bytes.SubSequence {
    let start = bytes.index(bytes.startIndex, offsetBy: place)
    var end =
      bytes.index(start, offsetBy: Self.callBytes, limitedBy: bytes.endIndex) ?? bytes.endIndex
    var steps = 0
    while isText, end < bytes.endIndex, bytes[end] & 0xC0 == 0x80, steps <= Self.characterBytes {
      end = bytes.index(before: end)
      steps += 1
    }
    return bytes[start..<end]
  }

  private mutating func call(_ part: some Collection<UInt8>, isFinal: Bool) -> Operation {
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

/// A value that is uploaded in pieces before its request, which refers to it by a name.
struct RequestUpload {
  let entity: String
  /// The path of the attribute, which must be in external storage.
  let attribute: String
  let upload: RowUpload
}

extension RequestUpload: Sequence {
  /// The calls that send the pieces.
  struct Iterator: IteratorProtocol {
    private let content: Value
    private var upload: BlobUpload

    init(_ upload: RequestUpload) {
      content = upload.upload.content
      self.upload = BlobUpload(upload)
    }

    mutating func next() -> Operation? { upload.next(of: content) }
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
  /// The values that are uploaded before the request.
  var uploads: [RequestUpload] { rows.uploads(entity, columns) }
}

extension UpdateRequest {
  /// The values that are uploaded before the request.
  var uploads: [RequestUpload] { values.uploads(entity, columns) }
}

extension SaveRequest {
  /// The values that are uploaded before the request.
  var uploads: [RequestUpload] {
    inserts.flatMap { $0.rows.uploads($0.entity, $0.columns) }
      + updates.flatMap { $0.rows.uploads($0.entity, $0.columns) }
  }
}
