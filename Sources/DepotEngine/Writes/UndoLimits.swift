/// The size of changes that an undo has in memory at once.
///
/// A larger transaction is undone in parts, in one transaction too.
package struct UndoLimits: Hashable, Sendable {
  /// The number of rows.
  package var rows = 16_384
  /// The size in bytes of the values of rows.
  package var bytes = 16 << 20
  /// The size in bytes of the values that wait for unique values of other rows.
  package var waitingBytes = 256 << 20

  package init() {}
}
