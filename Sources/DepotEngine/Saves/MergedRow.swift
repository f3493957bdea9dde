internal import DepotProtocol

/// A client's values of a row: its changes, and the base values of the other properties.
///
/// Unchanged to-many relationships are omitted, and so are relationships stored in other rows.
struct MergedRow {
  let columns: [String]
  let pointer: String
  private let json: [UInt8]
  private let places: [String]

  /// Prepares a row of a batch; with `onlyBase`, the values that the client changes are left out.
  ///
  /// A link that the client has only read, to a row that was deleted since, leads to nothing.
  init(
    _ change: SaveRequest.Change,
    _ row: Int,
    _ texts: (rows: RowTexts, base: RowTexts),
    _ writer: EntityWriter,
    isThere: (_ relationship: RelationshipLayout, _ identifier: Int64) throws -> Bool,
    at pointer: String,
    onlyBase: Bool = false
  ) throws {
    var columns: [String] = []
    var places: [String] = []
    var values: [ArraySlice<UInt8>] = []
    let own = change.columns.filter { $0 != "$id" && $0 != "$version" }
    if !onlyBase {
      let found = try texts.rows.values(row)
      for (position, name) in change.columns.enumerated() where own.contains(name) {
        columns.append(name)
        places.append("\(pointer)/rows/\(row)/\(position)")
        values.append(found[position])
      }
    }
    if let base = change.base {
      let found = try texts.base.values(row)
      for (position, name) in base.columns.enumerated() {
        guard !own.contains(where: { $0.overlaps(name) }), writer.layout.isKept(name),
          !found[position].isReference(to: name, writer.layout)
        else { continue }
        if let link = writer.layout.relationship(name), link.relationship.isOptional,
          let target = try found[position].withField(\.int64), try !isThere(link, target)
        {
          continue
        }
        columns.append(name)
        places.append("\(pointer)/base/rows/\(row)/\(position)")
        values.append(found[position])
      }
    }
    self.columns = columns
    self.places = places
    self.pointer = "\(pointer)/rows/\(row)"
    json = RowTexts.list([RowTexts.list(values)])
  }

  /// Reads the values into the writer's cells, and calls `store` if they break no rule.
  func read(
    _ plan: InputPlan,
    _ writer: EntityWriter,
    _ session: ChangeSession,
    store: (RowPointer) throws -> Void
  ) throws {
    let place = RowPointer.scattered(row: pointer, values: places)
    try json.withUnsafeBufferPointer { bytes in
      var reader = try RowReader(bytes)
      _ = try reader.beginRow()
      if try writer.readRow(&reader, plan, session, place) { try store(place) }
    }
  }
}

extension ArraySlice<UInt8> {
  /// Whether it is only the length of a value stored outside its row.
  fileprivate func isReference(to name: String, _ layout: EntityLayout) -> Bool {
    guard first == UInt8(ascii: "{"), let position = layout.position(of: name),
      let place = layout.storedPositions[position]
    else { return false }
    return layout.stored[place].isExternal
  }
}

extension EntityLayout {
  /// Whether the property at a path is stored in the entity's own rows.
  fileprivate func isKept(_ path: String) -> Bool {
    guard !isDerived(path) else { return false }
    guard let relationship = relationship(path) else { return true }
    if case .column = relationship.storage { return true }
    return false
  }
}

extension String {
  /// Whether one of two paths equals the other or is inside it.
  fileprivate func overlaps(_ other: String) -> Bool {
    self == other || hasPrefix(other + ".") || other.hasPrefix(self + ".")
  }
}
