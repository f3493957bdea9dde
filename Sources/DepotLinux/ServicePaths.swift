/// The default paths of a user's service and its store.
package enum ServicePaths {
  /// The socket: `$DEPOT_SOCKET`, or else ``ownSocket``.
  package static var socket: String { Process.environment("DEPOT_SOCKET") ?? ownSocket }

  /// The default socket: `depot/depot.sock` in `$XDG_RUNTIME_DIR`, or `/tmp/depot-UID/depot.sock`.
  package static var ownSocket: String {
    guard let folder = Process.environment("XDG_RUNTIME_DIR") else {
      return "/tmp/depot-\(Process.user)/depot.sock"
    }
    return folder + "/depot/depot.sock"
  }

  /// The data folder: `depot` in `$XDG_DATA_HOME`, or in `~/.local/share`.
  ///
  /// It is `nil` if this user has no home folder.
  package static var data: String? {
    // A relative path must be ignored (XDG Base Directory Specification).
    let folder = Process.environment("XDG_DATA_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    return (folder ?? UserDatabase.home.map { $0 + "/.local/share" }).map { $0 + "/depot" }
  }

  /// The store: `depot.sqlite` in ``data``.
  package static var store: String? { data.map { $0 + "/depot.sqlite" } }

  /// The cache: `$CACHE_DIRECTORY` of a unit, else `depot` in `$XDG_CACHE_HOME` or `~/.cache`.
  ///
  /// It is `nil` if this user has no home folder.
  package static var cache: String? {
    if let folder = Process.environment("CACHE_DIRECTORY") { return folder }
    return (Process.environment("XDG_CACHE_HOME") ?? UserDatabase.home.map { $0 + "/.cache" })
      .map { $0 + "/depot" }
  }
}
