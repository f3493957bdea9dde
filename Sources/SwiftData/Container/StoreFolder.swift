internal import Foundation

/// The folder in which stores are that a program gives only a name.
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
