internal import DepotProtocol

/// A hash of a column's value, by which watched queries for one value are found.
package struct RowKey: Hashable, Sendable {
  /// The index of the column among the root's stored columns.
  package var column: Int
  /// A hash: equal for equal values within this process, and rarely for others.
  package var hash: Int

  init(column: Int, _ cell: Cell) {
    self.column = column
    var hasher = Hasher()
    switch cell {
    case .null: hasher.combine(0)
    case .integer(let value):
      hasher.combine(1)
      hasher.combine(value)
    case .real(let value):
      hasher.combine(2)
      hasher.combine(value)
    case .text(let bytes):
      hasher.combine(3)
      hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    case .blob(let bytes):
      hasher.combine(4)
      hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    }
    hash = hasher.finalize()
  }
}

extension RowKey {
  /// Makes the key of a value that a predicate requires of all rows; `nil` if there is none.
  init?(_ predicate: QueryExpression?, _ layout: EntityLayout, in catalog: Catalog) {
    switch predicate {
    case .and(let parts):
      guard let key = parts.lazy.compactMap({ RowKey($0, layout, in: catalog) }).first else {
        return nil
      }
      self = key
    case .comparison(.equal, .attribute(let path), .value(let value), let options)
    where options.isEmpty,
      .comparison(.equal, .value(let value), .attribute(let path), let options)
    where options.isEmpty:
      guard let position = layout.position(of: path), let own = layout.storedPositions[position],
        case .scalar(let type) = layout.stored[own].storage,
        layout.fields[position].relationship == nil, !layout.fields[position].isPresence,
        let column = catalog.rootPlace(of: layout.stored[own].quoted, in: layout.root)
      else { return nil }
      switch (type, value) {
      case (.string, .string(var text)):
        self = text.withUTF8 { RowKey(column: column, .text($0)) }
      case (.int64, .int64(let number)): self.init(column: column, .integer(number))
      case (.bool, .bool(let flag)): self.init(column: column, .integer(flag ? 1 : 0))
      default: return nil
      }
    default: return nil
    }
  }
}
