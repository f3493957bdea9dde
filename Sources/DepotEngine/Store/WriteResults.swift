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
      json.write("updated", identifiers.count, request.returnsIdentifiers ? identifiers : nil)
    case .delete(let request):
      let (count, identifiers) = try delete(request)
      try finish()
      effect.rowsDeleted += count
      json.write("deleted", count, request.returnsIdentifiers ? identifiers : nil)
    case .save(let request):
      let result = try SaveRun(request, self).run()
      try finish()
      effect.rowsInserted += result.inserted
      effect.rowsUpdated += result.updated
      effect.rowsDeleted += result.deleted
      json.write(result)
    default:
      throw DepotError(.bug, "\"\(operation.name)\" isn't a write.")
    }
  }

  /// Makes relationships lead where they are to, and checks what rows must satisfy in the end.
  private func finish() throws {
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
  /// - Returns: How many rows were deleted in all, and those of the entity's table.
  private func delete(_ request: DeleteRequest) throws -> (count: Int, identifiers: [Int64]) {
    let writer = try entities.writer(request.entity, at: "/args/entity")
    let deletion = Deletion(self)
    let rows = try writer.identifiers(
      request.rows,
      includingDescendants: request.includesSubentities,
      control
    )
    let missing = try deletion.add(rows, of: writer.layout)
    guard missing.isEmpty else { throw writer.layout.missing(missing) }
    return (try deletion.run(), deletion.identifiers(of: writer.layout))
  }
}

extension JSONWriter {
  /// Writes how many rows were changed, and perhaps which.
  fileprivate mutating func write(_ name: String, _ count: Int, _ identifiers: [Int64]?) {
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
    }
    raw("}")
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
    raw("}}")
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
    for byte in self[start...] {
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
