internal import DepotProtocol

extension SaveRequest {
  /// Returns the request with the policy set for its inserted rows.
  func following(_ catalog: Catalog) throws(DepotError) -> SaveRequest {
    guard let policy, onConflict == .error, !inserts.isEmpty else { return self }
    var copy = self
    switch policy {
    case .error: break
    case .mergeByPropertyStoreTrump, .rollback: copy.onConflict = .skip
    case .mergeByPropertyObjectTrump: copy.onConflict = .replace
    case .overwrite:
      copy.onConflict = .replace
      for index in inserts.indices { try copy.inserts[index].complete(in: catalog) }
    }
    return copy
  }
}

extension SaveRequest.Insertion {
  /// Adds all missing properties, so that a row that replaces another is written completely.
  fileprivate mutating func complete(in catalog: Catalog) throws(DepotError) {
    guard let layout = try? catalog.layout(of: entity), !layout.uniques.isEmpty else { return }
    var added: [(path: String, value: Value)] = []
    for (position, field) in layout.fields.enumerated() {
      guard layout.storedPositions[position] != nil, field.attribute.derivation == nil,
        !columns.contains(where: { $0 == field.path || field.path.hasPrefix($0 + ".") }),
        !added.contains(where: { field.path.hasPrefix($0.path + ".") })
      else { continue }
      if field.isPresence {
        // If parts of a composite are named, its own name only sets its presence.
        guard !columns.contains(where: { $0.hasPrefix(field.path + ".") }) else { continue }
        added.append((field.path, .null))
      } else {
        added.append((field.path, field.attribute.defaultValue ?? .null))
      }
    }
    guard !added.isEmpty else { return }
    var batch = RowBatch()
    batch.append(added.map(\.value))
    // The values without the brackets of the batch and of the row.
    let values = batch.json.dropFirst(2).dropLast(2)
    let texts = RowTexts(rows)
    let completed = try (0..<rows.count).map { (row) throws(DepotError) in
      let own = try texts.values(row)
      // Storing a row of a wrong length reports the error.
      return RowTexts.list(own.count == columns.count ? own + [values] : own)
    }
    rows = RowBatch(json: RowTexts.list(completed), count: rows.count)
    columns += added.map(\.path)
  }
}
