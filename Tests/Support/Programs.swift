import DepotLinux
import Foundation

/// The programs under test.
package enum Programs {
  /// Where they are: what `make test` built, or what `swift build` left beside the tests.
  package static let folder =
    ProcessInfo.processInfo.environment["DEPOT_PROGRAMS"] ?? root + "/.build/debug"

  /// Whether they were built for users.
  package static var areRelease: Bool { folder.hasSuffix("/release") }

  /// The folder of the package.
  package static let root: String = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  package static var daemon: String { folder + "/depotd" }
  package static var depot: String { folder + "/depot" }

  /// A program of the package as it was built with the tests.
  package static func besideTests(_ name: String) -> String {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: name).path
  }

  /// Whether the tests run as root, so that they can become other users.
  package static var isRoot: Bool { DepotLinux.Process.user == 0 }
}
