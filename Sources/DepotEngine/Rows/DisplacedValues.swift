internal import DepotProtocol
internal import DepotSQLite

/// Unique values that rows of a save have left to others, until it is known what all rows have in the
/// end.
///
/// SQLite looks at its unique indexes after each row. A row that has what another is to get therefore
/// gets a value that nobody else has; in the end it gets its own back, unless it got another since.
final class DisplacedValues {
  /// How many rows may wait for their values.
  private static let limit = 100_000

  /// A value that a row has left.
  private struct Entry {
    var writer: EntityWriter
    var clash: UniqueClash
    /// The place of the column among those of the root entity.
    var place: Int
    var value: SQLiteValue
    /// The value that the row has instead.
    var token: SQLiteValue
    /// Where the request says what the row that has the value now gets.
    var pointer: String?
    /// Whether all columns that must be unique are references.
    var isReference: Bool
  }

  private struct Key: Hashable {
    var root: String
    var identifier: Int64
    var place = -1
  }

  /// Whether rows may leave references to others.
  ///
  /// Nobody would find them by what they lead to, so they have to be back before that is changed.
  private(set) var takesReferences = true
  private var entries: [Entry] = []
  private var latest: [Key: Int] = [:]
  private var excused: Set<Key> = []
  private var tokenCount: Int64 = 0
  private var locatedCount = 0
  private let arena = CellArena()

  /// Takes away what rows have that another is to get, and returns whether all of it was.
  func makeRoom(for clashes: [UniqueClash], _ writer: EntityWriter) throws -> Bool {
    for clash in clashes {
      guard try makeRoom(for: clash, writer) else { return false }
    }
    return !clashes.isEmpty
  }

  private func makeRoom(for clash: UniqueClash, _ writer: EntityWriter) throws -> Bool {
    let root = try writer.entities.writer(writer.layout.root)
    let columns = clash.unique.places.map { writer.layout.stored[$0] }
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

  /// Gives a row a value that no other has; returns the value.
  private func displace(
    _ identifier: Int64,
    _ place: Int,
    _ root: EntityWriter,
    _ storage: StoredColumn.Storage
  ) throws -> SQLiteValue? {
    // Changes in memory become the one to the value that the row has in the end.
    root.entities.recorder?.isHeld = true
    for _ in 0..<16 {
      tokenCount += 1
      let token = Self.token(tokenCount, storage)
      if try change(identifier, place, root, to: token) { return token }
    }
    return nil
  }

  /// A value that hardly any row has.
  private static func token(_ number: Int64, _ storage: StoredColumn.Storage) -> SQLiteValue {
    let text = "\u{1}displaced \(number)\u{1}"
    switch storage {
    case .scalar(.string), .scalar(.url), .list, .json: return .text(text)
    case .scalar(.int64), .scalar(.bool), .reference, .order, .kind: return .integer(.min + number)
    case .scalar, .external: return .blob(Array(text.utf8))
    }
  }

  /// Changes a column of a row; returns whether no other row has the value.
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

  /// Says where the request has what displaced values since the last call.
  func locate(_ pointer: @autoclosure () -> String) {
    guard locatedCount < entries.count else { return }
    let pointer = pointer()
    for index in locatedCount..<entries.count { entries[index].pointer = pointer }
    locatedCount = entries.count
  }

  /// Lets a row go without its value, because what the request wanted of it is refused anyway.
  func excuse(_ identifier: Int64, _ layout: EntityLayout) {
    excused.insert(Key(root: layout.root, identifier: identifier))
  }

  /// Returns what a row's reference leads to, whether it is displaced or not.
  func reference(_ stored: Int64?, of row: Int64, in column: ReferenceColumn) -> Int64? {
    guard let stored, stored < 0,
      let index = latest[Key(root: column.root.name, identifier: row, place: column.place)],
      entries[index].token == .integer(stored), case .integer(let value) = entries[index].value
    else { return stored }
    return value
  }

  /// Gives references back; from now on rows keep theirs.
  func giveBackReferences(_ violate: (DepotError) throws -> Void) throws {
    takesReferences = false
    for entry in entries where entry.isReference { try giveBack(entry, violate) }
  }

  /// Gives all rows back what they had and nobody has changed since; `violate` takes the errors of
  /// rows whose values others have now.
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
  /// Writes a row, for which rows of a save that have its unique values make room; returns the rows
  /// that have them if it couldn't be written.
  @inline(__always)
  func writing(
    _ writer: EntityWriter,
    _ identifier: Int64?,
    _ value: (Int) -> Cell?,
    _ write: () throws -> Void
  ) throws -> [UniqueClash]? {
    // A value that is stored outside a row would stay behind if its row weren't stored.
    if let displaced, !writer.layout.externalPlaces.isEmpty {
      let clashes = try writer.clashes(of: identifier, all: true, value)
      _ = try displaced.makeRoom(for: clashes, writer)
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
    guard let displaced, try displaced.makeRoom(for: clashes, writer) else { return clashes }
    do {
      try write()
      return nil
    } catch let error as SQLiteError where error.kind == .unique {
      return try writer.clashes(of: identifier, all: true, value)
    }
  }

  /// Returns what a row's reference leads to, also while another row has its place.
  func target(of row: Int64, in column: ReferenceColumn) throws -> Int64? {
    let stored = try connection.target(of: row, in: column)
    return displaced?.reference(stored, of: row, in: column) ?? stored
  }
}

extension EntityWriter {
  /// Returns what a row has at a place; `nil` if there is no such row.
  fileprivate func stored(_ identifier: Int64, _ place: Int) throws -> SQLiteValue? {
    let column = layout.stored[place].quoted
    return try connection.statement("SELECT \(column) FROM \(layout.table) WHERE id = ?1")
      .first([.integer(identifier)]) { Cell($0, 0).value }
  }
}
