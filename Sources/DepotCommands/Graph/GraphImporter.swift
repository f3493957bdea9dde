internal import DepotClientCore
internal import DepotProtocol

/// The import of records whose rows refer to each other by natural keys.
///
/// Records are stored in batches, with references to existing rows, each batch while the next is
/// being read. A record waits if it requires a row that doesn't exist yet. Otherwise only the
/// relationship waits, and is set when all records are stored.
final class GraphImporter {
  struct Options {
    /// The rows of a transaction, few enough that others wait only a few hundredths of a second.
    var batch = 4000
    /// The same for rows without references.
    var rows = Limits.rows
    var onConflict = InsertRequest.OnConflict.error
    /// Whether references to missing rows are left out, and also records that require them.
    var ignoresMissing = false
    /// References that lead nowhere, whose records are rejected.
    var missing: [NaturalKey: Set<Value>] = [:]
    /// Whether records with deferred relationships are kept, as the file can't be read again.
    var keepsDeferred = false
    /// The prefix of the idempotency keys; none are used if `nil`.
    var keyPrefix: String?
  }

  fileprivate(set) var outcome = Importer.Outcome()
  /// The stored records with relationships still to be stored, by index, with their identifiers.
  fileprivate(set) var deferred: [Int: Int64] = [:]
  /// The records with deferred relationships, if they are kept.
  private(set) var kept: [GraphRecord] = []
  private let options: Options
  private let service: any GraphService
  /// The file for bad records; without one the first bad record ends the import.
  private let rejects: RejectsFile?
  private let journal: ImportJournal?
  private let index: KeyIndex
  /// Receives the identifiers of stored records, batch by batch.
  private let onStored: ([Int64]) throws -> Void
  private var batch: [GraphRecord] = []
  private var batchRows = 0
  private var batchBytes = 0
  /// The batch that the service is storing.
  private var underway: (save: GraphSave, pending: ImportJournal.Pending)?
  private var postponed: [GraphRecord] = []
  private var sent = 0
  /// The records reported as lacking links.
  fileprivate var unlinked: Set<Int> = []

  init(
    _ options: Options,
    _ service: any GraphService,
    rejects: RejectsFile? = nil,
    journal: ImportJournal? = nil,
    index: KeyIndex = KeyIndex(),
    onStored: @escaping ([Int64]) throws -> Void = { _ in }
  ) {
    self.onStored = onStored
    self.options = options
    self.service = service
    self.rejects = rejects
    self.journal = journal
    self.index = index
  }

  /// Continues from an interrupted import, and finishes the request that it had sent.
  func resume(_ state: ImportJournal.State) throws {
    deferred = state.deferred
    outcome = state.outcome
    sent = state.sent
    for (row, identifier) in state.rows { index.add(row.key, .string(row.name), identifier) }
    guard let pending = state.pending else { return }
    // The service may have forgotten its key meanwhile.
    let known = try journal.flatMap { journal in
      journal.group.isEmpty
        ? nil
        : try service.outcome(of: pending.request, inGroup: journal.group, after: journal.token)
    }
    let result = try known ?? service.save(pending.request, key: pending.key)
    for (name, row) in pending.rows {
      if let identifier = result.identifiers[name] {
        index.add(row.key, .string(row.name), identifier)
      }
    }
    try note(result, pending)
  }

  /// Adds a record.
  func add(_ record: GraphRecord) throws {
    if let error = strayLink(of: record) { return try refuse(error, record) }
    batch.append(record)
    batchRows += record.rows.count
    batchBytes += record.byteCount
    if batchRows >= options.batch || batchBytes >= Importer.batchBytes { try flush() }
  }

  /// Stores the remaining records, and the waiting ones whose required rows exist now.
  func finishRows() throws {
    try flush()
    try settle()
    while !postponed.isEmpty {
      let waiting = postponed
      postponed = []
      for record in waiting { try add(record) }
      try flush()
      try settle()
      if postponed.count == waiting.count { break }
    }
    for record in postponed {
      let error = missing(record)
      if options.ignoresMissing, rejects == nil {
        try omit(error, record)
      } else {
        try refuse(error, record)
      }
    }
    postponed = []
  }

