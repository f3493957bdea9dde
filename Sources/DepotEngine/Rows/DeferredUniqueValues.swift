internal import DepotProtocol
internal import DepotSQLite

/// Removes unique values temporarily from rows of a save, so that other rows can get them.
///
/// SQLite checks its unique indexes after each row. A row whose value another row is about to get
/// therefore gets a placeholder. At the end its own value is restored, unless it has got a new one
/// since.
final class DeferredUniqueValues {
  /// The most rows with displaced values.
  private static let limit = 100_000

  /// A displaced value.
  private struct Entry {
    var writer: EntityWriter
    var clash: UniqueClash
    /// The index of the column in the root entity.
    var place: Int
    var value: SQLiteValue
    /// The placeholder in the row.
    var token: SQLiteValue
    /// The pointer to the row of the request that gets the value.
    var pointer: String?
    /// Whether all columns of the unique constraint are references.
    var isReference: Bool
  }

  private struct Key: Hashable {
    var root: String
    var identifier: Int64
    var place = -1
  }

  /// Whether references may be displaced.
  ///
  /// Rows with displaced references can't be found by their destinations, so the references must be
  /// restored before destinations change.
  private(set) var takesReferences = true
  private var entries: [Entry] = []
  private var latest: [Key: Int] = [:]
  private var excused: Set<Key> = []
  private var tokenCount: Int64 = 0
  private var locatedCount = 0
  /// The number of entries when those without displaced values were removed.
  private var settledCount = 0
  private lazy var arena = CellArena()

  /// Displaces the values of conflicting rows, and returns whether all could be displaced.
  func makeRoom(for clashes: [UniqueClash], _ writer: EntityWriter) throws -> Bool {
    for clash in clashes {
      guard try makeRoom(for: clash, writer) else { return false }
    }
    return !clashes.isEmpty
  }

  private func makeRoom(for clash: UniqueClash, _ writer: EntityWriter) throws -> Bool {
    let root = try writer.entities.writer(writer.layout.root)
    let columns = clash.unique.columnIndices.map { writer.layout.stored[$0] }
    let column = columns.first { $0.storage != .reference }
    guard let chosen = column ?? columns.first, column != nil || takesReferences,
      let place = root.layout.stored.firstIndex(where: { $0.name == chosen.name }),
      entries.count < Self.limit,
      let value = try root.stored(clash.identifier, place)
    else { return false }
    let key = Key(root: root.layout.name, identifier: clash.identifier, place: place)
    if let index = latest[key], entries[index].token == value { return true }
    guard let token = try displace(clash.identifier, place, root, chosen.storage) else {
      return false
    }
    latest[key] = entries.count
    entries.append(
      Entry(
        writer: writer,
        clash: clash,
        place: place,
        value: value,
        token: token,
        isReference: column == nil
      )
    )
    return true
  }

  /// Sets a placeholder in a row, and returns the placeholder.
  private func displace(
    _ identifier: Int64,
    _ place: Int,
    _ root: EntityWriter,
    _ storage: StoredColumn.Storage
  ) throws -> SQLiteValue? {
    // The recorder combines this change with the row's final value into one change.
    root.entities.recorder?.isHeld = true
    for _ in 0..<16 {
      tokenCount += 1
      let token = Self.token(tokenCount, storage)
      if try change(identifier, place, root, to: token) { return token }
    }
    return nil
  }

  /// Returns a value that almost certainly no row has.
  private static func token(_ number: Int64, _ storage: StoredColumn.Storage) -> SQLiteValue {
    let text = "\u{1}displaced \(number)\u{1}"
    switch storage {
    case .scalar(.string), .scalar(.url), .list, .json: return .text(text)
    case .scalar(.int64), .scalar(.bool), .reference, .order, .kind: return .integer(.min + number)
    case .scalar, .external, .widened: return .blob(Array(text.utf8))
    }
  }

  /// Changes a column of a row; returns `false` if another row has the value.
  private func change(
    _ identifier: Int64,
    _ place: Int,
    _ root: EntityWriter,
    to value: SQLiteValue
  ) throws -> Bool {
    arena.removeAll()
    do {
      _ = try root.change(identifier, [(place, Cell(stored: value, in: arena))], step: 0)
      return true
    } catch let error as SQLiteError where error.kind == .unique {
      return false
    }
  }

  /// Sets the request's pointer of all values displaced since the last call.
  func locate(_ pointer: @autoclosure () -> String) {
    guard locatedCount < entries.count else { return }
    let pointer = pointer()
    for index in locatedCount..<entries.count { entries[index].pointer = pointer }
    locatedCount = entries.count
  }

