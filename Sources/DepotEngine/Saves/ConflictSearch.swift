internal import DepotProtocol
internal import DepotSQLite

/// A search for changes made by others since the client of a save has read its rows.
///
/// It runs before anything is written, so that a refused save reports all conflicts at once.
final class ConflictSearch {
  let request: SaveRequest
  let session: ChangeSession
  let policy: MergePolicy
  private lazy var origins = ChangeOrigins(session.connection, entities.catalog, session.control)
  var decisions = SaveDecisions()
  var refused = ConflictList()
  /// The error of the first row rejected for its unique values, if there are no other conflicts.
  var unique: DepotError?
  private var properties: [[String]: StoredProperties] = [:]

  var entities: EntityWriters { session.entities }

  init(_ request: SaveRequest, _ session: ChangeSession) {
    self.request = request
    self.session = session
    policy = request.policy ?? .error
  }

  /// Decides about the rows, or throws the error of a rejected save.
  func run() throws -> SaveDecisions {
    for index in request.updates.indices { try update(index) }
    for index in request.deletes.indices { try delete(index) }
    for index in request.reads.indices { try read(index) }
    // Without a policy or other conflicts, unique values are checked when rows are stored.
    if policy != .error || !refused.isEmpty { try findClashes() }
    if let error = refused.error(unique: unique) { throw error }
    return decisions
  }

  // MARK: Changes

  private func update(_ index: Int) throws {
    let change = request.updates[index]
    let pointer = ListPointers.update(index).list
    let writer = try entities.writer(change.entity, at: "\(pointer)/entity")
    let known = try writer.comparisons.plan(change.columns, beside: change.base?.columns, .change) {
      try RowComparison(change, writer, at: pointer)
    }
    guard let comparison = known else { return }
    if try !comparison.comparesLists && isAsRead(change, comparison, at: pointer) { return }
    let texts = (RowTexts(change.rows), RowTexts(change.base?.rows ?? RowBatch()))
    try eachRow(of: change, at: pointer) { row, fields, baseFields in
      try examine(index, row, comparison, fields, baseFields, texts)
    }
  }

  /// Whether all rows changed by a batch have the versions that the client has read.
  private func isAsRead(
    _ change: SaveRequest.Change,
    _ comparison: RowComparison,
    at pointer: String
  ) throws -> Bool {
    var versions = RowVersions()
    var isPlain = true
    try eachRow(of: change, at: pointer) { _, fields, _ in
      let version = fields[comparison.versionColumn]
      if let identifier = fields[comparison.identifierColumn].int64, let version = version.int64 {
        versions.rows.append((identifier, version))
      } else {
        isPlain = false
      }
    }
    return try isPlain && versions.areCurrent(comparison.writer, session.control)
  }

  /// Calls `body` with the fields and the client's base values of each row of a batch.
  ///
  /// A row of a wrong length is skipped: the write reports it.
  private func eachRow(
    of change: SaveRequest.Change,
    at pointer: String,
    _ body: (_ row: Int, _ fields: [RowField], _ baseFields: [RowField]) throws -> Void
  ) throws {
    let baseJSON = change.base?.rows.json ?? Self.noRows
    try change.rows.json.withUnsafeBufferPointer { bytes in
      try baseJSON.withUnsafeBufferPointer { baseBytes in
        var reader = try RowReader(bytes)
        var baseReader = try RowReader(baseBytes)
        var (fields, baseFields): ([RowField], [RowField]) = ([], [])
        fields.reserveCapacity(change.columns.count)
        var row = 0
        while try reader.beginRow() {
          if row & 63 == 0 { try session.control.check() }
          try reader.row(into: &fields)
          if let base = change.base {
            guard try baseReader.beginRow() else { throw Self.wrongBase(pointer, row) }
            try baseReader.row(into: &baseFields)
            guard baseFields.count == base.columns.count else { throw Self.wrongBase(pointer, row) }
          }
          if fields.count == change.columns.count { try body(row, fields, baseFields) }
          row += 1
        }
      }
    }
  }

  private static let noRows = Array("[]".utf8)

  private static func wrongBase(_ pointer: String, _ row: Int) -> DepotError {
    DepotError(.usage, "The base has no value for each of its columns in row \(row).")
      .at("\(pointer)/base/rows/\(row)")
  }