  /// Stores the records of a file, except those stored by an interrupted import.
  func add(
    _ source: GraphSource,
    from file: InputFile,
    after state: ImportJournal.State? = nil,
    progress: () -> Void = {}
  ) throws {
    if let state { try resume(state) }
    let handled = (state?.handled ?? []).union(state?.pending?.records ?? [])
    do {
      try source.read(file, skip: handled.contains, refuse: refuseUnread) { record in
        try add(record)
        progress()
      }
      try finishRows()
    } catch {
      // The batch sent before is stored nevertheless, and counted.
      try settle()
      if let error = error as? DepotError, error == file.failure {
        throw outcome.countingStored(with: error)
      }
      throw error
    }
  }

  /// Sets the deferred relationships of a file's rows.
  func link(_ source: GraphSource, from file: InputFile, progress: () -> Void = {}) throws {
    var batch: [GraphRecord] = []
    let deferred = deferred
    let isDone = { (index: Int) in deferred[index] == nil }
    try source.read(file, skip: isDone, refuse: refuse(_:index:line:input:)) { record in
      batch.append(record)
      if batch.count >= options.batch {
        try link(batch)
        batch = []
      }
      progress()
    }
    try link(batch)
  }

  /// Sets the deferred relationships of rows.
  func link(_ records: [GraphRecord]) throws {
    try lookUp(records)
    let rows = records.compactMap { record in
      deferred[record.index].map { (record: record, identifier: $0) }
    }
    for (record, error) in GraphLinks(rows, index).unresolved {
      try leaveUnlinked(error, record)
    }
    try send(links: rows)
    if !rows.isEmpty { try journal?.linked(rows.map(\.record.index)) }
  }

  private func flush() throws {
    let records = batch
    batch = []
    batchRows = 0
    batchBytes = 0
    guard !records.isEmpty else { return }
    try settle()
    try lookUp(records)
    try send(records)
    // Input that can't be read again may be slow, and an interruption would have to wait for more
    // of it.
    if options.keepsDeferred { try settle() }
  }

  /// Looks up which of the referenced rows exist.
  private func lookUp(_ records: [GraphRecord]) throws {
    var unknown: [NaturalKey: [Value]] = [:]
    var seen: [NaturalKey: Set<Value>] = [:]
    func add(_ key: NaturalKey, _ value: Value) {
      guard index.isUnknown(key, value), seen[key, default: []].insert(value).inserted else {
        return
      }
      unknown[key, default: []].append(value)
    }
    for record in records {
      for row in record.rows {
        for link in row.links {
          for case .key(let key, let value) in link.references { add(key, value) }
        }
      }
    }
    for (key, values) in unknown.sorted(by: {
      ($0.key.entity, $0.key.path) < ($1.key.entity, $1.key.path)
    }) {
      for (value, identifier) in try service.find(key, values) { index.add(key, value, identifier) }
      index.addAbsent(key, values)
    }
  }

  /// Stores records, except the ones that require missing rows.
  private func send(_ records: [GraphRecord]) throws {
    let save = GraphSave(records, index, onConflict: options.onConflict)
    postponed += save.postponed
    guard !save.records.isEmpty else { return }
    let key = options.keyPrefix.map { "\($0):\(sent)" }
    sent += 1
    var pending = ImportJournal.Pending(
      request: save.request,
      key: key ?? "",
      records: save.records.map(\.index),
      deferred: save.deferred,
      rows: [:],
      related: save.related
    )
    for (name, key, value) in save.keys {
      if let row = ImportJournal.FileRow(key, value) { pending.rows[name] = row }
    }
    try journal?.begin(pending)
    service.begin(save.request, key: key)
    underway = (save, pending)
  }

  /// Waits until the sent records are stored; if one of them is bad, stores the others.
  private func settle() throws {
    guard let (save, pending) = underway else { return }
    underway = nil
    do {
      let result = try service.finish()
      for (name, key, value) in save.keys {
        if let identifier = result.identifiers[name] { index.add(key, value, identifier) }
      }
      try note(result, pending)
      let waiting = Set(options.keepsDeferred ? save.deferred : [])
      kept += save.records.filter { waiting.contains($0.index) }
    } catch let error as DepotError {
      // Without an answer the outcome is unknown, as the journal shows.
      guard error.isAboutRows else { throw outcome.countingStored(with: error.inCommandWords) }
      try journal?.fail()
      let (reason, line) = save.sent.located(error)
      let (first, second) = save.records.halves
      if second.isEmpty { return try refuse(reason, save.records[0]) }
      guard rejects != nil else { throw outcome.located(reason, line: line) }
      for half in [first, second] {
        try send(half)
        try settle()
      }
    }
  }

