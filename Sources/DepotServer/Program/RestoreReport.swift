internal import DepotEngine
internal import DepotProtocol

/// The outcome of a restore, for people and for programs.
@Memberwise
struct RestoreReport {
  private let outcome: StoreRestore.Outcome
  /// The path of the store.
  private let path: String

  /// The outcome for programs.
  var json: JSONValue {
    var members: [String: JSONValue] = [
      "path": .string(path), "store": .string(outcome.store), "bytes": .int64(Int64(outcome.bytes)),
      "summary": .string(text),
    ]
    members["token"] = outcome.token.map(JSONValue.string)
    if let old = outcome.replaced {
      members["replaced"] = old.path.map(JSONValue.string) ?? .null
      members["behind"] = old.behind.map(JSONValue.int64) ?? .null
    }
    return .object(["ok": .object(members)])
  }

  /// The outcome in words.
  var text: String {
    var lines = ["Restored \(path)."]
    guard let old = outcome.replaced else { return lines[0] }
    switch old.behind {
    case 0?: lines.append("It is as new as the store that it replaces.")
    case 1?: lines.append("It is 1 transaction behind the store that it replaces.")
    case let count?: lines.append("It is \(count) transactions behind the store that it replaces.")
    case nil:
      let reason = old.reason.map { ": \($0)" } ?? ""
      lines.append("Nobody can know how far it is behind the store that it replaces\(reason).")
    }
    if let path = old.path { lines.append("That is kept as \(path).") }
    return lines.joined(separator: "\n")
  }
}
