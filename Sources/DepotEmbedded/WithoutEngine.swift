#if !Embedded
internal import DepotLinux
internal import DepotProtocol

/// A service inside this process, which a program that was built without the engine never has.
package final class EmbeddedService: Sendable {
  private init() {}

  static func existing(file path: String) -> EmbeddedService? { nil }

  /// - Throws: ``DepotError`` `unavailable.service`.
  static func inMemory(named name: String) throws(DepotError) -> EmbeddedService {
    throw .withoutEngine("have a store in memory")
  }

  /// - Throws: ``DepotError`` `unavailable.service`.
  func makeConnection() throws(DepotError) -> Descriptor { throw .withoutEngine("serve itself") }
}

extension RouteFinder {
  /// Says that this process can't become the service of the file.
  func becomeOwner() throws(Obstacle) -> Route {
    throw Obstacle(error: .withoutEngine("serve \(file.path), and no service does"), patience: 0)
  }
}

extension DepotError {
  /// The error that something needs the engine inside the program.
  fileprivate static func withoutEngine(_ task: String) -> DepotError {
    DepotError(.noService, "This program was built without the engine, so it can't \(task).")
      .hint("Install depotd, or build the program with the package trait Embedded.")
  }
}
#endif
