internal import DepotProtocol
internal import DepotSQLite

/// The columns of a statement's rows as they are written, directly from SQLite's columns.
struct RowWriting {
  /// The entity, for messages; `nil` for computed rows, such as those of groups.
  let entity: EntityLayout?
  let columns: [RowColumn]
  /// The columns without object references, so that no references are counted.
  let values: [Column]
  let hasIdentity: Bool
  /// The names of the entities by their numbers, with quotation marks.
  let entityNames: [Int64: [UInt8]]

  struct Column {
    /// The index among all written columns.
    var position: Int
    var index: Int
    var form: RowColumn.Form
    var isSum: Bool
  }

  private static func values(_ columns: [RowColumn]) -> [Column] {
    columns.enumerated().map {
      Column(position: $0, index: $1.index, form: $1.form, isSum: $1.isSum)
    }
  }

  init(_ shape: RowShape) {
    entity = shape.layout
    let columns = shape.columns
    self.columns = columns
    values = Self.values(columns)
    hasIdentity = shape.hasIdentity
    let namesEntity = columns.contains { $0.form == .entity }
    entityNames = Dictionary(
      uniqueKeysWithValues: (namesEntity ? shape.layout.numbers : [:]).map { number, name in
        (Int64(number), Array("\"\(name)\"".utf8))
      }
    )
  }

  /// Prepares rows, which start with their identifier and version if they are an entity's.
  init(_ layout: EntityLayout? = nil, columns: [RowColumn]) {
    entity = layout
    self.columns = columns
    values = Self.values(columns)
    hasIdentity = layout != nil
    entityNames = [:]
  }
}
