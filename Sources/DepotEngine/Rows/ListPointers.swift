/// The JSON pointers of a list of a save and of its rows.
///
/// Errors name them; as every save needs them and few fail, those of the first lists are made once.
struct ListPointers {
  let list: String
  let rows: String

  private init(_ member: String, _ index: Int) {
    list = "/args/\(member)/\(index)"
    rows = "\(list)/rows"
  }

  /// Returns the pointers of a list of rows to insert.
  static func insert(_ index: Int) -> ListPointers {
    index < firstInserts.count ? firstInserts[index] : ListPointers("insert", index)
  }

  /// Returns the pointers of a list of rows to change.
  static func update(_ index: Int) -> ListPointers {
    index < firstUpdates.count ? firstUpdates[index] : ListPointers("update", index)
  }

  private static let firstInserts = (0..<16).map { ListPointers("insert", $0) }
  private static let firstUpdates = (0..<16).map { ListPointers("update", $0) }
}
