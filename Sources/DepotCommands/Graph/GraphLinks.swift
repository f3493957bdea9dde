internal import DepotProtocol

/// The relationships that had to wait until all rows of a file are there, as one request.
struct GraphLinks {
  private(set) var request = SaveRequest()
  /// The record of each row of each part of the request.
  private(set) var origins: [[Int]] = []
  /// The records with references that lead nowhere, and the first of these.
  private(set) var unresolved: [(record: GraphRecord, error: DepotError)] = []

  /// Makes a request that links rows that are stored.
  ///
  /// - Parameters:
  ///   - rows: The records, with the identifiers of their rows.
  ///   - index: The rows that are there.
  init(_ rows: [(record: GraphRecord, identifier: Int64)], _ index: KeyIndex) {
    var texts: [[UInt8]] = []
    for (record, identifier) in rows {
      guard let root = record.root else { continue }
      var columns = ["$id"]
      var values = [Array("\(identifier)".utf8)]
      for link in root.links where link.references.contains(where: { $0.isKey }) {
        let found = link.references.compactMap { Self.resolve($0, index) }
        if let missing = link.references.first(where: { $0.isMissing(in: index) }) {
          unresolved.append((record, missing.error(at: link.relationship.name)))
        }
        // Rows that stood inside of the record are linked already.
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
      guard columns.count > 1 else { continue }
      let isNext =
        request.updates.last.map { $0.entity == root.entity && $0.columns == columns } ?? false
      if !isNext {
        request.updates.append(.init(entity: root.entity, columns: columns, rows: RowBatch()))
        origins.append([])
        texts.append([])
      }
      let last = texts.count - 1
      texts[last].append(texts[last].isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
      texts[last] += values.jsonArray
      origins[last].append(record.index)
    }
    for (part, rows) in texts.enumerated() {
      request.updates[part].rows = RowBatch(json: rows + [0x5D], count: origins[part].count)
    }
  }

  private static func resolve(_ reference: GraphReference, _ index: KeyIndex) -> [UInt8]? {
    switch reference {
    case .identifier(let identifier): Array("\(identifier)".utf8)
    case .key(let key, let value): index[key, value].map { Array("\($0)".utf8) }
    case .nested: nil
    }
  }
}

extension GraphReference {
  var isNested: Bool { if case .nested = self { true } else { false } }

  var isKey: Bool { if case .key = self { true } else { false } }

  func isMissing(in index: KeyIndex) -> Bool {
    if case .key(let key, let value) = self { index[key, value] == nil } else { false }
  }

  /// Returns the error that there is no such row.
  func error(at relationship: String) -> DepotError {
    guard case .key(let key, let value) = self else {
      return DepotError(.objectNotFound, "There is no such row.").at(relationship)
    }
    return DepotError(
      .objectNotFound,
      "There is no \(key.entity) whose \(key.path) is \(SchemaText.text(value))."
    ).at(relationship)
  }
}
