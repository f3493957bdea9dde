package import DepotProtocol

/// The reading of a watch's frames as events, across connections and without input or output.
package struct LiveReader<Content: Sendable>: Sendable {
  /// Reads the values of a row.
  package typealias Decoding = @Sendable (inout RowReader) throws -> Content

  /// The result as far as it is known.
  private enum Known {
    case nothing
    case rows(LiveRows<Content>)
    /// The order of rows that the caller has.
    case order([Int64], at: HistoryToken)
    /// The token of a result whose rows the caller has.
    case moment(HistoryToken)
  }

  /// The parts of an event that are returned only together.
  private struct Parts {
    var rows: [LiveRow<Content>] = []
    var entries: [LiveFrame.Entry] = []
    var removed: [LivePositions.Taken] = []
    var order: [Int64] = []
    var author: String?
    var isFirst = true
  }

  private let reading: RowReading
  let decode: Decoding
  /// The reading of rows that come without large values; `nil` if rows have none.
  let whole: WholeRowRequest?
  /// Whether the watch reports all changes, so that the rows can be known.
  private let isComplete: Bool
  private var known = Known.nothing
  /// The rows of a snapshot that isn't complete.
  private var snapshot: [LiveRow<Content>]?
  private var parts = Parts()
  /// Whether the initial result came on this connection.
  private var isResumed = false
  /// The rows that were read with their large values when they were newer than the watch's frames.
  private var ahead: [Int64: LiveRow<Content>] = [:]
  /// The names of the columns, if the service sent them.
  package private(set) var columns: [String]?

  /// - Parameters:
  ///   - reading: The form of the rows, by the request.
  ///   - rows: The rows of an earlier result to continue from.
  ///   - token: The token of an earlier result to continue from, whose rows the caller has.
  ///   - isComplete: Whether the watch has all changes, so that the rows can be known.
  ///   - whole: The reading of rows that come without large values, if there may be some.
  ///   - decode: Reads the values of a row, all of them.
  package init(
    _ reading: RowReading = RowReading(),
    from rows: LiveRows<Content>? = nil,
    since token: HistoryToken? = nil,
    isComplete: Bool = true,
    whole: WholeRowRequest? = nil,
    decode: @escaping Decoding
  ) {
    self.reading = reading
    self.whole = whole
    self.decode = decode
    self.isComplete = isComplete
    if let rows { known = .rows(rows) } else if let token { known = .moment(token) }
  }

  /// The reader for a watch that reports all changes.
  var complete: LiveReader {
    LiveReader(
      reading,
      from: rows,
      since: rows == nil ? token : nil,
      whole: whole,
      decode: decode
    )
  }

  /// The rows of the result, if all of them are known.
  package var rows: LiveRows<Content>? {
    if case .rows(let rows) = known { rows } else { nil }
  }

  /// The token up to which everything was received.
  package var token: HistoryToken? {
    switch known {
    case .nothing: nil
    case .rows(let rows): rows.token
    case .order(_, let token), .moment(let token): token
    }
  }

  /// Forgets incomplete parts, because the connection was lost.
  package mutating func restart() {
    snapshot = nil
    parts = Parts()
    isResumed = false
  }

  /// Takes a frame; returns the event that it completes, if any.
  ///
  /// - Parameters:
  ///   - bytes: The frame.
  ///   - rows: Whole rows in place of the ones without large values.
  /// - Returns: The event; `nil` if there is none yet.
  /// - Throws: ``DepotError`` if it isn't a frame of a watch or doesn't fit the frames before it, or if
  ///   it lacks a large value; then nothing has changed.
  package mutating func receive(
    _ bytes: [UInt8],
    with rows: [Int64: LiveRow<Content>] = [:]
  ) throws -> LiveEvent<Content>? {
    guard let frame = try LiveFrame(bytes) else { return nil }
    switch (frame.kind, frame.token) {
    case (.snapshot, _):
      if let names = frame.columns { columns = names }
      snapshot = (snapshot ?? []) + (try self.rows(of: frame, with: rows))
      return nil
    case (.gap, _):
      // A snapshot follows.
      restart()
      return nil
    case (.live, let token?): return try live(at: token)
    case (.mark, let token?): return advance(to: token)
    case (.change, let token?):
      try add(frame, with: rows)
      return frame.hasMore ? nil : try change(at: token)
    case (.resume, let token?):
      try add(frame, with: rows)
      return frame.hasMore ? nil : try resume(at: token)
    // There is no other frame without one.
    case (_, nil): return nil
    }
  }
}

extension LiveReader {
  /// Returns the identifiers of the rows of a frame that came without large values.
  func incompleteRows(of bytes: [UInt8]) throws -> [Int64] {
    var identifiers: [Int64] = []
    guard let frame = try LiveFrame(bytes) else { return identifiers }
    _ = try rows(of: frame) { identifier, _, _ in
      identifiers.append(identifier)
      return nil
    }
    return identifiers
  }

