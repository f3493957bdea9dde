import DepotLinux
import Foundation

/// The programs under test.
package enum Programs {
  /// Where they are: what `make test` built, or what `swift build` left beside the tests.
  package static let folder =
    ProcessInfo.processInfo.environment["DEPOT_PROGRAMS"] ?? root + "/.build/debug"

  /// Whether they were built for users.
  package static var areRelease: Bool { folder.hasSuffix("/release") }

  /// Whether the services that tests start keep their stores in a PostgreSQL cluster, which Tests/cluster/run starts.
  package static let keepStoresInCluster =
    ProcessInfo.processInfo.environment["DEPOT_TEST_ENGINE"] == "postgres"

  /// The folder of the package.
  package static let root: String = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  /// The service; where stores are kept in a cluster, a script that gives its store a database there.
  package static var daemon: String {
    (keepStoresInCluster ? root + "/Tests/cluster" : folder) + "/depotd"
  }
  package static var depot: String { folder + "/depot" }
  package static var demo: String { folder + "/depot-demo" }

  /// Whether this machine has a program that isn't of the package.
  package static func isInstalled(_ name: String) -> Bool { DepotLinux.Process.isInPath(name) }

  /// A program of the package as it was built with the tests.
  package static func besideTests(_ name: String) -> String {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: name).path
  }

  /// The options with which the compiler finds the modules that the tests were built with.
  package static var moduleOptions: [String] {
    let modules = [
      "CDepotLinux", "CDepotSQLite", "CDepotProtocol/include", "CDepotVersion/include",
    ]
    return ([besideTests("Modules")] + modules.map { "\(root)/Sources/\($0)" })
      .flatMap { ["-I", $0] }
  }

  /// The options with which the compiler finds the macros of these modules.
  package static var pluginOptions: [String] {
    ["-load-plugin-executable", besideTests("DepotMacroPlugin-tool") + "#DepotMacroPlugin"]
  }

  /// What the compiler needs to link a program with `SwiftData`: what the build linked one with.
  ///
  /// - Throws: A `CocoaError` if the build has left no list of that.
  package static var linkOptions: [String] {
    get throws {
      let list = besideTests("library-user.product") + "/Objects.LinkFileList"
      return try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n")
        .map(String.init).filter { !$0.contains("/library_user.build/") } + ["-lsqlite3"]
    }
  }

  /// Whether the tests run as root, so that they can become other users.
  package static var isRoot: Bool { DepotLinux.Process.user == 0 }
}
