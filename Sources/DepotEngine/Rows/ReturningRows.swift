internal import DepotProtocol

/// The deleted rows that later parts of a request insert again.
struct ReturningRows {
  private var rows: [String: (layout: EntityLayout, identifiers: IdentifierRanges)] = [:]

  /// Adds a row of an entity; its identifier is greater than those of the entity's other rows.
  mutating func append(_ identifier: Int64, of layout: EntityLayout) {
    rows[layout.name, default: (layout, IdentifierRanges())].identifiers.append(identifier)
  }

  /// Whether a row of an entity or a descendant is among them.
  func contains(_ identifier: Int64, of layout: EntityLayout) -> Bool {
    rows.values.contains { row in
      row.layout.lineageNames.contains(layout.name) && row.identifiers.contains(identifier)
    }
  }
}

/// Identifiers in ascending order, stored as ranges.
struct IdentifierRanges {
  private var ranges: [ClosedRange<Int64>] = []

  /// Adds an identifier that is greater than all others.
  mutating func append(_ identifier: Int64) {
    if let last = ranges.last, last.upperBound + 1 == identifier {
      ranges[ranges.count - 1] = last.lowerBound...identifier
    } else {
      ranges.append(identifier...identifier)
    }
  }

  func contains(_ identifier: Int64) -> Bool {
    let index = ranges.partitioningIndex { $0.upperBound < identifier }
    return index < ranges.count && ranges[index].contains(identifier)
  }
}
