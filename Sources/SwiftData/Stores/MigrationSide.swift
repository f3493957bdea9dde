internal import DepotClient

/// One side of a stage that a program carries out: the store as it was, or the copy.
// because it is used on the thread alone that migrates
final class MigrationSide: @unchecked Sendable {
  /// `nil` after the stage.
  private var connection: BlockingConnection?

  init(_ connection: BlockingConnection) { self.connection = connection }

  /// - Throws: ``SwiftDataError/missingModelContext`` if the stage is over.
  func connect() throws -> BlockingConnection {
    if let connection { return connection }
    throw SwiftDataError(
      .missingModelContext,
      "The stage of the migration that this context belongs to is over.",
      hint: "Use a context of the container instead."
    )
  }

  /// Ends the use of the connection.
  func end() { connection = nil }
}
