internal import DepotClient
internal import DepotProtocol
internal import Foundation
internal import Synchronization

/// The idle connections to one store.
final class ConnectionPool: Sendable {
  /// How many are kept; other programs may need some too.
  private static let limit = 8

  private let idle = Mutex<[Unshared<BlockingConnection>]>([])

  /// Returns the connection that was used last, for the caller alone.
  func take() -> BlockingConnection? { idle.withLock { $0.popLast() }?.value }

  /// Keeps a connection that its user doesn't need any more.
  func give(_ connection: BlockingConnection) {
    let connection = Unshared(value: connection)
    idle.withLock { idle in
      if idle.count < Self.limit { idle.append(connection) }
    }
  }

  /// Drops all connections, whose service has ended.
  func clear() {
    let lost = idle.withLock { idle in
      defer { idle = [] }
      return idle
    }
    withExtendedLifetime(lost) {}
  }
}

extension StoreHandle {
  /// How long a caller waits while the service has its maximum of connections.
  private static let patience = Duration.seconds(30)

  /// Runs a function with a connection that nobody else uses meanwhile.
  ///
  /// - Throws: ``SwiftDataError/storeFailure`` if nothing answers, and errors of `body`.
  func borrow<Result>(_ body: (BlockingConnection) throws -> Result) throws -> Result {
    let connection = try take()
    do {
      let result = try body(connection)
      give(connection)
      return result
    } catch {
      giveUp(connection, error)
      throw error
    }
  }

  /// Takes a connection, which is new if there is no other; blocks.
  ///
  /// - Throws: ``SwiftDataError/storeFailure`` if nothing answers.
  func take() throws -> BlockingConnection {
    let end = ContinuousClock.now + Self.patience
    while true {
      if let known = connections.take() {
        known.observer = observer
        return known
      }
      do {
        return try connect()
      } catch let error as SwiftDataError
        where error.serviceError?.code == .tooManyConnections
        && ContinuousClock.now < end
      {
        Thread.sleep(forTimeInterval: 0.005)
      }
    }
  }

  /// Gives a connection back.
  func give(_ connection: BlockingConnection) {
    // In a stage there is but one, which ends with the stage.
    if isShared { connections.give(connection) }
  }

  /// Gives a connection back after an error, unless the error ended it.
  func giveUp(_ connection: BlockingConnection, _ error: any Error) {
    if error.isLostConnection { return connections.clear() }
    let cause = (error as? DepotError) ?? (error as? SwiftDataError)?.serviceError
    if cause?.code.class != "protocol" { give(connection) }
  }
}

extension Error {
  /// Whether a service went away, so that another connection may help.
  var isLostConnection: Bool {
    let cause = (self as? DepotError) ?? (self as? SwiftDataError)?.serviceError
    return cause?.code == .disconnected || cause?.code == .noService || cause?.code == .draining
  }
}
