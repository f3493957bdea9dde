internal import DepotProtocol

/// All of a client's values of a row: its changes, and the base values of other properties.
///
/// Unchanged to-many relationships are left out, and so are relationships stored in other rows.
struct MergedRow {
  let columns: [String]
  let pointer: String
  private let json: [UInt8]
  private let places: [String]

  /// Prepares a row of a batch; with `onlyBase`, the values that the client changes are left out.
  init(
    _ change: SaveRequest.Change,
    _ row: Int,
    _ texts: (rows: RowTexts, base: RowTexts),
    _ writer: EntityWriter,
    at pointer: String,
    onlyBase: Bool = false
  ) throws {
    var columns: [String] = []
    var places: [String] = []
    var values: [ArraySlice<UInt8>] = []
    let own = change.columns.filter { $0 != "$id" && $0 != "$version" }
    if !onlyBase {
      let nodes = try texts.rows.values(row)
      for (position, name) in change.columns.enumerated() where own.contains(name) {
        columns.append(name)
        places.append("\(pointer)/rows/\(row)/\(position)")
        values.append(nodes[position].source)
      }
    }
    if let base = change.base {
      let nodes = try texts.base.values(row)
      for (position, name) in base.columns.enumerated() {
        guard !own.contains(where: { $0.overlaps(name) }), writer.layout.isKept(name),
          !nodes[position].isReference(to: name, writer.layout)
        else { continue }
        columns.append(name)
        places.append("\(pointer)/base/rows/\(row)/\(position)")
        values.append(nodes[position].source)
      }
    }
    self.columns = columns
    self.places = places
    self.pointer = "\(pointer)/rows/\(row)"
    json = Array("[[".utf8) + values.joined(separator: ",".utf8) + Array("]]".utf8)
  }

  /// Reads the values into the writer's cells, and has `store` keep them if they break no rule.
  func read(
    _ plan: InputPlan,
    _ writer: EntityWriter,
    _ session: ChangeSession,
    store: (RowPlace) throws -> Void
  ) throws {
    let place = RowPlace.scattered(row: pointer, values: places)
    try json.withUnsafeBufferPointer { bytes in
      var reader = try RowReader(bytes)
      _ = try reader.beginRow()
      if try writer.readRow(&reader, plan, session, place) { try store(place) }
    }
  }
}

extension JSONNode {
  /// Whether it tells only the length of a value that is stored outside its row.
  fileprivate func isReference(to name: String, _ layout: EntityLayout) -> Bool {
    guard kind == .object, let position = layout.position(of: name),
      layout.fields[position].attribute.options.contains(.externalStorage)
    else { return false }
    return true
  }
}

extension EntityLayout {
  /// Whether the entity's own rows store the property at a path.
  fileprivate func isKept(_ path: String) -> Bool {
    guard !isDerived(path) else { return false }
    guard let relationship = relationship(path) else { return true }
    if case .column = relationship.storage { return true }
    return false
  }
}

extension String {
  /// Whether one of two paths is the other one or a part of it.
  fileprivate func overlaps(_ other: String) -> Bool {
    self == other || hasPrefix(other + ".") || other.hasPrefix(self + ".")
  }
}

extension JSONNode {
  /// The value as it is written.
  var source: ArraySlice<UInt8> { document.bytes[range] }
}
