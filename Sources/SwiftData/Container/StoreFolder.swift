internal import DepotLinux
internal import Foundation

/// The folder of stores that are configured only by a name.
enum StoreFolder {
  /// `$XDG_DATA_HOME/depot`, or `~/.local/share/depot`, as for services; `nil` if this user has no home.
  static var `default`: URL? {
    ServicePaths.data.map { URL(fileURLWithPath: $0, isDirectory: true) }
  }

  /// A folder that nobody can make.
  static let none = URL(fileURLWithPath: "/dev/null", isDirectory: true)
}
