internal import DepotProtocol

/// A reference to a row by its identifier, as in `City/3`.
///
/// Exports write the store too, as in `City/3@0b8e4a52-…`, so that a number never means another
/// row in another store.
@Memberwise
struct RowReference: Hashable {
  var entity: String
  var identifier: Int64
  /// The identifier of the store.
  var store: String?

  /// - Returns: `nil` if the text isn't a reference.
  init?(_ text: String) {
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    guard let slash = parts[0].firstIndex(of: "/"), slash > parts[0].startIndex,
      let identifier = Int64(parts[0][parts[0].index(after: slash)...])
    else { return nil }
    self.init(
      entity: String(parts[0][..<slash]),
      identifier: identifier,
      store: parts.count > 1 ? String(parts[1]) : nil
    )
  }

  var text: String { "\(entity)/\(identifier)" + (store.map { "@\($0)" } ?? "") }
}
