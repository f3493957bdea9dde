internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// A setting of `depotd`, as an option and as a line of its file: its parser and its help.
@Memberwise("name", "value", "help", "apply")
struct Setting: Sendable {
  /// The name without hyphens in front.
  let name: String
  /// The name of the value in the help.
  let value: String
  /// The meaning, with the default in brackets if there is one.
  let help: String
  /// Applies a value.
  let apply: @Sendable (Argument, inout ServerConfiguration) throws(DepotError) -> Void

  /// A value as written, with the setting's name for error messages.
  struct Argument: Sendable {
    let name: String
    let text: String
  }

  private init(
    _ name: String,
    number path: any WritableKeyPath<ServerConfiguration, Int> & Sendable,
    in range: ClosedRange<Int>,
    _ help: String
  ) {
    self.init(name, "N", help) { (argument, configuration) throws(DepotError) in
      configuration[keyPath: path] = try argument.number(in: range)
    }
  }

  /// All settings, in the order of the help.
  static let all = places + access + limits + history + logging

  private static let places = [
    Setting(
      "socket",
      "PATH",
      "where to listen; at most 107 bytes [$DEPOT_SOCKET, $XDG_RUNTIME_DIR/depot/depot.sock, "
        + "/tmp/depot-UID/depot.sock]"
    ) { $1.socketPath = $0.text },
    Setting(
      "store",
      "FILE",
      "the store's file [$XDG_DATA_HOME/depot/depot.sqlite], or the address of a PostgreSQL database, "
        + "postgresql://USER@HOST,…/NAME"
    ) { (argument, configuration) throws(DepotError) in
      if ContainerStore.isDatabase(argument.text) {
        configuration.cluster = try ClusterAddress(argument.text)
      } else {
        configuration.cluster = nil
        configuration.storePath = argument.text
      }
    },
    Setting(
      "cache",
      "FOLDER",
      "where the copies of stores in databases are [$CACHE_DIRECTORY, $XDG_CACHE_HOME/depot]"
    ) {
      $1.cacheFolder = $0.text
    },
    Setting("data", "FOLDER", "the same as --store FOLDER/depot.sqlite") {
      $1.cluster = nil
      $1.storePath = $0.text + "/depot.sqlite"
    },
  ]

  private static let access = [
    Setting(
      "allow-user",
      "USER",
      "let this user, a name or a number, read and write too; may be repeated"
    ) { (argument, configuration) throws(DepotError) in
      configuration.argumentAccess.allowedUsers.insert(try argument.user())
    },
    Setting(
      "allow-group",
      "GROUP",
      "let the members of this group, a name or a number, read and write too, whether it is their "
        + "primary group or a supplementary one; may be repeated"
    ) { (argument, configuration) throws(DepotError) in
      configuration.argumentAccess.allowedGroups.insert(try argument.group())
    },
    Setting(
      "read-only-user",
      "USER",
      "let this user read, even if another setting lets it write; may be repeated"
    ) { (argument, configuration) throws(DepotError) in
      configuration.argumentAccess.readOnlyUsers.insert(try argument.user())
    },
    Setting(
      "read-only-group",
      "GROUP",
      "let the members of this group read, unless they may write as users; may be repeated"
    ) { (argument, configuration) throws(DepotError) in
      configuration.argumentAccess.readOnlyGroups.insert(try argument.group())
    },
    Setting("allow-uid", "N", "the same as --allow-user N") {
      (argument, configuration) throws(DepotError) in
      configuration.argumentAccess.allowedUsers.insert(try argument.identifier())
    },
    Setting("allow-gid", "N", "the same as --allow-group N") {
      (argument, configuration) throws(DepotError) in
      configuration.argumentAccess.allowedGroups.insert(try argument.identifier())
    },
    Setting("read-only-uid", "N", "the same as --read-only-user N") {
      (argument, configuration) throws(DepotError) in
      configuration.argumentAccess.readOnlyUsers.insert(try argument.identifier())
    },
  ]

  private static let limits = [
    Setting(
      "max-connections",
      number: \.maximumConnections,
      in: 1...100_000,
      "how many connections may be open at once [256]"
    ),
    Setting(
      "drain-ms",
      number: \.drainMilliseconds,
      in: 0...86_400_000,
      "how long running calls may take at the end [10000]"
    ),
    Setting(
      "stall-ms",
      number: \.stallMilliseconds,
      in: 100...86_400_000,
      "how long a client may take no answers but rows, or leave a frame unfinished [30000]"
    ),
    Setting(
      "turn-seconds",
      number: \.turnSeconds,
      in: 1...3600,
      "for how long a service of a store in a database that is stopped, or cut off, keeps the others "
        + "from writing [20]"
    ),
    Setting(
      "pin-ms",
      number: \.pinMilliseconds,
      in: 1...86_400_000,
      "how long a client may keep a pin that it doesn't read [60000]"
    ),
    Setting(
      "log-mib",
      "N",
      "from which size of a store's write-ahead log on streams and pins are ended [256]"
    ) { (argument, configuration) throws(DepotError) in
      configuration.logBytes = try argument.number(in: 8...1 << 20) << 20
    },
  ]

