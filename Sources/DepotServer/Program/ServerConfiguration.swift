package import DepotEngine
internal import DepotLinux
package import DepotProtocol

/// How a service is set up: by its arguments, and by a file of the same settings.
package struct ServerConfiguration: Sendable {
  package var socketPath: String
  /// The path of the store's file; empty if none was named and this user has no home.
  package var storePath: String
  /// The database that the store lives in; `nil` if it lives in the file.
  var cluster: ClusterAddress?
  /// Where the copies of stores in clusters are; empty if nobody said and this user has no home.
  var cacheFolder = ServicePlaces.cache ?? ""
  /// For how long a service that is stopped may keep others of its store from writing.
  var turnSeconds = 20
  /// Whether the cluster may be an engine that nobody has tried.
  var allowsUncertified = false
  /// The access by the arguments; at a reload it stays.
  var argumentAccess = AccessPolicy()
  /// The access by the file.
  private var fileAccess = AccessPolicy()
  package var maximumConnections = Limits.connections
  /// From how long on a call is logged as slow.
  package var slowMilliseconds = 100
  /// How long running calls may take once the service is to end.
  package var drainMilliseconds = 10_000
  /// How long a client may take nothing, or leave a frame unfinished.
  package var stallMilliseconds = 30_000
  /// How long a pin may be kept.
  package var pinMilliseconds = 60_000
  /// Whether nothing may be written to the store.
  package var isReadOnly = false
  /// Whether to serve the remaining data if a part of the store is lost.
  package var acceptsLoss = false
  /// Whether a restore may replace a store that is there.
  var replacesStore = false
  /// From which size of a store's log on reads and pins are ended to let it begin anew.
  package var logBytes = 256 << 20
  package var logFormat = ServerLog.Format.text
  /// The file of the log; the standard error as it is if `nil`.
  package var logFile: String?
  /// From which size on that file begins anew.
  package var logFileBytes = 1 << 20
  /// That file, once it is open.
  var openLog: LogFile?
  /// Whether the log is written nowhere.
  package var isSilent = false
  /// Whether readiness, or the reason for a failed start, is written to the standard output.
  package var reportsStart = false
  /// How much of their histories stores keep.
  package var history = HistoryRetention()
  /// The file that settings were read from, and are again at SIGHUP.
  package var file: String?

  /// Creates the settings that hold when nothing else is said.
  package init() {
    socketPath = ServicePlaces.socket
    storePath = ServicePlaces.store ?? ""
  }

  /// The store by the name that it was given: a path, or the address of a database.
  var storeName: String { cluster?.text ?? storeFile }

  /// The store's file without links on the way to it, which SQLite doesn't follow.
  var storeFile: String { FileSystem.resolved(storePath) ?? storePath }

  /// Refuses a service that was told no place for its store, and has no home for it either.
  ///
  /// - Throws: ``DepotError`` `request.usage`.
  func requirePlace() throws(DepotError) {
    guard cluster == nil, storePath.isEmpty else { return }
    throw DepotError.homeless
      .hint("Set HOME or XDG_DATA_HOME, or name a place with --store or --data.")
  }

  /// Makes the folder for the copies of stores in clusters.
  ///
  /// - Throws: ``DepotError`` `request.usage` if there is no place for it, and others of class `storage` or
  ///   `permission`.
  func prepareCache() throws(DepotError) {
    guard !cacheFolder.isEmpty else {
      throw DepotError.homeless.hint("Set HOME or XDG_CACHE_HOME, or name a place with --cache.")
    }
    try DaemonCommand.prepareFolder(of: cacheFolder + "/")
  }

  /// Describes a store in a cluster, with the file of its local copy, the same at each start.
  func store(in cluster: ClusterAddress) -> StoreConfiguration {
    var address = cluster
    address.allowsUncertified = allowsUncertified
    address.turnSeconds = turnSeconds
    var hash = Checksum()
    let name = "\(socketPath)\n\(cluster.description)"
    Array(name.utf8).withUnsafeBytes { hash.add($0) }
    let file = String(hash.value, radix: 16)
    var store = StoreConfiguration(path: "\(cacheFolder)/\(file).store")
    store.cluster = address
    return store
  }

  /// The access by both.
  package var access: AccessPolicy {
    var access = argumentAccess
    access.formUnion(fileAccess)
    return access
  }

  /// Applies one setting, by its name without hyphens.
  ///
  /// - Throws: ``DepotError`` `request.usage` if the setting or its value is invalid, or an error
  ///   of `value`.
  package mutating func apply(
    _ name: String,
    _ value: @autoclosure () throws(DepotError) -> String
  ) throws(DepotError) {
    guard let setting = Setting.all.first(where: { $0.name == name }) else {
      let nearest = Spelling.nearest(to: name, in: Setting.all.map(\.name))
      throw DepotError(.usage, "There is no setting \"\(name)\".")
        .hint(nearest.map { "Did you mean \"\($0)\"?" } ?? "See depotd --help.")
    }
    try setting.apply(Setting.Argument(name: name, text: try value()), &self)
  }

  /// Applies the settings in a file: on each line a name and a value, perhaps with `=` between them; a `#`
  /// at the start of a line or behind a space begins a comment.
  ///
  /// - Throws: ``DepotError`` `notfound.file` if it can't be read, `request.usage` with the line if
  ///   a setting is wrong.
  package mutating func read(file path: String) throws(DepotError) {
    file = path
    guard var bytes = FileSystem.contents(of: path, limit: 1 << 20) else {
      throw DepotError(.fileNotFound, "The configuration \(path) can't be read.")
    }
    // A byte order mark, which some editors write.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    let own = argumentAccess
    argumentAccess = AccessPolicy()
    defer {
      fileAccess.formUnion(argumentAccess)
      argumentAccess = own
    }
    // Split as bytes: "\r\n" is one character.
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, bytes) in lines.enumerated() {
      guard let (name, value) = Self.setting(in: String(decoding: bytes, as: UTF8.self)) else {
        continue
      }
      try DepotError.at("\(path):\(index + 1)", try apply(name, value))
    }
  }

  /// Returns the name and the value on a line of a file; `nil` if there is no setting on it.
  private static func setting(in line: String) -> (name: String, value: String)? {
    var isBehindSpace = true
    let text = line.prefix { character in
      defer { isBehindSpace = character.isSpace }
      return !(character == "#" && isBehindSpace)
    }.trimmingSpaces
    guard !text.isEmpty else { return nil }
    let name = text.prefix { !$0.isSpace && $0 != "=" }
    let rest = text.dropFirst(name.count).trimmingSpaces
    return (String(name), String(rest.first == "=" ? rest.dropFirst().trimmingSpaces : rest))
  }

  /// Returns the settings with the file's present rules for access and slow calls.
  func reloaded() throws(DepotError) -> ServerConfiguration {
    guard let file else { return self }
    var fresh = self
    fresh.fileAccess = AccessPolicy()
    try fresh.read(file: file)
    return fresh
  }
}

extension DepotError {
  /// The error that nothing says where a user's files are to be.
  fileprivate static var homeless: DepotError {
    DepotError(.usage, "User \(Process.user) has no home, by the environment or the system.")
  }
}

extension Character {
  fileprivate var isSpace: Bool { self == " " || self == "\t" || self == "\r" }
}

extension Substring {
  fileprivate var trimmingSpaces: Substring {
    let start = drop(while: \.isSpace)
    let end = start.lastIndex { !$0.isSpace }
    return end.map { start[...$0] } ?? ""
  }
}
