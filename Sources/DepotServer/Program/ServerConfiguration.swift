package import DepotEngine
internal import DepotLinux
package import DepotProtocol

/// How a service is set up: by its arguments, and by a file of the same settings.
package struct ServerConfiguration: Sendable {
  package var socketPath: String
  package var storePath: String
  /// The access by the arguments; at a reload it stays.
  private var argumentAccess = AccessPolicy()
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
  /// Whether to go on with what is there if something of the store is gone.
  package var acceptsLoss = false
  /// From which size of a store's log on reads and pins are ended to let it begin anew.
  package var logBytes = 256 << 20
  package var logFormat = ServerLog.Format.text
  /// Whether the log is written nowhere.
  package var isSilent = false
  /// Whether the standard output is told that the service answers, or why it can't.
  package var reportsStart = false
  /// How much of their histories stores keep.
  package var history = HistoryRetention()
  /// The file that settings were read from, and are again at SIGHUP.
  package var file: String?

  /// Creates the settings that hold when nothing else is said.
  package init() {
    socketPath = ServicePlaces.socket
    storePath = ServicePlaces.store
  }

  /// The access by both.
  package var access: AccessPolicy {
    var access = argumentAccess
    access.formUnion(fileAccess)
    return access
  }

  /// Applies one setting, by its name without hyphens.
  ///
  /// - Throws: ``DepotError`` `request.usage` if there is no such setting, or no such value for it.
  package mutating func apply(_ name: String, _ value: String) throws(DepotError) {
    switch name {
    case "socket": socketPath = value
    case "store": storePath = value
    case "data": storePath = value + "/depot.sqlite"
    case "allow-uid":
      argumentAccess.allowedUsers.insert(UInt32(try number(name, value, 0...0xFFFF_FFFE)))
    case "allow-gid":
      argumentAccess.allowedGroups.insert(UInt32(try number(name, value, 0...0xFFFF_FFFE)))
    case "read-only-uid":
      argumentAccess.readOnlyUsers.insert(UInt32(try number(name, value, 0...0xFFFF_FFFE)))
    case "max-connections": maximumConnections = try number(name, value, 1...100_000)
    case "slow-ms": slowMilliseconds = try number(name, value, 0...86_400_000)
    case "drain-ms": drainMilliseconds = try number(name, value, 0...86_400_000)
    case "stall-ms": stallMilliseconds = try number(name, value, 100...86_400_000)
    case "pin-ms": pinMilliseconds = try number(name, value, 1...86_400_000)
    case "log-mib": logBytes = try number(name, value, 8...1 << 20) << 20
    case "history-age": history.age = try duration(name, value)
    case "history-bytes": history.bytes = try size(name, value)
    case "history-consumer-age": history.consumerAge = try duration(name, value)
    case "log-format":
      guard let format = ServerLog.Format(rawValue: value) else {
        throw DepotError(.usage, "--log-format is text or json, not \"\(value)\".")
      }
      logFormat = format
    default:
      let nearest = Spelling.nearest(to: name, in: Self.names)
      throw DepotError(.usage, "There is no setting \"\(name)\".")
        .hint(nearest.map { "Did you mean \"\($0)\"?" } ?? "See depotd --help.")
    }
  }

  /// The names of the settings.
  package static let names = [
    "socket", "store", "data", "allow-uid", "allow-gid", "read-only-uid", "max-connections",
    "slow-ms", "drain-ms", "stall-ms", "pin-ms", "log-mib", "history-age", "history-bytes",
    "history-consumer-age", "log-format",
  ]

  private func number(
    _ name: String,
    _ text: String,
    _ range: ClosedRange<Int>
  ) throws(DepotError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw DepotError(
        .usage,
        "\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\"."
      )
    }
    return number
  }

  /// Reads a time as in `90`, `15m`, `12h`, or `30d`; without a letter it is in seconds.
  private func duration(_ name: String, _ text: String) throws(DepotError) -> Double {
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
    return Double(try number(name, text, units, "90s, 15m, 12h, or 30d"))
  }

  /// Reads a size as in `1000`, `64K`, `512M`, or `2G`.
  private func size(_ name: String, _ text: String) throws(DepotError) -> Int64 {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    return Int64(try number(name, text, units, "1000, 64K, 512M, or 2G"))
  }

  private func number(
    _ name: String,
    _ text: String,
    _ units: [Character: Int],
    _ examples: String
  ) throws(DepotError) -> Int {
    let unit = text.last.flatMap { units[$0] }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard let number = Int(digits), 0...1_000_000_000_000 ~= number else {
      throw DepotError(.usage, "\(name) takes a value as in \(examples), not \"\(text)\".")
    }
    return number * (unit ?? 1)
  }

  /// Applies the settings in a file: on each line a name and a value; `#` begins a comment.
  ///
  /// - Throws: ``DepotError`` `notfound.file` if it can't be read, `request.usage` with the line if
  ///   a setting is wrong.
  package mutating func read(file path: String) throws(DepotError) {
    file = path
    guard let bytes = FileSystem.contents(of: path, limit: 1 << 20) else {
      throw DepotError(.fileNotFound, "The configuration \(path) can't be read.")
    }
    let own = argumentAccess
    argumentAccess = AccessPolicy()
    defer {
      fileAccess.formUnion(argumentAccess)
      argumentAccess = own
    }
    // Split as bytes: "\r\n" is one character.
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, bytes) in lines.enumerated() {
      let line = String(decoding: bytes, as: UTF8.self)
      let words = line.prefix { $0 != "#" }.split(
        maxSplits: 1,
        whereSeparator: { $0 == " " || $0 == "\t" }
      )
      guard let name = words.first else { continue }
      let value = words.dropFirst().first.map(String.init) ?? ""
      do throws(DepotError) {
        try apply(String(name), value.trimmingSpaces)
      } catch {
        throw error.at("\(path):\(index + 1)")
      }
    }
  }

  /// Returns the settings with what the file says now about access and slow calls.
  func reloaded() throws(DepotError) -> ServerConfiguration {
    guard let file else { return self }
    var fresh = self
    fresh.fileAccess = AccessPolicy()
    try fresh.read(file: file)
    return fresh
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    let trimmed = drop { $0 == " " || $0 == "\t" || $0 == "\r" }
    return String(trimmed.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }.reversed())
  }
}
