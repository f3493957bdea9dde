/// A newer version of the row of an object whose own changes are based on an older one.
struct NewerRow {
  /// The version of the values that the program hasn't changed.
  var version: Int64
  /// The values of the changed properties, except to-many relationships, in that version.
  var slots: [Int: Slot] = [:]
  /// Whether the row is deleted.
  var isGone = false
}

extension ModelStorage {
  /// The version of the values that the program hasn't changed.
  ///
  /// All loaded values have this version; older rows can be skipped.
  final var knownVersion: Int64 { newer?.version ?? version }
}
