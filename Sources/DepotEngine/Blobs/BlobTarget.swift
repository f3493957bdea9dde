internal import DepotProtocol
internal import DepotSQLite

/// An attribute of a row whose values may be stored outside it.
struct BlobTarget {
  let layout: EntityLayout
  /// The row; `nil` if a later request of the connection inserts or names it.
  let identifier: Int64?
  let path: String
  /// The index of the column among the stored ones.
  let place: Int
  let isText: Bool

  var table: BlobTable { BlobTable(layout.root) }
  /// The row and attribute, for messages.
  var name: String {
    identifier.map { "\(layout.name)/\($0).\(path)" } ?? "\(layout.name).\(path)"
  }
  /// The target of an upload, as it is stored with it.
  var uploaded: String { "\(layout.root)/\(identifier.map(String.init) ?? "")/\(path)" }

  /// Finds the attribute; one that is only read needn't have a column that refers to values.
  init(
    _ layout: EntityLayout,
    _ identifier: Int64?,
    _ path: String,
    isRead: Bool = false
  ) throws(DepotError) {
    guard let position = layout.position(of: path) else {
      throw layout.unknownAttribute(path).at("/args/attribute")
    }
    let attribute = layout.fields[position].attribute
    guard let place = layout.storedPositions[position], attribute.collection == nil,
      layout.fields[position].relationship == nil, [.string, .data].contains(attribute.type)
    else {
      throw DepotError(.usage, "\(layout.name).\(path) isn't a stored text or data.")
        .hint("Read and write it with its row.").at("/args/attribute")
    }
    let type = attribute.type
    guard isRead || layout.stored[place].isExternal else {
      throw DepotError(
        .valueTooLarge,
        "\(layout.name).\(path) is derived, unique, or in an index, so it holds at most "
          + "\(Limits.valueBytes) bytes and is written with its row."
      ).hint("Store a smaller value, or leave that out of the schema.").at("/args/attribute")
    }
    self.layout = layout
    self.identifier = identifier
    self.path = path
    self.place = place
    isText = type == .string
  }

  /// Whether a value of `length` bytes belongs into the row.
  func isInRow(_ length: Int) -> Bool {
    layout.stored[place].isWidened && length <= Limits.valueBytes
  }

  /// Returns the bytes of a value that belongs into the row; `nil` if the row refers to it.
  func content(_ reference: BlobReference, on connection: Connection) throws -> [UInt8]? {
    guard isInRow(reference.length) else { return nil }
    do {
      return try BlobReader(connection: connection, table: table).value(reference)
    } catch {
      throw DepotError.blob(error, self)
    }
  }

  /// Returns a value in the row in the form for the column.
  func cell(_ bytes: UnsafeBufferPointer<UInt8>) -> Cell { isText ? .text(bytes) : .blob(bytes) }

  /// A value in the store.
  enum Content {
    case inRow([UInt8])
    case outside(BlobReference)

    var length: Int {
      switch self {
      case .inRow(let bytes): bytes.count
      case .outside(let reference): reference.length
      }
    }
  }

  /// Returns the version of a row and its value; `nil` for null.
  func read(
    _ identifier: Int64,
    on connection: Connection
  ) throws -> (version: Int64, content: Content?) {
    let statement = try connection.statement(
      """
      SELECT version, \(layout.stored[place].quoted) FROM \(layout.table) AS t \
      WHERE t.id = ?1\(layout.kindFilter(in: "t"))
      """
    )
    defer { statement.reset() }
    try statement.bind(identifier, at: 1)
    guard try statement.step() else { throw layout.missing([identifier], at: "/args/id") }
    let row = statement.row
    let (version, cell) = (row.integer(0), Cell(row, 1))
    if cell.isNull { return (version, nil) }
    if let bytes = cell.externalValue(isText: isText) { return (version, .inRow(Array(bytes))) }
    guard let reference = cell.reference(isText: isText) else {
      throw DepotError(.corrupt, "\(name) is damaged. Its reference can't be read.")
        .hint("Restore the store from a backup, or write the value anew.")
    }
    return (version, .outside(reference))
  }
}

extension DepotError {
  /// Translates an error about a value stored outside its row for users.
  static func blob(_ error: any Error, _ target: BlobTarget) -> any Error {
    guard let damage = error as? BlobReader.Damage else { return error }
    return DepotError(.corrupt, "\(target.name) is damaged. \(damage.message)")
      .hint("Restore the store from a backup, or write the value anew.")
  }
}