  /// Forgets values whose rows have got others, if many were displaced since the last time.
  ///
  /// - Returns: Whether no value is displaced any more.
  func forgetReplaced() throws -> Bool {
    guard entries.count > 2 * settledCount else { return entries.isEmpty }
    entries = try entries.filter { entry in
      let root = try entry.writer.entities.writer(entry.writer.layout.root)
      return try root.stored(entry.clash.identifier, entry.place) == entry.token
    }
    latest = [:]
    for (index, entry) in entries.enumerated() {
      let root = entry.writer.layout.root
      latest[Key(root: root, identifier: entry.clash.identifier, place: entry.place)] = index
    }
    (locatedCount, settledCount) = (entries.count, entries.count)
    return entries.isEmpty
  }

  /// Removes a row's displaced value, because its change in the request fails anyway.
  func excuse(_ identifier: Int64, _ layout: EntityLayout) {
    excused.insert(Key(root: layout.root, identifier: identifier))
  }

  /// Returns the destination of a row's reference, even if it is displaced.
  func reference(_ stored: Int64?, of row: Int64, in column: ReferenceColumn) -> Int64? {
    guard let stored, stored < 0,
      let index = latest[Key(root: column.root.name, identifier: row, place: column.index)],
      entries[index].token == .integer(stored), case .integer(let value) = entries[index].value
    else { return stored }
    return value
  }

  /// Restores references; from now on no more are displaced.
  func giveBackReferences(_ violate: (DepotError) throws -> Void) throws {
    takesReferences = false
    for entry in entries where entry.isReference { try giveBack(entry, violate) }
  }

  /// Restores all displaced values that weren't replaced since.
  ///
  /// `violate` receives the errors of rows whose values other rows now have.
  func giveBack(_ violate: (DepotError) throws -> Void) throws {
    for entry in entries where !entry.isReference { try giveBack(entry, violate) }
    entries.first?.writer.entities.recorder?.isHeld = false
  }

  private func giveBack(_ entry: Entry, _ violate: (DepotError) throws -> Void) throws {
    let root = try entry.writer.entities.writer(entry.writer.layout.root)
    let identifier = entry.clash.identifier
    guard try root.stored(identifier, entry.place) == entry.token,
      try !change(identifier, entry.place, root, to: entry.value),
      !excused.contains(Key(root: root.layout.name, identifier: identifier))
    else { return }
    let error = entry.writer.uniqueError(entry.clash)
    try violate(entry.pointer.map(error.at) ?? error)
  }
}

extension ChangeSession {
  /// Writes a row, after displacing its unique values in other rows of the save.
  ///
  /// It returns the rows with its unique values if it couldn't be written.
  @inline(__always)
  func writing(
    _ writer: EntityWriter,
    _ identifier: Int64?,
    _ value: (Int) -> Cell?,
    _ write: () throws -> Void
  ) throws -> [UniqueClash]? {
    // A value stored outside its row would remain if the row weren't stored.
    if let deferredValues, !writer.layout.externalColumnIndices.isEmpty {
      let clashes = try writer.clashes(of: identifier, all: true, value)
      _ = try deferredValues.makeRoom(for: clashes, writer)
    }
    do {
      try write()
      return nil
    } catch let error as SQLiteError where error.kind == .unique {
      return try writingAgain(writer, identifier, value, write)
    }
  }

  private func writingAgain(
    _ writer: EntityWriter,
    _ identifier: Int64?,
    _ value: (Int) -> Cell?,
    _ write: () throws -> Void
  ) throws -> [UniqueClash]? {
    let clashes = try writer.clashes(of: identifier, all: true, value)
    guard let deferredValues, try deferredValues.makeRoom(for: clashes, writer) else {
      return clashes
    }
    do {
      try write()
      return nil
    } catch let error as SQLiteError where error.kind == .unique {
      return try writer.clashes(of: identifier, all: true, value)
    }
  }

  /// Returns the destination of a row's reference, even if it is displaced.
  func target(of row: Int64, in column: ReferenceColumn) throws -> Int64? {
    let stored = try connection.target(of: row, in: column)
    return deferredValues?.reference(stored, of: row, in: column) ?? stored
  }
}

extension EntityWriter {
  /// Returns a stored value of a row; `nil` if the row doesn't exist.
  fileprivate func stored(_ identifier: Int64, _ place: Int) throws -> SQLiteValue? {
    let column = layout.stored[place].quoted
    return try connection.statement("SELECT \(column) FROM \(layout.table) WHERE id = ?1")
      .first([.integer(identifier)]) { Cell($0, 0).value }
  }
}
