internal import Foundation

/// The folder of stores that are configured only by a name.
enum StoreFolder {
  /// `$XDG_DATA_HOME/depot`, or `~/.local/share/depot`.
  static var `default`: URL {
    let environment = ProcessInfo.processInfo.environment
    let home =
      environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
      ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/share")
    return home.appendingPathComponent("depot")
  }
}
