internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// A pinned snapshot of a container: a pin of each of its stores.
///
/// It lives on the server's thread.
@Memberwise("container", "lease")
final class ContainerSnapshot {
  let container: Container
  /// The time for which it is kept without reads.
  let lease: SnapshotLease
  private var parts: [Part] = []

  private struct Part {
    let host: StoreHost
    let pin: SharedSnapshot
    /// The token and the schema of the snapshot, once it was taken.
    var facts: SharedSnapshot.Facts?
  }

  func add(_ host: StoreHost, _ pin: SharedSnapshot) { parts.append(Part(host: host, pin: pin)) }

  /// Notes that a store's snapshot was taken.
  ///
  /// - Returns: Whether that was the last one.
  func complete(_ store: Int, _ facts: SharedSnapshot.Facts) -> Bool {
    guard let index = parts.firstIndex(where: { $0.host.number == store }) else { return false }
    parts[index].facts = facts
    return parts.allSatisfy { $0.facts != nil }
  }

  /// The token, if there is only one store.
  var token: String? { parts.count == 1 ? parts[0].facts?.token : nil }

  /// Returns the error if it has expired; `nil` if it is usable.
  func end(_ now: UInt64) -> DepotError? {
    if let end = parts.lazy.compactMap(\.pin.end).first { return end }
    return lease.isOver(at: now) ? .pinExpired : nil
  }

  /// Releases it; its reads end with `reason`.
  func end(_ reason: DepotError) {
    for part in parts { part.host.readers?.end(part.pin, reason) }
  }

  /// Returns the store that an operation is about, with its pinned snapshot and schema.
  ///
  /// - Throws: ``DepotError`` `schema.unknown_entity` if there are several stores and none has the
  ///   entity.
  func part(of operation: Operation) throws(DepotError) -> (StoreHost, SharedSnapshot, Catalog) {
    var found: (StoreHost, SharedSnapshot, Catalog)?
    let named = operation.isAboutStore ? try container.host(of: operation) : nil
    for part in parts {
      guard let catalog = part.facts?.catalog else { throw .pinExpired }
      let isIt =
        named.map { $0 === part.host }
        ?? operation.entity.map { catalog.schema[$0] != nil } ?? true
      if isIt || parts.count == 1 && named == nil { return (part.host, part.pin, catalog) }
      found = found ?? (part.host, part.pin, catalog)
    }
    guard let found else { throw .pinExpired }
    _ = try container.host(of: operation)
    return found
  }
}
