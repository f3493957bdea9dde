/// The pointers to a save's list of rows and to the rows, for error messages.
///
/// Every save needs the pointers of its lists, so those of the first lists are cached.
struct ListPointers {
  let list: String
  let rows: String

  private init(_ member: String, _ index: Int) {
    list = "/args/\(member)/\(index)"
    rows = "\(list)/rows"
  }

  /// Returns the pointers of a list of inserted rows.
  static func insert(_ index: Int) -> ListPointers {
    index < firstInserts.count ? firstInserts[index] : ListPointers("insert", index)
  }

  /// Returns the pointers of a list of changed rows.
  static func update(_ index: Int) -> ListPointers {
    index < firstUpdates.count ? firstUpdates[index] : ListPointers("update", index)
  }

  private static let firstInserts = (0..<16).map { ListPointers("insert", $0) }
  private static let firstUpdates = (0..<16).map { ListPointers("update", $0) }
}
