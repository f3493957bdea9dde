package import DepotProtocol

/// How often in a row a watch has begun again because a row was gone before its values were read.
package struct WatchRestarts: Sendable {
  private static let limit = 8

  private var count = 0

  package init() {}

  /// Counts another beginning.
  ///
  /// - Throws: ``DepotError`` `conflict.read` if there were too many.
  package mutating func begin() throws(DepotError) {
    guard count < Self.limit else {
      throw DepotError(.read, "Rows are deleted again and again while their values are read.")
    }
    count += 1
  }

  /// Forgets the beginnings, because all values were read.
  package mutating func end() { count = 0 }
}
