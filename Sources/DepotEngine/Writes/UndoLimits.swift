/// The limits of the changes that an undo has in memory at once.
///
/// A larger transaction is read and written in parts, which one transaction commits together.
package struct UndoLimits: Hashable, Sendable {
  /// The number of rows.
  package var rows = 16_384
  /// The size in bytes of the values of rows.
  package var bytes = 16 << 20
  /// The size in bytes of the values that wait for unique values of other rows.
  package var waitingBytes = 256 << 20

  package init() {}
}
