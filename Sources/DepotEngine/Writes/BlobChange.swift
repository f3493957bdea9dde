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
    let old = try outside(target.read(identifier, on: session.connection).content)
    var reference: BlobReference
    switch (request.place, old) {
    case (.whole, _), (_, nil):
      guard offset(old) == 0 else { throw beyond(0) }
      reference = try bytes.withUnsafeBufferPointer { try blobs.create($0) }
    case (_, let old?):
      reference = old
      let start = offset(old)
      guard start <= old.length else { throw beyond(old.length) }
      try checkEdges(start, old)
      try blobs.write(bytes, at: start, of: &reference)
      if request.truncates { try blobs.truncate(&reference, to: start + bytes.count) }
    }
    try commit(reference, identifier)
    return Result(length: reference.length, isChanged: true)
  }

  /// Returns the reference to a value, which is stored outside the row if it is in it.
  private func outside(_ content: BlobTarget.Content?) throws -> BlobReference? {
    switch content {
    case nil: return nil
    case .outside(let reference): return reference
    case .inRow(let bytes):
      // It isn't needed if the whole value is replaced.
      if request.place == .whole { return BlobReference(number: 0, length: bytes.count) }
      return try bytes.withUnsafeBufferPointer { try blobs.create($0) }
    }
  }

  private func offset(_ old: BlobReference?) -> Int {
    switch request.place {
    case .whole: 0
    case .offset(let offset): offset
    case .end: old?.length ?? 0
    }
  }

  private func beyond(_ length: Int) -> DepotError {
    DepotError(.usage, "The offset is beyond the \(length) bytes of \(target.name).")
      .hint("Write the bytes before it first, or append.").at("/args/offset")
  }

  /// Checks that a text isn't cut within a character.
  private func checkEdges(_ start: Int, _ old: BlobReference) throws {
    guard target.isText else { return }
    let end = start + bytes.count
    for edge in request.truncates ? [start] : [start, end] where edge < old.length {
      let (index, offset) = edge.quotientAndRemainder(dividingBy: BlobTable.chunkBytes)
      var isInside = false
      try BlobReader(connection: session.connection, table: target.table)
        .chunk(index, of: old) { isInside = UTF8Edges.isContinuation($0[offset]) }
      if isInside {
        throw DepotError(.usage, "Byte \(edge) of \(target.name) is inside a character.")
          .hint("Begin and end where characters do; offsets count bytes of UTF-8.")
          .at("/args/offset")
      }
    }
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
    try commit(reference, identifier)
    return Result(length: reference.length, isChanged: true)
  }

  private func checkOffset(_ length: Int) throws {
    guard case .offset(let offset) = request.place, offset != length else { return }
    throw DepotError(.usage, "The upload has \(length) bytes, so the next can't be byte \(offset).")
      .hint("An upload goes with its connection: begin it anew.").at("/args/offset")
      .details(["length": .int64(Int64(length))])
  }

  // MARK: - The row

  /// Returns the value for the row's column: a reference, or the bytes if they fit into the row.
  private func cell(_ reference: BlobReference, in arena: CellArena) throws -> Cell {
    guard writer.layout.stored[target.place].isWidened, reference.length <= Limits.valueBytes else {
      return reference.cell(isText: target.isText, in: arena)
    }
    let reader = BlobReader(connection: session.connection, table: target.table)
    let bytes = arena.copy(try reader.value(reference))
    try blobs.delete(reference.number)
    return target.isText ? .text(bytes) : .blob(bytes)
  }

  /// Sets the value in the row.
  private func commit(_ reference: BlobReference, _ identifier: Int64) throws {
    if let position = writer.layout.position(of: target.path) {
      let rule = try writer.rule(position)
      for error in try rule.problems(reference, of: target, session) {
        try session.violate(error.at("/args/data"))
      }
    }
    let root = try writer.layout.isRoot ? writer : session.entities.writer(writer.layout.root)
    let arena = CellArena()
    _ = try writer.change(
      identifier,
      [(target.place, try cell(reference, in: arena))],
      step: session.versionStep(root, identifier)
    )
  }
}