  private func examine(
    _ index: Int,
    _ row: Int,
    _ comparison: RowComparison,
    _ fields: [RowField],
    _ baseFields: [RowField],
    _ texts: (RowTexts, RowTexts)
  ) throws {
    let version = fields[comparison.versionColumn]
    let name = fields[comparison.identifierColumn]
    guard !version.isNull, name.kind != .string || name.bytes.first != UInt8(ascii: "#"),
      let identifier = name.int64
    else { return }
    let batch = ListPointers.update(index).list
    let pointer = "\(batch)/rows/\(row)"
    guard let baseVersion = version.int64 else {
      let code = version.misfit(as: .int64)?.code ?? .type
      throw DepotError(code, "$version must be a whole number of 64 bits, or null.")
        .at("\(pointer)/\(comparison.versionColumn)")
    }
    let writer = comparison.writer
    var storeVersion: Int64?
    var found: (result: RowComparison.Result, unread: [Int]) = (.init(), [])
    _ = try writer.read(identifier) { stored throws in
      storeVersion = stored.integer(1)
      found = try comparison.compare(
        stored,
        isSameVersion: stored.integer(1) == baseVersion,
        fields,
        baseFields,
        at: "\(batch)/base/rows/\(row)",
        session
      )
    }
    var resolution: ConflictResolution
    if storeVersion == nil {
      // The write itself reports a row that never existed.
      guard try wasDeleted(identifier, writer) else { return }
      resolution = .updateOfDeleted(policy)
    } else {
      try compareLists(found.unread, &found.result, comparison, identifier, baseFields)
      resolution = .update(found.result.properties, policy)
    }
    guard let kind = resolution.kind else { return }
    if case .write(let properties) = resolution.action {
      let columns = properties.compactMap { found.result.columns[$0] } + found.result.merging
      resolution.action = .write(columns)
    }
    decisions.changes[index, default: [:]][row] = resolution.action
    if resolution.action == .recreate {
      decisions.baseVersions[index, default: [:]][row] = baseVersion
    }
    try note(resolution) {
      var conflict = RowConflict(
        SaveConflict(
          kind,
          entity: writer.layout.name,
          identifier: identifier,
          pointer: pointer,
          baseVersion: baseVersion,
          storeVersion: storeVersion,
          properties: resolution.contested.compactMap { found.result.columns[$0] }
            .map { comparison.columns[$0].name }
        )
      )
      try describe(&conflict, comparison, row, texts)
      conflict.changedBy = try origins.changes(of: identifier, writer.layout, since: baseVersion)
      return conflict
    }
  }

  /// Compares relationships stored in other rows, which a row's version doesn't cover.
  private func compareLists(
    _ unread: [Int],
    _ result: inout RowComparison.Result,
    _ comparison: RowComparison,
    _ identifier: Int64,
    _ baseFields: [RowField]
  ) throws {
    for position in unread {
      guard let column = result.columns[position],
        let field = comparison.baseField(of: column, baseFields)
      else { continue }
      let name = comparison.columns[column].name
      let stored = try properties(comparison.writer.layout.name, [name]).read(identifier)?[name]
      let isOrdered: Bool =
        if case .toMany(let link) = comparison.columns[column].target {
          link.relationship.isOrdered
        } else { true }
      let isSame = stored.map { field.isSame(as: $0, isOrdered: isOrdered) } ?? false
      result.properties[position].stored = isSame ? .unchanged : .changed
    }
  }

  /// Adds the values of both sides to the report.
  private func describe(
    _ conflict: inout RowConflict,
    _ comparison: RowComparison,
    _ row: Int,
    _ texts: (RowTexts, RowTexts)
  ) throws {
    let written = comparison.written.map { comparison.columns[$0].name }
    let names = comparison.columns.map(\.name)
    conflict.client = try texts.0.members(row, names).filter { written.contains($0.key) }
    let baseNames = comparison.baseNames
    conflict.base = try baseNames.isEmpty ? [:] : texts.1.members(row, baseNames)
    guard conflict.storeVersion != nil else { return }
    let others = baseNames.filter { !written.contains($0) }
    let stored = try values(of: conflict.identifier, conflict.entity, written + others)
    let unchanged = others.filter { name in
      guard let base = conflict.base[name], let value = stored[name] else { return false }
      return base.isSame(as: value)
    }
    conflict.base = conflict.base.filter { !unchanged.contains($0.key) }
    conflict.store = stored.filter { !unchanged.contains($0.key) }
  }

  // MARK: Deletions and read sets

