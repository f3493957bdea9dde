import DepotLinux
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

extension ModelContainer {
  /// Creates a container with a store of its own: in memory, or with a service that keeps it in a cluster.
  convenience init(storing types: any PersistentModel.Type...) throws {
    let folder = Programs.keepStoresInCluster ? try TemporaryFolder() : nil
    let configuration =
      try folder.map { ModelConfiguration(url: try $0.store()) }
      ?? ModelConfiguration(isStoredInMemoryOnly: true)
    try self.init(for: Schema(types), configurations: configuration)
    if let folder { OwnStore.keep(folder, for: core) }
  }
}

/// The folder of a container's store.
private struct OwnStore {
  weak var container: ContainerCore?
  let folder: TemporaryFolder

  private static let all = Mutex<[OwnStore]>([])

  /// Keeps a folder as long as a container is there, and lets others go.
  static func keep(_ folder: TemporaryFolder, for container: ContainerCore) {
    let old = all.withLock { all in
      let old = all.filter { $0.container == nil }
      all.removeAll { $0.container == nil }
      all.append(OwnStore(container: container, folder: folder))
      return old
    }
    withExtendedLifetime(old) {}
  }
}

extension TestProcess {
  /// Starts a `depotd` with a store, and waits until it answers.
  static func service(of store: URL, at socket: String) throws -> TestProcess {
    let process = try TestProcess(
      [Programs.daemon, "--socket", socket, "--store", store.path],
      output: .nothing,
      errors: .nothing
    )
    try expectSoon("the service doesn't answer") {
      guard process.isRunning else { throw CocoaError(.fileNoSuchFile) }
      return (try? UnixSocket.connect(path: socket)) != nil
    }
    return process
  }
}
