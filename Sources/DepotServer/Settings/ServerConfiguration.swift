package import DepotEngine
internal import DepotLinux
package import DepotProtocol

/// The configuration of a service, from its arguments and a file of settings.
package struct ServerConfiguration: Sendable {
  package var socketPath: String
  /// The path of the store's file; empty if none is configured and this user has no home folder.
  package var storePath: String
  /// The database of the store; `nil` if the store is a file.
  var cluster: ClusterAddress?
  /// The folder for local copies of clusters' stores; empty if unknown and this user has no home.
  var cacheFolder = ServicePaths.cache ?? ""
  /// The longest time in seconds that a suspended service may keep other services from writing.
  var turnSeconds = 20
  /// Whether the cluster may be an engine that Depot wasn't tested with.
  var allowsUncertified = false
  /// The access rules of the arguments, which a reload keeps.
  var argumentAccess = AccessPolicy()
  /// The access rules of the file.
  private var fileAccess = AccessPolicy()
  package var maximumConnections = Limits.connections
  /// The duration from which a call is logged as slow, in milliseconds.
  package var slowMilliseconds = 100
  /// The time for running calls to finish when the service ends, in milliseconds.
  package var drainMilliseconds = 10_000
  /// The longest time in milliseconds that a client may not read, or leave a frame incomplete.
  package var stallMilliseconds = 30_000
  /// The longest time that a pin is kept, in milliseconds.
  package var pinMilliseconds = 60_000
  /// Whether the store is read-only.
  package var isReadOnly = false
  /// Whether to serve the remaining data if a part of the store is lost.
  package var acceptsLoss = false
  /// Whether a restore may replace an existing store.
  var replacesStore = false
  /// The size of a store's log above which reads and pins are ended so that it can restart.
  package var logBytes = 256 << 20
  package var logFormat = ServerLog.Format.text
  /// The path of the log file; `nil` for the standard error as it is.
  package var logFile: String?
  /// The size above which the log file is rotated.
  package var logFileBytes = 1 << 20
  /// The log file, once it is open.
  var openLog: LogFile?
  /// Whether no log is written.
  package var isSilent = false
  /// Whether readiness, or the reason for a failed start, is written to the standard output.
  package var reportsStart = false
  /// The limits on the stores' histories.
  package var history = HistoryRetention()
  /// The file of the settings, which is read again at SIGHUP.
  package var file: String?

  /// Creates the default settings.
  package init() {
    socketPath = ServicePaths.socket
    storePath = ServicePaths.store ?? ""
  }

  /// The store's name as configured: a path, or the address of a database.
  var storeName: String { cluster?.text ?? storeFile }

  /// The store's file with symbolic links resolved, since SQLite doesn't follow them.
  var storeFile: String { FileSystem.resolved(storePath) ?? storePath }

  /// Refuses a service without a path for its store, if this user has no home folder.
  ///
  /// - Throws: ``DepotError`` `request.usage`.
  func requirePlace() throws(DepotError) {
    guard cluster == nil, storePath.isEmpty else { return }
    throw DepotError.homeless
      .hint("Set HOME or XDG_DATA_HOME, or name a place with --store or --data.")
  }

  /// Creates the folder for local copies of clusters' stores.
  ///
  /// - Throws: ``DepotError`` `request.usage` if there is no path for it, and others of class
  ///   `storage` or `permission`.
  func prepareCache() throws(DepotError) {
    guard !cacheFolder.isEmpty else {
      throw DepotError.homeless.hint("Set HOME or XDG_CACHE_HOME, or name a place with --cache.")
    }
    try FileSystem.prepareFolder(of: cacheFolder + "/")
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

  /// The combined access rules.
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
    let text = try value()
    guard !text.isEmpty else { throw Self.empty(name) }
    try setting.apply(Setting.Argument(name: name, text: text), &self)
  }

  /// Returns the error that the value of a setting is missing.
  static func empty(_ name: String) -> DepotError {
    DepotError(.usage, "\(name) needs a value.")
      .hint("If it is of a variable, that is unset. See depotd --help.")
  }

  /// Applies the settings in a file.
  ///
  /// Each line has a name and a value, optionally with `=` between them; a `#` at the start of a
  /// line or after a space begins a comment.
  ///
  /// - Throws: ``DepotError`` `notfound.file` if it can't be read, `request.usage` with the line if
  ///   a setting is wrong.
  package mutating func read(file path: String) throws(DepotError) {
    file = path
    guard var bytes = FileSystem.contents(of: path, limit: 1 << 20) else {
      throw DepotError(.fileNotFound, "The configuration \(path) can't be read.")
    }
    // Some editors write a byte order mark.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    let own = argumentAccess
    argumentAccess = AccessPolicy()
    defer {
      fileAccess.formUnion(argumentAccess)
      argumentAccess = own
    }
    // Bytes are split, since "\r\n" is one character.
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, bytes) in lines.enumerated() {
      guard let (name, value) = Self.setting(in: String(decoding: bytes, as: UTF8.self)) else {
        continue
      }
      try DepotError.at("\(path):\(index + 1)", try apply(name, value))
    }
  }

  /// Returns the name and the value of a line; `nil` if it has no setting.
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
  /// The error that no place for a user's files is configured.
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
