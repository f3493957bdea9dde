internal import DepotClient
internal import DepotProtocol

extension ServiceStore {
  func deletions(
    of links: [ObjectReference],
    _ description: EntityDescription,
    _ body: (ObjectReference, DepotClient.HistoryChange) -> Void
  ) throws {
    var missing: [Int64: ObjectReference] = [:]
    for link in links { missing[link.storage.identifier.row ?? 0] = link }
    let request = HistoryRequest(
      entity: description.name,
      identifiers: Array(missing.keys),
      // The last change of a deleted row is its deletion.
      limit: 2 * missing.count,
      isDescending: true
    )
    _ = try talk { connection in
      try connection.history(request) { transaction in
        for change in transaction.changes where change.kind == .delete {
          if let link = missing.removeValue(forKey: change.identifier) { body(link, change) }
        }
      }
    }
  }
}
