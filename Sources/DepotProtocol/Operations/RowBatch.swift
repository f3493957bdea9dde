internal import FoundationEssentials

/// Rows in their wire form, the JSON text of an array of arrays.
public struct RowBatch: Hashable, Sendable {
  /// The text, from `[` to `]`.
  package var json: [UInt8]
  /// The number of rows.
  public private(set) var count: Int
  /// The values sent before the rows; the rows only have their names.
  package private(set) var uploads: [RowUpload] = []

  /// Takes over the text of rows that were counted.
  package init(json: [UInt8], count: Int) {
    self.json = json
    self.count = count
  }

  /// Creates a batch of rows.
  public init(_ rows: [[Value]] = []) {
    self.init(json: Array("[]".utf8), count: 0)
    for row in rows { append(row) }
  }

  /// Adds a row.
  public mutating func append(_ values: [Value]) {
    appendRow { row in
      for value in values { row.append(value) }
    }
  }

  /// Adds the row whose values `body` writes.
  public mutating func appendRow<Failure: Error>(
    _ body: (inout RowWriter) throws(Failure) -> Void
  ) throws(Failure) {
    do {
      try appendRows(1) { _, row in try body(&row) }
    } catch let failure as Failure {
      throw failure
    } catch {
      preconditionFailure("Only the closure throws.")
    }
  }

  /// Adds rows that `body` writes by their indexes; adds none if `body` throws.
  package mutating func appendRows(
    _ added: Int,
    _ body: (Int, inout RowWriter) throws -> Void
  ) throws {
    if added == 0 { return }
    try withUnsafeTemporaryAllocation(
      of: UInt8.self,
      capacity: RowWriter.roomForShortValues
    ) { room in
      var writer = RowWriter(json, room)
      json = []
      do {
        for index in 0..<added {
          writer.begin()
          try body(index, &writer)
        }
      } catch {
        json = writer.abandon()
        throw error
      }
      if !writer.uploads.isEmpty { uploads += writer.uploads }
      json = writer.end()
    }
    count += added
  }

  /// Adds the rows of another batch.
  package mutating func append(_ other: RowBatch) {
    guard other.count > 0 else { return }
    guard count > 0 else {
      self = other
      return
    }
    json[json.count - 1] = UInt8(ascii: ",")
    json.append(contentsOf: other.json.dropFirst())
    count += other.count
    uploads += other.uploads
  }

  /// The JSON texts of the values of all rows; the values needn't be valid for the service.
  ///
  /// - Throws: ``DepotError`` if a value refused to be encoded, or the batch holds something else.
  package func texts() throws(DepotError) -> [[ArraySlice<UInt8>]] {
    if let refusal = RefusedValue.error(in: json) { throw refusal }
    var result: [[ArraySlice<UInt8>]] = []
    try json.withUnsafeBufferPointer { bytes throws(DepotError) in
      var reader = try RowReader(bytes)
      while try reader.beginRow() {
        var row: [ArraySlice<UInt8>] = []
        while !reader.isAtEndOfRow() {
          let text = try reader.text()
          row.append(json[reader.offset - text.count..<reader.offset])
        }
        try reader.endRow()
        result.append(row)
      }
    }
    return result
  }

  /// The size of the text in bytes.
  public var byteCount: Int { json.count }
}

/// A value that is too large for a row, which has `{"$upload":NAME}` in its place.
package struct RowUpload: Hashable, Sendable {
  /// The name of the upload, which no other has.
  package let name = UUID().uuidString
  /// The position of the row's column.
  package let column: Int
  /// The text or data.
  package let content: Value
}

/// A writer of the values of rows, one after the other.
public struct RowWriter: ~Copyable {
  /// The size in bytes above which a value in external storage is uploaded.
  ///
  /// A few smaller ones fit into a frame with their row.
  private static let externalBytes = 1 << 20

  /// How many bytes of short values are collected before they are added to the rows.
  static let roomForShortValues = 1024
  /// The length of the longest text that is collected.
  private static let longestShortText = 512

  private var writer: JSONWriter
  /// The values that aren't in the writer yet.
  private var short: TextCursor
  private let start: Int
  /// Whether a row was begun.
  private var isOpen = false
  /// The number of values of the row.
  private var column = 0
  /// The size of the largest value that isn't uploaded.
  private var largest = Limits.valueBytes
  /// Whether a value that would be uploaded is replaced by its length.
  package var writesLengths = false
  fileprivate private(set) var uploads: [RowUpload] = []

  init(_ bytes: consuming [UInt8], _ room: UnsafeMutableBufferPointer<UInt8>) {
    start = bytes.count - 1
    writer = JSONWriter(bytes)
    short = TextCursor(room)
  }

