internal import DepotProtocol
internal import DepotSQLite

/// A value that the connection has uploaded, to be set in a row by a later request.
///
/// A request writes it as `{"$upload":NAME}` in place of the value.
struct UploadedValue {
  private let key: BlobUploads.Key
  private let reference: BlobReference
  private let target: BlobTarget
  /// The value if it belongs into the row; `nil` if the row refers to it.
  private let content: [UInt8]?

  /// Finds the upload that a value names; `nil` if the value is something else.
  ///
  /// - Throws: ``DepotError`` `notfound.staged` if the connection has no such upload for the attribute.
  init?(
    _ field: RowField,
    _ layout: EntityLayout,
    _ path: String,
    _ session: ChangeSession
  ) throws {
    guard field.kind == .object, layout.isExternal(path), let name = field.uploadName else {
      return nil
    }
    guard !session.isChunk else {
      throw DepotError(.usage, "An update in chunks can't take the upload \(name.quoted).")
        .hint("Change the rows in one transaction, or write the value by itself.")
    }
    let target = try BlobTarget(layout, nil, path)
    let key = BlobUploads.Key(connection: session.client, name: name)
    let found = try BlobUploads(connection: session.connection).find(key)
    guard let upload = found ?? session.takenUploads[name], upload.target == target.uploaded else {
      throw DepotError(
        .stagedNotFound,
        "The connection has uploaded nothing as \(name.quoted) for \(layout.name).\(path)."
      ).hint("An upload goes with its connection, and with the save that takes it: begin it anew.")
    }
    session.takenUploads[name] = upload
    (self.key, self.reference, self.target) = (key, upload.reference, target)
    content = try target.content(upload.reference, on: session.connection)
    if content != nil { session.uploadsForRows[name] = (target.table, upload.reference.number) }
  }

  /// Returns the rules that it breaks.
  func problems(_ rule: FieldRule, _ session: ChangeSession) throws -> [DepotError] {
    do {
      return try rule.problems(reference, of: target, session)
    } catch {
      throw DepotError.blob(error, target)
    }
  }

  /// The value or the reference to it, in the form for the attribute's column.
  func cell(in arena: CellArena) -> Cell {
    guard let content else { return reference.cell(isText: target.isText, in: arena) }
    return target.cell(arena.copy(content))
  }

  /// Sets the value in one row, and returns it, or the reference to it.
  ///
  /// Another row that names the same upload gets a copy.
  func take(on connection: Connection, in arena: CellArena) throws -> Cell {
    let uploads = BlobUploads(connection: connection)
    let isFirst = try uploads.find(key) != nil
    if isFirst || content != nil {
      if isFirst { try uploads.forget(key) }
      return cell(in: arena)
    }
    let reader = BlobReader(connection: connection, table: target.table)
    do {
      let copy = try BlobWriter(connection: connection, table: target.table)
        .copy(reference, from: reader)
      return copy.cell(isText: target.isText, in: arena)
    } catch {
      throw DepotError.blob(error, target)
    }
  }
}

extension ChangeSession {
  /// Deletes the values of taken uploads that are in rows now.
  ///
  /// Until the end of the request, further rows may name them.
  func deleteValuesInRows() throws {
    for (name, (table, number)) in uploadsForRows {
      let key = BlobUploads.Key(connection: client, name: name)
      guard try BlobUploads(connection: connection).find(key) == nil else { continue }
      try BlobWriter(connection: connection, table: table).delete(number)
    }
  }
}

extension EntityLayout {
  /// Whether a path is an attribute whose values may be outside the row.
  fileprivate func isExternal(_ path: String) -> Bool {
    position(of: path).flatMap { storedPositions[$0] }.map { stored[$0].isExternal } ?? false
  }
}

extension FieldRule {
  /// Returns the rules that the value breaks; it is read if a rule needs it.
  func problems(
    _ reference: BlobReference,
    of target: BlobTarget,
    _ session: ChangeSession
  ) throws -> [DepotError] {
    guard check != nil else { return [] }
    guard reference.length <= Limits.valueBytes else {
      throw tooLarge(reference.length)
        .hint("An attribute with rules can't be larger; remove them from the schema.")
    }
    let value = try BlobReader(connection: session.connection, table: target.table)
      .value(reference)
    return try value.withUnsafeBufferPointer { bytes in
      try failures(target.isText ? .text(bytes) : .blob(bytes), session.control)
    }
  }
}
