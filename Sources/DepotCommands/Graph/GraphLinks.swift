internal import DepotProtocol

/// The relationships deferred until all rows of a file exist, as one request.
struct GraphLinks {
  private(set) var request = SaveRequest()
  /// The records with references to missing rows, with the first error of each.
  private(set) var unresolved: [(record: GraphRecord, error: DepotError)] = []

  /// Makes a request that links stored rows to rows of an index.
  init(_ rows: [(record: GraphRecord, identifier: Int64)], _ index: KeyIndex) {
    var parts = RowParts()
    for (record, identifier) in rows {
      guard let root = record.root else { continue }
      var columns = ["$id"]
      var values = [Array("\(identifier)".utf8)]
      for link in root.links where link.references.contains(where: { $0.isKey }) {
        let found = link.references.compactMap { reference -> [UInt8]? in
          guard case .key(let key, let value) = reference else { return nil }
          return index[key, value].map { Array("\($0)".utf8) }
        }
        if let missing = link.references.first(where: { $0.isMissing(in: index) }) {
          unresolved.append((record, missing.error(at: link.relationship)))
        }
        // Rows nested in the record are linked already.
        let isWhole = !link.references.contains { $0.isNested }
        if found.isEmpty, !isWhole || !link.relationship.isToMany { continue }
        columns.append(link.relationship.name)
        if !link.relationship.isToMany {
          values.append(found[0])
        } else if isWhole {
          values.append(found.jsonArray)
        } else {
          values.append(Array("{\"add\":".utf8) + found.jsonArray + Array("}".utf8))
        }
      }
      if columns.count > 1 { parts.append(root.entity, columns, values, line: record.line) }
    }
    request.updates = parts.all.map { .init(entity: $0.entity, columns: $0.columns, rows: $0.rows) }
  }
}

extension GraphReference {
  var isNested: Bool { if case .nested = self { true } else { false } }

  var isKey: Bool { if case .key = self { true } else { false } }

  func isMissing(in index: KeyIndex) -> Bool {
    if case .key(let key, let value) = self { index[key, value] == nil } else { false }
  }

  /// The advice about missing rows.
  static let missingAdvice =
    "Import these rows first, leave links to them out with depot import --ignore-missing, or set such "
    + "records aside with --rejects FILE."

  /// Returns the error that the row is missing.
  func error(at relationship: Relationship) -> DepotError {
    let row =
      switch self {
      case .key(let key, let value) where key.isIdentifier:
        "\(key.entity)/\(value.jsonText)"
      case .key(let key, let value):
        "\(key.entity) whose \(key.path) is \(value.jsonText)"
      case .nested: "such row"
      }
    return DepotError(.objectNotFound, "There is no \(row).").at(relationship.name)
      .hint(Self.missingAdvice)
  }
}