  /// Begins a row; the first one replaces the closing bracket of the batch.
  ///
  /// Nothing else may refer to the bytes then, or all of them would be copied.
  mutating func begin() {
    if isOpen {
      makeRoom(3)
      short.add("],[")
    } else {
      writer.bytes.removeLast()
      short.add(start > 1 ? ",[" : "[")
      isOpen = true
    }
    column = 0
  }

  consuming func end() -> [UInt8] {
    short.add("]]")
    flush()
    return writer.bytes
  }

  /// Drops the rows.
  consuming func abandon() -> [UInt8] {
    writer.bytes.removeSubrange(start...)
    writer.raw("]")
    return writer.bytes
  }

  private mutating func flush() {
    writer.bytes.append(contentsOf: short.written)
    short.removeAll()
  }

  /// Makes room for short text, and for a comma and the end of the rows behind it.
  @inline(__always)
  private mutating func makeRoom(_ count: Int) {
    if short.count + count + 3 > short.capacity { flush() }
  }

  /// Writes the comma before a value, and makes room for the value if that is short.
  private mutating func next(_ count: Int = 0) {
    makeRoom(count)
    if column > 0 { short.add(UInt8(ascii: ",")) }
    column += 1
  }

  /// Writes the next value.
  ///
  /// A text or data of more than ``Limits/valueBytes`` is uploaded in pieces before its request.
  public mutating func append(_ value: Value) {
    switch value {
    case .null: appendNull()
    case .bool(let truth): append(truth)
    case .int64(let number): append(number)
    case .double(let number): append(number)
    case .string(let text): append(text)
    default:
      next()
      flush()
      if value.textOrDataBytes <= largest { writer.write(value) } else { upload(value) }
    }
  }

  package mutating func appendNull() {
    next(4)
    short.add("null")
  }

  package mutating func append(_ truth: Bool) {
    next(5)
    short.add(truth ? "true" : "false")
  }

  package mutating func append(_ number: Int64) {
    next(NumberText.longest)
    short.add(number: number)
  }

  /// Writes the name of a row that the request inserts.
  package mutating func append(temporary number: UInt64) {
    next(NumberText.longest + 3)
    short.add("\"#")
    short.add(number: number)
    short.add(UInt8(ascii: "\""))
  }

  package mutating func append(_ number: Double) {
    next(NumberText.longest)
    if number.isFinite { return short.add(number: number) }
    flush()
    writer.double(number)
  }

  package mutating func append(_ text: String) {
    var text = text
    let isShort = text.withUTF8 { bytes in
      guard bytes.count <= Self.longestShortText, PlainBytes.needNoEscape(bytes) else {
        return false
      }
      next(bytes.count + 2)
      short.add(UInt8(ascii: "\""))
      short.add(bytes)
      short.add(UInt8(ascii: "\""))
      return true
    }
    if isShort { return }
    next()
    flush()
    if text.utf8.count <= largest { writer.string(text) } else { upload(.string(text)) }
  }

  /// Writes the next value.
  public mutating func append<Content: AttributeValue>(_ value: Content) {
    let value = value.attributeValue
    guard value.textOrDataBytes > Self.externalBytes, Content.isExternal else {
      return append(value)
    }
    external { $0.append(value) }
  }

  /// Writes values of an attribute in external storage; large ones are uploaded before the request.
  package mutating func external<Failure: Error>(
    _ write: (inout RowWriter) throws(Failure) -> Void
  ) throws(Failure) {
    largest = Self.externalBytes
    defer { largest = Limits.valueBytes }
    try write(&self)
  }

  private mutating func upload(_ value: Value) {
    guard !writesLengths else {
      return writer.write(.json("{\"$length\":\(value.textOrDataBytes)}"))
    }
    let upload = RowUpload(column: column - 1, content: value)
    uploads.append(upload)
    writer.write(.json("{\"$upload\":\"\(upload.name)\"}"))
  }
}

extension Value {
  /// The size in bytes of a text, as UTF-8, or of data; 0 for another value.
  fileprivate var textOrDataBytes: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .data(let data): data.count
    default: 0
    }
  }
}

extension AttributeValue {
  /// Whether attributes of such values are in external storage.
  fileprivate static var isExternal: Bool {
    var attribute = Attribute(name: "", type: attributeType)
    describe(&attribute)
    return attribute.options.contains(.externalStorage)
  }
}

extension RowBatch: MemberValue {
  /// Takes the text of an array of arrays.
  init(_ node: JSONNode, member name: StaticString) throws(DepotError) {
    guard node.kind == .array else { throw node.wrongType("an array of rows") }
    guard node.count <= Limits.rows else { throw .tooManyRows(node.count).at(node.pointer) }
    self.init(json: Array(node.document.bytes[node.range]), count: node.count)
  }

  func write(to writer: inout JSONWriter) { writer.raw(json) }
}
