internal import DepotProtocol

extension ChangeSession {
  /// Does what a request asks for, checks what the rows must satisfy in the end, and writes the result.
  ///
  /// - Throws: ``DepotError`` that names all rules that are broken; ``SQLiteError``.
  func apply(
    _ operation: Operation,
    _ effect: inout WriteEffect,
    _ json: inout JSONWriter
  ) throws {
    switch operation {
    case .insert(let request):
      let result = try entities.writer(request.entity, at: "/args/entity").insert(request, self)
      try finish()
      effect.rowsInserted += result.inserted
      effect.rowsUpdated += result.updated
      json.write(result, for: request)
    case .update(let request):
      let writer = try entities.writer(request.entity, at: "/args/entity")
      let identifiers = try writer.update(request, self)
      try finish()
      effect.rowsUpdated += identifiers.count
      try json.write("updated", identifiers.count, request.returnsIdentifiers ? identifiers : nil)
    case .delete(let request):
      let (count, identifiers) = try delete(request)
      try finish()
      effect.rowsDeleted += count
      try json.write("deleted", count, request.returnsIdentifiers ? identifiers : nil)
    case .writeBlob(let request):
      let result = try BlobChange(request, self).run()
      try finish()
      if result.isChanged { effect.rowsUpdated += 1 }
      json.raw("{\"length\":")
      json.integer(result.length)
      json.raw("}")
    case .save(let request):
      let result = try save(request)
      effect.rowsInserted += result.inserted
      effect.rowsUpdated += result.updated
      effect.rowsDeleted += result.deleted
      json.write(result)
    default:
      throw DepotError(.bug, "\"\(operation.name)\" isn't a write.")
    }
  }

  private func save(_ request: SaveRequest) throws -> SaveResult {
    let run = try SaveRun(request, self)
    do {
      var result = try run.run()
      try finish()
      try run.addVersions(&result)
      return result
    } catch let error as DepotError where error.code == .unique || error.code == .violations {
      throw try run.explained(error)
    }
  }

  /// Makes relationships lead where they are to, and checks what rows must satisfy in the end.
  func finish() throws {
    try applyLinkChanges()
    try refreshDerived()
    try checkTargets()
    try violations.throwIfAny()
  }

  /// Computes the derived attributes of the rows that what happened concerns.
  private func refreshDerived() throws {
    // A broken rule ends the request anyway, and rows that break one may not be there.
    guard violations.errors.isEmpty else { return }
    try entities.derivedAttributes().refresh(entities, step: versionStep) { error in
      try violate(error)
    }
  }

  /// Deletes rows with what their relationships' delete rules take along.
  ///
  /// A damaged row can be deleted like any other: there is no other way to get rid of it.
  ///
  /// - Parameters:
  ///   - request: The rows, and whether to tell them.
  ///   - chunk: Those to delete now, as far as they exist; all that the request means if `nil`.
  /// - Returns: How many rows were deleted in all, and those of the entity's table.
  /// - Throws: ``DepotError`` if a row is missing, or a rule denies it; ``SQLiteError``.
  func delete(
    _ request: DeleteRequest,
    only chunk: [Int64]? = nil
  ) throws -> (count: Int, identifiers: [Int64]) {
    let writer = try entities.writer(request.entity, at: "/args/entity")
    let plain = try PlainDeletion(self, of: writer.layout)
    if let plain, chunk == nil, request.isWhole(writer.layout) {
      return (try plain.deleteAll(), [])
    }
    let rows =
      try chunk
      ?? writer.identifiers(
        request.rows,
        includingDescendants: request.includesSubentities,
        control
      )
    if let plain {
      let missing = try plain.delete(rows)
      guard missing.isEmpty || chunk != nil else { throw writer.layout.missing(missing) }
      let gone = Set(missing)
      return (rows.count - missing.count, gone.isEmpty ? rows : rows.filter { !gone.contains($0) })
    }
    let deletion = Deletion(self)
    let missing = try deletion.add(rows, of: writer.layout)
    guard missing.isEmpty || chunk != nil else { throw writer.layout.missing(missing) }
    return (try deletion.run(), deletion.identifiers(of: writer.layout))
  }
}

extension DeleteRequest {
  /// Whether it means every row of the entity's table, and doesn't ask which.
  fileprivate func isWhole(_ layout: EntityLayout) -> Bool {
    guard case .predicate(.value(.bool(true))) = rows, !returnsIdentifiers else { return false }
    return layout.isRoot && (includesSubentities || layout.numbers.count == 1)
  }
}

extension JSONWriter {
  /// Writes how many rows were changed, and perhaps which.
  ///
  /// - Throws: ``DepotError`` `limit.frame_bytes` if there are more identifiers than an answer can take.
  fileprivate mutating func write(
    _ name: String,
    _ count: Int,
    _ identifiers: [Int64]?
  ) throws(DepotError) {
    raw("{")
    string(name)
    raw(":")
    integer(count)
    if let identifiers {
      raw(",\"ids\":[")
      for (index, identifier) in identifiers.enumerated() {
        if index > 0 { raw(",") }
        integer(identifier)
      }
      raw("]")
      try Self.checkIdentifiers(bytes.count)
    }
    raw("}")
  }

