import Foundation
import Glibc
import Synchronization
import TestSupport

/// A folder that goes with this object, with stores that this process serves unless the environment says
/// otherwise.
final class TemporaryFolder: Sendable {
  let url: URL
  private let services = Mutex<[String: TestProcess]>([:])

  init() throws {
    _ = Self.isEmbedded
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("depot-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// Returns where a store of a name is.
  func path(_ name: String = "a") -> URL { url.appendingPathComponent(name + ".store") }

  /// Returns where a store of a name is, which has a service of its own if stores are kept in a cluster.
  func store(_ name: String = "a") throws -> URL {
    let store = path(name)
    try services.withLock { services in
      guard Programs.keepStoresInCluster, services[name] == nil else { return }
      services[name] = try TestProcess.service(of: store, at: store.path + ".socket")
    }
    return store
  }

  private static let isEmbedded = setenv("DEPOT_EMBEDDED", "1", 0) == 0

  deinit { try? FileManager.default.removeItem(at: url) }
}
