internal import DepotClient
internal import DepotProtocol

extension ServiceStore {
  func existingRows(
    among rows: [Int64],
    of description: EntityDescription
  ) throws -> Set<Int64>? {
    var found: Set<Int64> = []
    for batch in rows.chunks(of: 500) {
      let request = GetRequest(
        entity: description.name,
        identifiers: Array(batch),
        select: [],
        allowsMissing: true,
        namesColumns: false
      )
      _ = try talk { connection in
        try connection.get(request) { reader in found.insert(reader.identifier) }
      }
    }
    return found
  }
}