  /// - Throws: ``DepotError`` `limit.frame_bytes` if identifiers of so many bytes don't fit an answer,
  ///   where each may get quotation marks.
  static func checkIdentifiers(_ count: Int) throws(DepotError) {
    guard count > Limits.frameBytes / 2 else { return }
    throw DepotError(.frameTooLarge, "There are more identifiers than fit an answer.")
      .hint("Leave returnIds out, or change fewer rows.").at("/args/returnIds")
  }

  /// Writes the result of a save.
  fileprivate mutating func write(_ result: SaveResult) {
    raw("{\"inserted\":")
    integer(result.inserted)
    raw(",\"updated\":")
    integer(result.updated)
    raw(",\"deleted\":")
    integer(result.deleted)
    raw(",\"ids\":{")
    for (index, entry) in result.identifiers.sorted(by: { $0.key < $1.key }).enumerated() {
      if index > 0 { raw(",") }
      string(entry.key)
      raw(":")
      integer(entry.value)
    }
    raw("}")
    if let runs = result.runs {
      raw(",\"runs\":")
      write(runs)
    }
    if let conflicts = result.conflicts {
      write(conflicts, result.versions, inRuns: result.runs != nil)
    }
    raw("}")
  }

  /// Writes what is told of a save that has looked for conflicts.
  private mutating func write(
    _ conflicts: ConflictList,
    _ versions: [String: [(identifier: Int64, version: Int64)]],
    inRuns: Bool
  ) {
    for (name, value) in conflicts.members.sorted(by: { $0.key < $1.key }) {
      raw(",")
      string(name)
      raw(":")
      write(value)
    }
    raw(",\"versions\":{")
    for (index, entry) in versions.sorted(by: { $0.key < $1.key }).enumerated() {
      if index > 0 { raw(",") }
      string(entry.key)
      if inRuns {
        raw(":")
        writeRuns(entry.value)
        continue
      }
      raw(":[")
      for (index, row) in entry.value.enumerated() {
        raw(index > 0 ? ",[" : "[")
        integer(row.identifier)
        raw(",")
        integer(row.version)
        raw("]")
      }
      raw("]")
    }
    raw("}")
  }

  /// Writes the result of an insert.
  fileprivate mutating func write(_ result: InsertResult, for request: InsertRequest) {
    raw("{\"inserted\":")
    integer(result.inserted)
    raw(",\"updated\":")
    integer(result.updated)
    raw(",\"skipped\":")
    integer(result.skipped)
    raw(",\"ids\":[")
    for (index, identifier) in result.identifiers.enumerated() {
      if index > 0 { raw(",") }
      if let identifier { integer(identifier) } else { raw("null") }
    }
    raw("]")
    if request.reportsRejects {
      raw(",\"rejected\":[")
      for (index, rejected) in result.rejected.enumerated() {
        if index > 0 { raw(",") }
        raw("{\"row\":")
        integer(rejected.row)
        raw(",\"error\":")
        write(rejected.error)
        raw("}")
      }
      raw("]")
    }
    raw("}")
  }
}

extension [UInt8] {
  /// Returns a result with the token of its transaction, if it has one.
  func adding(_ token: HistoryToken?) -> [UInt8] {
    guard let token, last == UInt8(ascii: "}") else { return self }
    var result = self
    result.removeLast()
    if result.last != UInt8(ascii: "{") { result.append(UInt8(ascii: ",")) }
    result.append(contentsOf: "\"token\":\"\(token)\"}".utf8)
    return result
  }

  /// Returns a result with its identifiers as strings if the connection wants integers so.
  ///
  /// Results are kept with numbers, because a repeated request may come from another connection.
  func writingIdentifiers(as form: Hello.Int64Form) -> [UInt8] {
    guard form == .string else { return self }
    if let start = firstRange(of: Array("\"ids\":{".utf8))?.upperBound {
      return quotingMembers(from: start)
    }
    guard let start = firstRange(of: Array("\"ids\":[".utf8))?.upperBound,
      let end = self[start...].firstIndex(of: UInt8(ascii: "]")), start < end
    else { return self }
    let quotes = Array("\"".utf8)
    let list = self[start..<end].split(separator: UInt8(ascii: ","))
      .map { $0.first == UInt8(ascii: "n") ? Array($0) : quotes + $0 + quotes }
    return Array(self[..<start]) + list.joined(separator: ",".utf8) + Array(self[end...])
  }

  /// Puts the numbers of an object, which are whole, into quotation marks.
  private func quotingMembers(from start: Int) -> [UInt8] {
    var result = Array(self[..<start])
    var isInString = false
    var wasEscape = false
    var isInNumber = false
    for (index, byte) in self[start...].enumerated() {
      if !isInString, byte == UInt8(ascii: "}") {
        if isInNumber { result.append(UInt8(ascii: "\"")) }
        // Behind it come values as the store has them.
        return result + self[(start + index)...]
      }
      if isInString {
        isInString = byte != UInt8(ascii: "\"") || wasEscape
        wasEscape = byte == UInt8(ascii: "\\") && !wasEscape
      } else {
        isInString = byte == UInt8(ascii: "\"")
        let isDigit = byte &- 0x30 < 10
        if isDigit != isInNumber { result.append(UInt8(ascii: "\"")) }
        isInNumber = isDigit
      }
      result.append(byte)
    }
    return result
  }
}
