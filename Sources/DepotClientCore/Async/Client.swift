internal import DepotLinux
internal import DepotProtocol

/// A client for any number of tasks, which share one connection.
///
/// - Cancelling a task cancels its call on the service. The call then throws `CancellationError`,
///   unless the service had done it already. A write that is sent again after a lost connection is
///   awaited all the same, since it may be stored.
/// - When the connection is lost, the client connects again. Reads are repeated once, and writes
///   are repeated with their idempotency key, so that they are applied once and their outcome is known.
///   If there is no connection within ``ClientOptions/retryBudget``, they fail with
///   `unavailable.disconnected`; a write that was sent then has the effect
///   ``DepotError/Effect/unknown`` and its key in `details`.
/// - Calls beyond the service's limit wait in the client.
/// - A thread of its own does all work that could block; rows are decoded away from the caller's
///   actor.
///
/// ```swift
/// let client = try await Client()
/// let packages = try await client.fetch(Package.self, where: #Predicate { $0.size > 10_000 })
/// for try await package in client.rows(Package.self) { … }
/// ```
public final class Client: Sendable {
  let core: ClientCore
  /// The client whose connection this one uses; `nil` if it has its own.
  private let owner: Client?
  /// The snapshot that this client reads; `nil` if it reads the latest values.
  public let snapshot: Snapshot?

  /// Connects to a service.
  ///
  /// - Parameters:
  ///   - socket: Where the service listens.
  ///   - start: The way to get a service if none answers, now and when the connection is lost.
  ///   - name: The name of this program in the service's statistics.
  ///   - options: How to behave.
  ///   - observer: The function called after each operation, on any thread.
  /// - Throws: ``DepotError`` `unavailable.service` if no service answers, `unavailable.busy` if one takes
  ///   the connection and says nothing for 30 s, `permission.peer` if it refuses this user or isn't to be
  ///   trusted, `protocol.version` if it is too old or too new, or why the service that was started can't
  ///   serve.
  public init(
    socket: SocketPath = .default,
    start: StartPolicy = .never,
    name: String = "swift",
    options: ClientOptions = ClientOptions(),
    observer: OperationObserver? = nil
  ) async throws {
    let core: ClientCore
    do throws(SystemError) {
      core = try ClientCore(options: options, observer: observer)
    } catch {
      throw DepotError(.busy, "There can be no more connections (\(error)).")
    }
    self.core = core
    owner = nil
    snapshot = nil
    try await withCheckedThrowingContinuation { (first: CheckedContinuation<Void, any Error>) in
      do throws(SystemError) {
        try Thread.start(name: "depot-client") {
          var loop = ClientLoop(core: core, socket: socket, start: start, name: name)
          loop.run { first.resume(with: $0) }
        }
      } catch {
        first.resume(throwing: DepotError(.busy, "There can be no more threads (\(error))."))
      }
    }
  }

  /// Makes a client that reads a snapshot over the connection of another client.
  init(of owner: Client, reading snapshot: Snapshot) {
    core = ClientCore(of: owner.core, pin: snapshot.pin)
    self.owner = owner
    self.snapshot = snapshot
  }

  deinit { close() }

  /// Ends the connection.
  ///
  /// Calls that wait for their outcome fail with `unavailable.disconnected`, and so do all later
  /// ones. The client also ends when the last reference to it is released.
  public func close() {
    if owner == nil { core.close(DepotError(.disconnected, "The client was closed.")) }
  }

  /// Returns when the client is closed, which it is when the task is cancelled.
  ///
  /// The client needs no task to do its work. This function is for programs that end their services
  /// in an order, as a `Service` of swift-service-lifecycle.
  public func run() async {
    let owner = owner ?? self
    await withTaskCancellationHandler {
      await withCheckedContinuation { end in
        core.update { state in
          if state.closure == nil {
            state.waitingForEnd.append(end)
          } else {
            state.consequences.ended.append(end)
          }
        }
      }
    } onCancel: {
      owner.close()
    }
  }

  /// Whether the loops over all watches have processed everything received, and wait for more.
  package var hasDrainedWatches: Bool {
    core.update { state in state.streams.values.allSatisfy { !$0.isWatch || $0.isDrained } }
  }
}

extension ClientCore {
  /// Fails all waiting and later calls, and ends the thread.
  func close(_ error: DepotError) {
    update { state in
      guard state.closure == nil else { return }
      state.closure = error
      state.descriptor = nil
      state.perform(state.table.failAll(error))
      state.consequences.ended += state.waitingForEnd
      state.waitingForEnd = []
      state.consequences.mustWake = true
    }
  }
}