  private func delete(_ index: Int) throws {
    let deletion = request.deletes[index]
    guard let versions = deletion.versions else { return }
    let pointer = "/args/delete/\(index)"
    let writer = try entities.writer(deletion.entity, at: "\(pointer)/entity")
    guard versions.count == deletion.identifiers.count else {
      throw DepotError(.usage, "There isn't a version for each identifier.").at(
        "\(pointer)/versions"
      )
    }
    let read = RowVersions(deletion.identifiers, versions)
    if try read.areCurrent(writer, session.control) { return }
    for (row, (identifier, baseVersion)) in read.rows.enumerated() {
      if row & 63 == 0 { try session.control.check() }
      let storeVersion = try writer.version(of: identifier)
      // The deletion itself reports a row that never existed.
      if try storeVersion == nil && !wasDeleted(identifier, writer) { continue }
      let resolution = ConflictResolution.deletion(
        storeVersion: storeVersion,
        baseVersion: baseVersion,
        policy
      )
      if resolution.action == .drop { decisions.kept[index, default: []].insert(identifier) }
      guard let kind = resolution.kind else { continue }
      try note(resolution) {
        try conflict(
          kind,
          writer,
          identifier,
          at: "\(pointer)/ids/\(row)",
          (baseVersion, storeVersion)
        )
      }
    }
  }

  private func read(_ index: Int) throws {
    let set = request.reads[index]
    let pointer = "/args/read/\(index)"
    let writer = try entities.writer(set.entity, at: "\(pointer)/entity")
    let read = RowVersions(set.identifiers, set.versions)
    if try read.areCurrent(writer, session.control) { return }
    for (row, (identifier, baseVersion)) in read.rows.enumerated() {
      if row & 63 == 0 { try session.control.check() }
      let storeVersion = try writer.version(of: identifier)
      guard storeVersion != baseVersion else { continue }
      try refused.add(
        try conflict(
          .read,
          writer,
          identifier,
          at: "\(pointer)/ids/\(row)",
          (baseVersion, storeVersion)
        )
      )
    }
  }

  private func conflict(
    _ kind: SaveConflict.Kind,
    _ writer: EntityWriter,
    _ identifier: Int64,
    at pointer: String,
    _ versions: (base: Int64, store: Int64?)
  ) throws -> RowConflict {
    let layout = writer.layout
    var conflict = RowConflict(
      SaveConflict(kind, entity: layout.name, identifier: identifier, pointer: pointer)
    )
    conflict.baseVersion = versions.base
    conflict.storeVersion = versions.store
    conflict.store = try values(of: identifier, layout.name, layout.fields.map(\.path))
    conflict.changedBy = try origins.changes(of: identifier, layout, since: versions.base)
    return conflict
  }

  /// Whether a row with an identifier was deleted, as far as that is known.
  private func wasDeleted(_ identifier: Int64, _ writer: EntityWriter) throws -> Bool {
    guard identifier > 0, !writer.counter.isNew(identifier) else { return false }
    return try !entities.writer(writer.layout.root).isThere(identifier)
  }

  // MARK: Telling

  private func note(
    _ resolution: ConflictResolution,
    _ conflict: () throws -> RowConflict
  ) throws {
    guard resolution.action != .refuse else { return try refused.add(conflict()) }
    try decisions.conflicts.add(
      {
        var conflict = try conflict()
        conflict.decision = resolution.decision
        return conflict
      }()
    )
  }

  private func values(
    of identifier: Int64,
    _ entity: String,
    _ paths: [String]
  ) throws -> [String: ConflictValue] {
    try properties(entity, paths).read(identifier)?.mapValues { .stored($0) } ?? [:]
  }

  /// Returns the reader of some properties of an entity's rows.
  func properties(_ entity: String, _ paths: [String]) throws -> StoredProperties {
    try properties[[entity] + paths].getOrInsert {
      try StoredProperties(entity, paths, in: entities.catalog, session.connection)
    }
  }
}

extension RowReader {
  /// Reads the rest of a row.
  fileprivate mutating func row(into fields: inout [RowField]) throws(DepotError) {
    fields.removeAll(keepingCapacity: true)
    while !isAtEndOfRow() { fields.append(try field()) }
    try endRow()
  }
}

extension RowField {
  /// Whether the value has the same destinations as a stored relationship.
  fileprivate func isSame(as stored: HistoryValue, isOrdered: Bool) -> Bool {
    guard kind == .array else { return int64 == stored.identifier && isNull == stored.isNull }
    guard var reader = try? RowReader(bytes), let others = stored.identifiers else { return false }
    var list: [Int64?] = []
    while !reader.isAtEndOfRow() {
      guard let field = try? reader.field() else { return false }
      list.append(field.int64)
    }
    return isOrdered ? list == others : Set(list) == Set(others)
  }
}

extension HistoryValue {
  /// The identifiers of a list of destinations; `nil` if the value is none.
  fileprivate var identifiers: [Int64?]? {
    guard form == .identifiers else { return nil }
    return withCell { cell in
      guard case .text(let text) = cell else { return nil }
      return text.split(separator: UInt8(ascii: ",")).map {
        Int64(String(decoding: $0, as: UTF8.self))
      }
    }
  }
}