  private static let history = [
    Setting(
      "history-age",
      "TIME",
      "how long the history is kept, as in 90s, 15m, 12h, or 30d [30d]"
    ) { (argument, configuration) throws(DepotError) in
      configuration.history.age = try argument.duration()
    },
    Setting("history-bytes", "SIZE", "how much of it is kept, as in 64K, 512M, or 2G [1G]") {
      (argument, configuration) throws(DepotError) in
      configuration.history.bytes = Int64(try argument.size())
    },
    Setting(
      "history-consumer-age",
      "TIME",
      "how long transactions that a consumer hasn't read are kept in any case [7d]"
    ) { (argument, configuration) throws(DepotError) in
      configuration.history.consumerAge = try argument.duration()
    },
  ]

  private static let logging = [
    Setting(
      "slow-ms",
      number: \.slowMilliseconds,
      in: 0...86_400_000,
      "log calls that take longer than this [100]"
    ),
    Setting("log-format", "FORMAT", "text or json [text]") {
      (argument, configuration) throws(DepotError) in
      guard let format = ServerLog.Format(rawValue: argument.text) else {
        throw DepotError(.usage, "log-format is text or json, not \"\(argument.text)\".")
      }
      configuration.logFormat = format
    },
    Setting(
      "log-file",
      "FILE",
      "where to log instead of the standard error; at log-file-bytes a new file begins, and the "
        + "old one is kept beside it, with the suffix .1; SIGHUP opens it again"
    ) { $1.logFile = $0.text },
    Setting("log-file-bytes", "SIZE", "how large that file may get [1M]") {
      (argument, configuration) throws(DepotError) in
      configuration.logFileBytes = max(4096, try argument.size())
    },
  ]
}

extension Setting.Argument {
  /// - Throws: ``DepotError`` `request.usage` unless it is a number in a range.
  fileprivate func number(in range: ClosedRange<Int>) throws(DepotError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw DepotError(
        .usage,
        "\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\"."
      )
    }
    return number
  }

  /// Reads the number of a user or a group.
  fileprivate func identifier() throws(DepotError) -> UInt32 {
    UInt32(try number(in: 0...0xFFFF_FFFE))
  }

  /// Reads the name or the number of a user.
  ///
  /// - Throws: ``DepotError`` `request.usage` if the user is unknown.
  fileprivate func user() throws(DepotError) -> UInt32 {
    if let user = UserDatabase.user(text) { return user }
    throw DepotError(.usage, "\(name): there is no user \"\(text)\".")
      .hint("The system's users: getent passwd")
  }

  /// Reads the name or the number of a group.
  ///
  /// - Throws: ``DepotError`` `request.usage` if the group is unknown.
  fileprivate func group() throws(DepotError) -> UInt32 {
    if let group = UserDatabase.group(text) { return group }
    throw DepotError(.usage, "\(name): there is no group \"\(text)\".")
      .hint("The system's groups: getent group")
  }

  /// Reads a duration such as `90`, `15m`, `12h`, or `30d`, in seconds.
  fileprivate func duration() throws(DepotError) -> Double {
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
    return Double(try number(units, "90s, 15m, 12h, or 30d"))
  }

  /// Reads a size such as `1000`, `64K`, `512M`, or `2G`, in bytes.
  fileprivate func size() throws(DepotError) -> Int {
    try number(["K": 1 << 10, "M": 1 << 20, "G": 1 << 30], "1000, 64K, 512M, or 2G")
  }

  private func number(
    _ units: [Character: Int],
    _ examples: String
  ) throws(DepotError) -> Int {
    let unit = text.last.flatMap { units[$0] }
    let digits = unit == nil ? text[...] : text.dropLast()
    let product = Int(digits)?.multipliedReportingOverflow(by: unit ?? 1)
    guard let (number, isOver) = product, !isOver, 0...Int.max >> 1 ~= number else {
      throw DepotError(.usage, "\(name) takes a value as in \(examples), not \"\(text)\".")
    }
    return number
  }
}
