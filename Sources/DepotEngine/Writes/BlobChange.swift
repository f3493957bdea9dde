internal import DepotProtocol
internal import DepotSQLite

/// Writes a part of a value that may be stored outside its row.
struct BlobChange {
  private let request: BlobWriteRequest
  private let session: ChangeSession
  private let writer: EntityWriter
  private let target: BlobTarget
  private let bytes: [UInt8]

  struct Result {
    /// The new length of the value or of its upload, in bytes.
    var length: Int
    /// Whether the row's value has changed.
    var isChanged: Bool
  }

  init(_ request: BlobWriteRequest, _ session: ChangeSession) throws {
    self.request = request
    self.session = session
    guard request.identifier != nil || request.upload != nil && !request.isFinal else {
      throw DepotError(.usage, "The identifier of the row is missing.")
        .hint("Only an upload that a later call takes up has none, and it isn't the final one.")
        .at("/args")
    }
    writer = try session.entities.writer(request.entity, at: "/args/entity")
    target = try BlobTarget(writer.layout, request.identifier, request.attribute)
    if target.isText {
      bytes = Array(request.data.utf8)
    } else {
      guard let data = Base64.decode(request.data) else {
        throw DepotError(.type, "\(target.name) is data, which must be sent in base64.")
          .at("/args/data")
      }
      bytes = Array(data)
    }
  }

  private var blobs: BlobWriter {
    BlobWriter(connection: session.connection, table: target.table)
  }

  func run() throws -> Result {
    do {
      if let upload = request.upload { return try self.upload(upload) }
      return try change(request.identifier ?? 0)
    } catch {
      throw DepotError.blob(error, target)
    }
  }

  // MARK: - At once

  private func change(_ identifier: Int64) throws -> Result {
    let old = try target.read(identifier, on: session.connection).content
    guard case .outside(var reference)? = old, request.place != .whole else {
      var value: [UInt8] = []
      if case .inRow(let bytes)? = old, request.place != .whole { value = bytes }
      try write(to: &value)
      return try commit(content(value), identifier)
    }
    let reader = BlobReader(connection: session.connection, table: target.table)
    let start = try start(in: reference.length) { edge in
      let (index, offset) = edge.quotientAndRemainder(dividingBy: BlobTable.chunkBytes)
      var byte: UInt8 = 0
      try reader.chunk(index, of: reference) { byte = $0[offset] }
      return byte
    }
    let end = start + bytes.count
    let length = request.truncates ? end : max(end, reference.length)
    if target.isInRow(length) {
      // The history keeps the old value as it is.
      var value = try reader.value(reference, limit: length)
      value.replaceSubrange(start..<min(end, value.count), with: bytes)
      return try commit(.inRow(value), identifier)
    }
    try blobs.write(bytes, at: start, of: &reference)
    if request.truncates { try blobs.truncate(&reference, to: end) }
    return try commit(.outside(reference), identifier)
  }

  /// Writes the bytes to a value that is in the row.
  private func write(to value: inout [UInt8]) throws {
    let start = try start(in: value.count) { value[$0] }
    let end = request.truncates ? value.count : min(start + bytes.count, value.count)
    value.replaceSubrange(start..<end, with: bytes)
  }

  /// Returns the offset of the written bytes in a value, whose bytes `byte` reads.
  ///
  /// It checks that a text isn't cut within a character.
  private func start(in length: Int, _ byte: (Int) throws -> UInt8) throws -> Int {
    let start =
      switch request.place {
      case .whole: 0
      case .offset(let offset): offset
      case .end: length
      }
    guard start <= length else {
      throw DepotError(.usage, "The offset is beyond the \(length) bytes of \(target.name).")
        .hint("Write the bytes before it first, or append.").at("/args/offset")
    }
    guard target.isText else { return start }
    let end = start + bytes.count
    for edge in request.truncates ? [start] : [start, end] where edge < length {
      guard try UTF8Edges.isContinuation(byte(edge)) else { continue }
      throw DepotError(.usage, "Byte \(edge) of \(target.name) is inside a character.")
        .hint("Begin and end where characters do; offsets count bytes of UTF-8.")
        .at("/args/offset")
    }
    return start
  }

  // MARK: - In parts

  private func upload(_ name: String) throws -> Result {
    let uploads = BlobUploads(connection: session.connection)
    if let identifier = target.identifier {
      _ = try target.read(identifier, on: session.connection)
    }
    let key = BlobUploads.Key(connection: session.client, name: name)
    var reference: BlobReference
    if let found = try uploads.find(key) {
      guard found.target == target.uploaded else {
        throw DepotError(.usage, "The upload \(name.quoted) is one of another value.")
          .hint("Choose another name, or finish that upload first.").at("/args/upload")
      }
      reference = found.reference
      try checkOffset(reference.length)
      try blobs.write(bytes, at: reference.length, of: &reference)
    } else {
      try checkOffset(0)
      reference = try bytes.withUnsafeBufferPointer { try blobs.create($0) }
    }
    guard request.isFinal, let identifier = target.identifier else {
      try uploads.store(key, target.uploaded, target.table, reference)
      return Result(length: reference.length, isChanged: false)
    }
    try uploads.forget(key)
    return try commit(content(reference), identifier)
  }

  private func checkOffset(_ length: Int) throws {
    guard case .offset(let offset) = request.place, offset != length else { return }
    throw DepotError(.usage, "The upload has \(length) bytes, so the next can't be byte \(offset).")
      .hint("An upload goes with its connection: begin it anew.").at("/args/offset")
      .details(["length": .int64(Int64(length))])
  }

  // MARK: - The row

  /// Returns the place of a new value, which is stored outside the row if it must be.
  private func content(_ value: [UInt8]) throws -> BlobTarget.Content {
    if target.isInRow(value.count) { return .inRow(value) }
    return .outside(try value.withUnsafeBufferPointer { try blobs.create($0) })
  }

  /// Returns the place of a stored value, which is moved into the row if it belongs there.
  private func content(_ reference: BlobReference) throws -> BlobTarget.Content {
    guard let value = try target.content(reference, on: session.connection) else {
      return .outside(reference)
    }
    try blobs.delete(reference.number)
    return .inRow(value)
  }

  /// Sets the value in the row.
  private func commit(_ content: BlobTarget.Content, _ identifier: Int64) throws -> Result {
    let arena = CellArena()
    let cell =
      switch content {
      case .inRow(let value): target.cell(arena.copy(value))
      case .outside(let reference): reference.cell(isText: target.isText, in: arena)
      }
    if let position = writer.layout.position(of: target.path) {
      let rule = try writer.rule(position)
      let problems =
        switch content {
        case .inRow: try rule.problems(cell, session.control)
        case .outside(let reference): try rule.problems(reference, of: target, session)
        }
      for error in problems { try session.violate(error.at("/args/data")) }
    }
    let root = try writer.layout.isRoot ? writer : session.entities.writer(writer.layout.root)
    let step = session.versionStep(root, identifier)
    _ = try writer.change(identifier, [(target.place, cell)], step: step)
    return Result(length: content.length, isChanged: true)
  }
}
