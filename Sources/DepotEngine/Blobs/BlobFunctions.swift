internal import DepotProtocol
internal import DepotSQLite

/// The SQL functions that read values stored outside their rows.
enum BlobFunctions {
  static func register(on connection: Connection) throws(SQLiteError) {
    // The connection owns the functions.
    try connection.addFunction("depot_start", argumentCount: 4) { [unowned connection] call in
      guard call[1].kind != .null else { return }
      let (isText, limit) = (call[2].integer != 0, Int(call[3].integer))
      guard call.holdsReference(isText) else {
        let bytes = call[1].bytes
        let count = ValueStart.length(of: bytes, limit, isText)
        return call.result(UnsafeBufferPointer(rebasing: bytes[..<count]), isText)
      }
      guard let reference = reference(call) else { return }
      read(call, connection) { reader in
        let value = try reader.value(reference, limit: limit + ValueStart.excess)
        value.withUnsafeBufferPointer { bytes in
          let count = ValueStart.length(of: bytes, limit, isText)
          call.result(UnsafeBufferPointer(rebasing: bytes[..<count]), isText)
        }
      }
    }
    try connection.addFunction("depot_characters", argumentCount: 2) { [unowned connection] call in
      guard call[1].kind != .null else { return }
      var counter = CharacterCounter()
      guard call.holdsReference(true) else {
        counter.add(call[1].bytes)
        return call.result(counter.total)
      }
      guard let reference = reference(call) else { return }
      read(call, connection) { reader in
        for index in 0..<reference.chunkCount {
          try reader.chunk(index, of: reference) { counter.add($0) }
        }
        call.result(counter.total)
      }
    }
    try connection.addFunction("depot_identity", argumentCount: 3) { [unowned connection] call in
      guard call[1].kind != .null else { return }
      let isText = call[2].integer != 0
      if call.holdsReference(isText) {
        guard let reference = reference(call) else { return }
        return read(call, connection) { reader in
          guard reference.length > ValueStart.sortedBytes else {
            return try reader.value(reference).withUnsafeBufferPointer { call.result($0, isText) }
          }
          var identity = ValueIdentity(length: reference.length)
          for index in 0..<reference.chunkCount {
            try reader.chunk(index, of: reference) { identity.add($0) }
          }
          call.result(identity, isText)
        }
      }
      let bytes = call[1].bytes
      guard bytes.count > ValueStart.sortedBytes else { return call.result(bytes, isText) }
      var identity = ValueIdentity(length: bytes.count)
      for start in stride(from: 0, to: bytes.count, by: BlobTable.chunkBytes) {
        let end = min(start + BlobTable.chunkBytes, bytes.count)
        identity.add(UnsafeBufferPointer(rebasing: bytes[start..<end]))
      }
      call.result(identity, isText)
    }
  }

  /// Returns the reference in the second argument; fails if it is damaged.
  private static func reference(_ call: borrowing FunctionCall) -> BlobReference? {
    if let reference = BlobReference(call[1].bytes) { return reference }
    let name = String(decoding: call[0].bytes, as: UTF8.self)
    call.fail("A reference to a value of \(name) is damaged.", code: 11)
    return nil
  }

  /// Calls `body` with the reader of the table in the first argument.
  private static func read(
    _ call: borrowing FunctionCall,
    _ connection: Connection,
    _ body: (BlobReader) throws -> Void
  ) {
    let name = String(decoding: call[0].bytes, as: UTF8.self)
    let table = BlobTable(String(name.dropFirst(3).dropLast()))
    do {
      try body(BlobReader(connection: connection, table: table))
    } catch let damage as BlobReader.Damage {
      call.fail(damage.message, code: 11)
    } catch {
      call.fail("\(error)", code: (error as? SQLiteError)?.code ?? 1)
    }
  }
}

extension FunctionCall {
  /// Whether the second argument is a reference to a text, or to data.
  fileprivate func holdsReference(_ isText: Bool) -> Bool {
    self[1].kind == (isText ? .blob : .text)
  }

  fileprivate func result(_ bytes: UnsafeBufferPointer<UInt8>, _ isText: Bool) {
    if isText { result(text: bytes) } else { result(blob: bytes) }
  }

  /// Returns an identity with the type of references, so that it equals no value.
  fileprivate func result(_ identity: ValueIdentity, _ isText: Bool) {
    Array(identity.text.utf8).withUnsafeBufferPointer { result($0, !isText) }
  }
}

/// The first bytes of a text or of data.
enum ValueStart {
  /// The number of bytes by which rows are sorted.
  static let sortedBytes = 1024

  /// The most bytes beyond a limit that complete a character.
  static let excess = 3

  /// Returns the length of the start of a value, which ends with a whole character of a text.
  ///
  /// Starts have the order of the values, since the character at the limit isn't dropped.
  static func length(
    of bytes: some RandomAccessCollection<UInt8>,
    _ limit: Int,
    _ isText: Bool
  ) -> Int {
    guard bytes.count > limit else { return bytes.count }
    guard isText else { return limit }
    return limit + bytes.dropFirst(limit).prefix { $0 & 0xC0 == 0x80 }.count
  }

  /// Returns the SQL for the start of a computed value, by which rows are sorted.
  static func sql(of value: Fragment, isText: Bool) -> Fragment {
    "depot_start(NULL, " + value + ", \(isText ? 1 : 0), \(sortedBytes))"
  }

  /// Returns the bytes of a value by which rows are sorted.
  static func sorted(_ value: SQLiteValue) -> SQLiteValue {
    switch value {
    case .text(let text) where text.utf8.count > sortedBytes:
      let bytes = Array(text.utf8)
      return .text(String(decoding: bytes[..<length(of: bytes, sortedBytes, true)], as: UTF8.self))
    case .blob(let bytes): return .blob(Array(bytes.prefix(sortedBytes)))
    default: return value
    }
  }
}

/// The number of characters of a text that comes in chunks.
private struct CharacterCounter {
  private var count: Int64 = 0
  /// The last character, which may go on in the next chunk.
  private var rest: [UInt8] = []
  /// The most bytes of a character that the next chunk may continue, so that no text takes very long.
  private static let characterBytes = 1 << 20

  mutating func add(_ chunk: UnsafeBufferPointer<UInt8>) {
    rest.append(contentsOf: chunk)
    // The chunk may end inside of a scalar, which has up to four bytes.
    let tail = rest.suffix(4).lastIndex { $0 & 0xC0 != 0x80 } ?? rest.startIndex
    let isWhole = rest[tail...].withUnsafeBufferPointer(UTF8Sequence.isValid)
    let text = String(decoding: isWhole ? rest[...] : rest[..<tail], as: UTF8.self)
    guard let last = text.last else { return }
    count += Int64(text.count) - 1
    rest.removeFirst(text.utf8.count - last.utf8.count)
    guard rest.count > Self.characterBytes else { return }
    count += 1
    rest.removeAll()
  }

  var total: Int64 { count + Int64(String(decoding: rest, as: UTF8.self).count) }
}

/// The length and two checksums of a value, which are the same for equal values.
private struct ValueIdentity {
  private let length: Int
  private var first = Checksum()
  private var second = Checksum()

  init(length: Int) {
    self.length = length
    second.add(UInt64(length))
  }

  /// Adds a chunk.
  mutating func add(_ chunk: UnsafeBufferPointer<UInt8>) {
    first.add(UnsafeRawBufferPointer(chunk))
    second.add(first.value)
    second.add(UnsafeRawBufferPointer(chunk))
  }

  var text: String { "\(length):\(first.digits)\(second.digits)" }
}