  private mutating func rows(
    of frame: LiveFrame,
    with whole: [Int64: LiveRow<Content>]
  ) throws -> [LiveRow<Content>] {
    var ahead = ahead
    let rows = try rows(of: frame) { identifier, version, error in
      guard let row = whole[identifier] else { throw error }
      ahead[identifier] = row.version > version ? row : nil
      return row
    }
    self.ahead = ahead
    if !ahead.isEmpty {
      for row in rows where (ahead[row.identifier]?.version ?? .max) < row.version {
        self.ahead[row.identifier] = nil
      }
    }
    return rows
  }

  /// Returns the rows of a frame, with others in place of those without large values.
  ///
  /// A row that was read ahead of the frame stays as it is.
  private func rows(
    of frame: LiveFrame,
    inPlace other: (_ identifier: Int64, _ version: Int64, DepotError) throws -> LiveRow<Content>?
  ) throws -> [LiveRow<Content>] {
    var rows: [LiveRow<Content>] = []
    guard let offset = frame.rowsOffset else { return rows }
    try frame.bytes.withRows(at: offset, reading) { row in
      let (identifier, version) = (row.identifier, row.version)
      if let newer = ahead[identifier], newer.version >= version {
        rows.append(newer)
        return try row.skipRest()
      }
      do {
        rows.append(LiveRow(identifier: identifier, version: version, content: try decode(&row)))
      } catch let error as DepotError where error.isOfLength {
        if let row = try other(identifier, version, error) { rows.append(row) }
        try row.skipRest()
      }
    }
    return rows
  }

  /// Keeps the parts of a frame until the last frame of its kind.
  private mutating func add(
    _ frame: LiveFrame,
    with whole: [Int64: LiveRow<Content>]
  ) throws {
    if let names = frame.columns { columns = names }
    let rows = try rows(of: frame, with: whole)
    guard frame.kind == .resume || rows.count == frame.entries.count else {
      throw LivePositions.inconsistent("\(rows.count) rows have \(frame.entries.count) places")
    }
    parts.author = parts.isFirst || parts.author == frame.author ? frame.author : nil
    parts.isFirst = false
    parts.rows += rows
    parts.entries += frame.entries
    parts.removed += frame.removed
    parts.order += frame.order
  }

  private mutating func live(at token: HistoryToken) throws -> LiveEvent<Content>? {
    if isResumed, snapshot == nil { return advance(to: token) }
    let rows = LiveRows(snapshot ?? [], at: token)
    restart()
    isResumed = true
    known = isComplete ? .rows(rows) : .moment(token)
    return .snapshot(rows)
  }

  private mutating func advance(to token: HistoryToken) -> LiveEvent<Content>? {
    switch known {
    case .rows(var rows):
      known = .nothing
      rows.advance(to: token)
      known = .rows(rows)
    case .order(let order, _): known = .order(order, at: token)
    case .moment: known = .moment(token)
    case .nothing: break
    }
    return .current(token)
  }

  private mutating func change(at token: HistoryToken) throws -> LiveEvent<Content>? {
    let parts = parts
    self.parts = Parts()
    for row in parts.removed { ahead[row.identifier] = nil }
    let placed = zip(parts.rows, parts.entries).map { row, entry in
      LiveChange.Placement(
        row: row,
        at: entry.at,
        from: entry.from,
        properties: entry.properties
      )
    }.sorted { $0.at < $1.at }
    let change = LiveChange(
      token: token,
      author: parts.author,
      removed: parts.removed.map { LiveChange.Removal(identifier: $0.identifier, from: $0.from) }
        .sorted { $0.from < $1.from },
      placed: placed
    )
    try apply(change)
    return .change(change)
  }

  private mutating func apply(_ change: LiveChange<Content>) throws {
    // Rows that are changed in place have no other owner meanwhile.
    let before = known
    known = .nothing
    switch consume before {
    case .rows(var rows):
      try rows.apply(change)
      known = .rows(rows)
    case .order(var order, _):
      let put = change.placed.map { LivePositions.Put(element: $0.row.identifier, at: $0.at) }
      try LivePositions.apply(to: &order, taken: change.taken, put: put, identifier: \.self)
      known = .order(order, at: change.token)
    case .moment where !isComplete: known = .moment(change.token)
    case .moment, .nothing: throw LivePositions.inconsistent("there were none")
    }
  }

  private mutating func resume(at token: HistoryToken) throws -> LiveEvent<Content>? {
    let parts = parts
    restart()
    isResumed = true
    switch known {
    case .rows(let rows):
      let change = try rows.change(to: parts.order, with: parts.rows, at: token)
      guard !change.isEmpty else { return advance(to: token) }
      try apply(change)
      return .change(change)
    case .order, .moment:
      known = isComplete ? .order(parts.order, at: token) : .moment(token)
      return .resumed(LiveResumption(token: token, rows: parts.rows, order: parts.order))
    case .nothing: throw LivePositions.inconsistent("there were none")
    }
  }
}