  private func note(_ result: SaveResult, _ pending: ImportJournal.Pending) throws {
    outcome.add(result, pending, onConflict: options.onConflict)
    var waiting: [Int: Int64] = [:]
    for record in pending.deferred { waiting[record] = result.identifiers["#\(record)"] }
    deferred.merge(waiting) { $1 }
    let rows = result.identifiers.filter { pending.rows[$0.key] != nil }
    let stored = pending.records.compactMap { result.identifiers["#\($0)"] }
    try journal?.end(
      pending.records,
      deferred: waiting,
      rows: rows,
      stored: stored,
      at: result.token,
      outcome
    )
    try onStored(stored)
  }

  private func send(links rows: [(record: GraphRecord, identifier: Int64)]) throws {
    let request = GraphLinks(rows, index).request
    guard !request.updates.isEmpty else { return }
    do {
      _ = try service.save(request, key: nil)
    } catch let error as DepotError {
      guard error.isAboutRows else { throw outcome.countingStored(with: error.inCommandWords) }
      let (first, second) = rows.halves
      if second.isEmpty {
        return try leaveUnlinked(error.inCommandWords, rows[0].record, isMissing: false)
      }
      try send(links: first)
      try send(links: second)
    }
  }
}

extension GraphImporter {
  /// Rejects a record, or ends the import.
  func refuse(_ error: DepotError, _ record: GraphRecord) throws {
    try refuse(error, index: record.index, line: record.line, input: record.input ?? [])
  }

  /// Rejects an unreadable record, or ends the import after the records before it.
  private func refuseUnread(
    _ error: DepotError,
    index: Int,
    line: Int,
    input: [UInt8]
  ) throws {
    if rejects == nil { try flush() }
    try refuse(error, index: index, line: line, input: input)
  }

  /// Rejects a record, or ends the import.
  func refuse(_ error: DepotError, index: Int, line: Int, input: [UInt8]) throws {
    try settle()
    guard let rejects else { throw outcome.located(error, line: line) }
    try rejects.append(line: line, error: error, input: input)
    outcome.rejected += 1
    try journal?.reject(index)
  }

  /// Leaves out a record that requires a missing row.
  private func omit(_ error: DepotError, _ record: GraphRecord) throws {
    if outcome.firstReason == nil {
      outcome.firstReason = "line \(record.line): \(error.message)"
    }
    outcome.rejected += 1
    try journal?.reject(record.index)
  }

  /// Notes that a record is stored without some of its references, or ends the import.
  private func leaveUnlinked(
    _ error: DepotError,
    _ record: GraphRecord,
    isMissing: Bool = true
  ) throws {
    let isWanted = isMissing && options.ignoresMissing
    guard isWanted || rejects != nil else { throw outcome.located(error, line: record.line) }
    if isWanted {
      // The record may have several such links, and gets the ones with existing destinations.
      if unlinked.insert(record.index).inserted { outcome.ignoring += 1 }
      return
    }
    guard let identifier = deferred.removeValue(forKey: record.index) else { return }
    var error = error
    let row = "\(record.root?.entity ?? "")/\(identifier)"
    error.message += " The record is stored without this link, as \(row)."
    error.hint = "Set the link with depot update \(row), rather than importing the record again."
    try rejects?.append(line: record.line, error: error, input: record.input ?? [])
    outcome.unlinked += 1
    try journal?.unlinked(record.index)
  }

  /// Returns the error that a link of a record is known to lead nowhere.
  private func strayLink(of record: GraphRecord) -> DepotError? {
    if options.missing.isEmpty { return nil }
    for link in record.rows.flatMap(\.links) {
      for case .key(let key, let value) in link.references
      where options.missing[key]?.contains(value) == true {
        return GraphReference.key(key, value).error(at: link.relationship)
      }
    }
    return nil
  }

  private func missing(_ record: GraphRecord) -> DepotError {
    for link in record.rows.flatMap(\.links) {
      if let reference = link.references.first(where: { $0.isMissing(in: index) }) {
        return reference.error(at: link.relationship)
      }
    }
    return DepotError(.objectNotFound, "It refers to rows that couldn't be stored.")
  }
}

extension DepotError {
  /// Whether the request could succeed without the row in question.
  fileprivate var isAboutRows: Bool {
    ["conflict", "constraint", "notfound", "request", "limit"]
      .contains { code.rawValue.hasPrefix($0 + ".") } && code != .keyReused
  }
}

extension Array {
  /// The two halves; the first is at least as long as the second.
  fileprivate var halves: ([Element], [Element]) {
    let middle = (count + 1) / 2
    return (Array(self[..<middle]), Array(self[middle...]))
  }
}
