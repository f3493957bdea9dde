internal import DepotClientCore
internal import DepotProtocol
internal import FoundationEssentials

/// Transactions and changes in words.
enum HistoryText {
  /// A time in the form of the wire.
  static func time(_ date: Date) -> String {
    JSONWriter.text { DateText.write(date.timeIntervalSinceReferenceDate, to: &$0) }
      .filter { $0 != "\"" }
  }

  /// Returns the time a number of seconds ago, in the form of the protocol.
  static func time(secondsAgo age: Double) -> String {
    let start = Date().timeIntervalSince1970 - age
    return time(Date(timeIntervalSince1970: start.rounded(.down)))
  }

  /// Returns the cells of a transaction's changes, a row for each change.
  static func lines(_ transaction: HistoryTransaction) -> [[String]] {
    let start = [
      transaction.token.description, transaction.date.map(time) ?? "",
      transaction.author ?? transaction.process ?? "",
    ]
    if transaction.changes.isEmpty { return [start + [transaction.origin ?? "", "", ""]] }
    return transaction.changes.map { change in
      start + [change.kind.rawValue, "\(change.entity)/\(change.identifier)", values(change)]
    }
  }

  /// The line above the changes of a transaction.
  static func heading(_ transaction: HistoryTransaction) -> String {
    var line = "\(transaction.token)  \(transaction.date.map(time) ?? "")"
    let names = [transaction.author, transaction.process].compactMap(\.self)
    if !names.isEmpty { line += "  \(names.joined(separator: ", "))" }
    if let group = transaction.group { line += "  [\(group)]" }
    if let origin = transaction.origin { line += "  (\(origin))" }
    return line
  }

  private static let words = [
    (HistoryChange.Kind.insert, "inserted"), (.update, "updated"), (.delete, "deleted"),
    (.links, "linked anew"),
  ]

  /// The numbers of changed rows of each entity, in one line.
  static func sentence(_ counts: [HistoryChange.Kind: [String: Int]]) -> String {
    words.flatMap { kind, word in
      (counts[kind] ?? [:]).sorted { $0.key < $1.key }
        .map { "\(Numbers.counted($0.value, "row")) of \($0.key) \(word)" }
    }.joined(separator: ", ")
  }

  /// The transactions of a group in one line.
  static func sentence(_ joined: JoinedTransactions) -> String {
    let parts = words.compactMap { kind, word in
      joined.rows[kind].map { "\(Numbers.counted($0, "row")) \(word)" }
    }
    let rows = parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))"
    return Numbers.counted(joined.count, "transaction") + rows
  }

  /// A change in one line.
  static func sentence(_ change: HistoryChange) -> String {
    let values = values(change)
    return "\(change.kind.rawValue) \(change.entity)/\(change.identifier)"
      + (values.isEmpty ? "" : "  \(values)")
  }

  /// The values of a change, or the names of its properties.
  static func values(_ change: HistoryChange) -> String {
    let (old, new) = (change.old, change.new)
    let names =
      change.properties.isEmpty ? Set(old.keys).union(new.keys).sorted() : change.properties
    return names.map { name in
      switch (old[name], new[name]) {
      case (let old?, let new?): "\(name): \(old.text) → \(new.text)"
      case (let value?, nil), (nil, let value?): "\(name): \(value.text)"
      case (nil, nil): name
      }
    }.joined(separator: ", ")
  }
}
