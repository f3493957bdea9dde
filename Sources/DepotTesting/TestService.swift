public import DepotClient
internal import DepotEmbedded
internal import DepotLinux
internal import DepotProtocol
internal import FoundationEssentials

/// A service in this process with a store in a temporary folder, for one test.
///
/// ```swift
/// @Test func `books are found`() async throws {
///   let service = try TestService()
///   let client = try await service.client()
///   try await client.define(Schema(for: Book.self))
///   …
/// }
/// ```
///
/// No other service is asked or started, and tests may run side by side. Programs that the test
/// starts reach it at ``socket``. The service and its folder are removed with the last reference to
/// this.
public final class TestService: Sendable {
  /// The folder of the store, for files of the test too.
  public let folder: String
  /// The file of the store.
  public let store: String
  /// Where other programs reach the service.
  public let socket: SocketPath
  private let access: StoreAccess

  /// Starts a service with an empty store.
  ///
  /// - Throws: ``DepotError`` `storage.io` if the folder can't be made, `unavailable.service` if this program
  ///   was built without the package's trait `Embedded`, and others of class `storage`.
  public init() throws {
    folder = try Self.makeFolder()
    store = folder + "/depot.sqlite"
    do throws(DepotError) {
      access = try StoreAccess(owning: store)
    } catch {
      Self.remove(folder)
      throw error
    }
    socket = access.socket ?? .default
  }

  deinit { Self.remove(folder) }

  /// Connects to the service.
  ///
  /// - Parameters:
  ///   - name: The name of the client in the service's statistics.
  ///   - options: How to behave.
  ///   - observer: The function called after each operation.
  /// - Returns: A client, for any number of tasks.
  /// - Throws: ``DepotError`` `limit.connections` if there are too many.
  public func client(
    name: String = "test",
    options: ClientOptions = ClientOptions(),
    observer: OperationObserver? = nil
  ) async throws -> Client {
    try await Client(socket: socket, name: name, options: options, observer: observer)
  }

  /// Returns a connection that waits for each answer, for a thread of the test's own.
  ///
  /// - Throws: ``DepotError`` `limit.connections` if there are too many.
  public func connection(observer: OperationObserver? = nil) throws -> BlockingConnection {
    try BlockingConnection(socket: socket, name: "test", observer: observer)
  }

  private static func makeFolder() throws(DepotError) -> String {
    // The path of a socket must be short, and $TMPDIR may be too long.
    let number = String(UInt64.random(in: 0 ... .max), radix: 36)
    let folder = "/tmp/depot-test-\(number)"
    do throws(SystemError) {
      try FileSystem.createNewPrivateFolder(folder)
    } catch {
      throw DepotError(.io, "The folder \(folder) can't be made (\(error)).")
    }
    return folder
  }

  private static func remove(_ folder: String) {
    do {
      try FileManager.default.removeItem(atPath: folder)
    } catch {
      Terminal.writeError("depot: The folder \(folder) of a test can't be removed: \(error)\n")
    }
  }
}
