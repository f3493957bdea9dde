internal import DepotProtocol

/// A conflict of a save in words for the user.
enum ConflictReport {
  /// The most characters of a value that are shown.
  private static let valueWidth = 40

  /// Returns one line about a conflict, and a line for each conflicting property.
  static func lines(_ conflict: SaveConflict) -> [String] {
    let name = "\(conflict.entity)/\(conflict.identifier)"
    let versions =
      conflict.baseVersion.map { base in
        " (read at version \(base), now \(conflict.storeVersion.map(String.init) ?? "deleted"))"
      } ?? ""
    let what =
      switch conflict.kind {
      case .update: "was changed by others"
      case .updateOfDeleted:
        conflict.changedBy["$deleted"] == nil ? "isn't there" : "was deleted by others"
      case .deleteOfUpdated: "is to be deleted, but was changed by others"
      case .unique: "would have unique values of \(conflict.entity)/\(conflict.existing ?? 0)"
      case .read:
        conflict.storeVersion == nil ? "was read, and is deleted" : "was read, and changed"
      }
    let decision = conflict.decision.map { ": \(sentence($0))" } ?? ""
    let names = Set(conflict.base.keys).union(conflict.store.keys).union(conflict.client.keys)
    let whole = conflict.changedBy["$deleted"].map { ["  deleted" + by($0)] } ?? []
    return ["\(name) \(what)\(versions)\(decision)"] + whole
      + names.sorted().compactMap { line($0, conflict) }
  }

  private static func sentence(_ decision: SaveConflict.Decision) -> String {
    switch decision {
    case .client: "the value of this save was stored"
    case .store: "the stored value stays"
    case .merged: "both were merged"
    case .dropped: "left out"
    case .recreated: "made again"
    }
  }

  private static func line(_ name: String, _ conflict: SaveConflict) -> String? {
    let (base, store, client) = (conflict.base[name], conflict.store[name], conflict.client[name])
    let isListed = conflict.properties.contains(name) || conflict.changedBy[name] != nil
    guard isListed || (store != nil && client != nil && store != client) else { return nil }
    let parts = [
      base.map { "read \(text($0))" },
      store.map { "stored \(text($0))" + (conflict.changedBy[name].map(by) ?? "") },
      client.map { "wanted \(text($0))" },
    ]
    return "  \(name): " + parts.compactMap(\.self).joined(separator: ", ")
  }

  private static func by(_ origin: SaveConflict.Origin) -> String {
    let who = origin.author ?? origin.process
    let facts = [who.map { "by \($0)" }, origin.at.map { "at \($0)" }].compactMap(\.self)
    return facts.isEmpty ? "" : " (\(facts.joined(separator: " ")))"
  }

  private static func text(_ value: JSONValue) -> String {
    let text = value.text
    return text.count > valueWidth ? text.prefix(valueWidth) + "…" : text
  }
}
