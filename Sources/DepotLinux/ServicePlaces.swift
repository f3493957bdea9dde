/// Where a user's service and its store are, unless somebody says otherwise.
package enum ServicePlaces {
  /// The socket that `$DEPOT_SOCKET` names, else ``ownSocket``.
  package static var socket: String { Process.environment("DEPOT_SOCKET") ?? ownSocket }

  /// `depot/depot.sock` in `$XDG_RUNTIME_DIR`, or `/tmp/depot-UID/depot.sock`.
  package static var ownSocket: String {
    guard let folder = Process.environment("XDG_RUNTIME_DIR") else {
      return "/tmp/depot-\(Process.user)/depot.sock"
    }
    return folder + "/depot/depot.sock"
  }

  /// `depot/depot.sqlite` in `$XDG_DATA_HOME`, or in `~/.local/share`.
  package static var store: String { data + "/depot/depot.sqlite" }

  /// `$CACHE_DIRECTORY` of a unit, else `depot` in `$XDG_CACHE_HOME`, or in `~/.cache`.
  package static var cache: String {
    if let folder = Process.environment("CACHE_DIRECTORY") { return folder }
    let caches =
      Process.environment("XDG_CACHE_HOME") ?? (Process.environment("HOME") ?? "/tmp") + "/.cache"
    return caches + "/depot"
  }

  private static var data: String {
    Process.environment("XDG_DATA_HOME")
      ?? (Process.environment("HOME") ?? "/tmp") + "/.local/share"
  }
}
