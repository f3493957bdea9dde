internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol
internal import Glibc

/// The task that `depotd` was given.
package enum DaemonCommand {
  case serve(ServerConfiguration)
  /// Serve in the place of the service that has the socket now.
  case takeOver(ServerConfiguration)
  /// Examine the configuration and the whole store, and end.
  case check(ServerConfiguration)
  case printProtocol
  case printHelp
  case printVersion

  /// Does what this process's arguments say.
  ///
  /// - Returns: The status with which the process should end.
  package static func run() -> Int32 {
    Process.openStandardDescriptors()
    // What the service makes is its owner's; the socket gets its own mode.
    umask(0o077)
    do throws(DepotError) {
      return try parse(Process.arguments).run()
    } catch {
      if Process.arguments.contains(Self.reportOption) { StartReport.failed(error).send() }
      var message = "depotd: \(error.message)\n"
      if let at = error.at { message += "  at: \(at)\n" }
      if let hint = error.hint { message += "  hint: \(hint)\n" }
      message.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
      return error.code == .busy ? 75 : error.code.exitStatus
    }
  }

  /// Reads the arguments of `depotd`.
  ///
  /// - Throws: ``DepotError`` `request.usage` if they can't be understood, `notfound.file` if the
  ///   configuration can't be read.
  static func parse(_ arguments: [String]) throws(DepotError) -> DaemonCommand {
    var configuration = ServerConfiguration()
    var isCheck = false
    var isTakeover = false
    var rest = arguments.dropFirst()
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": return .printHelp
      case "--version": return .printVersion
      case "--print-protocol": return .printProtocol
      case "--check": isCheck = true
      case "--takeover": isTakeover = true
      case "--read-only": configuration.isReadOnly = true
      case "--accept-loss": configuration.acceptsLoss = true
      case reportOption: configuration.reportsStart = true
      default:
        guard argument.hasPrefix("--") else {
          throw DepotError(.usage, "depotd takes options only, not \"\(argument)\".")
            .hint("See depotd --help.")
        }
        let parts = argument.dropFirst(2).split(
          separator: "=",
          maxSplits: 1,
          omittingEmptySubsequences: false
        )
        let name = String(parts[0])
        guard let value = parts.dropFirst().first.map(String.init) ?? rest.popFirst() else {
          throw DepotError(.usage, "--\(name) needs a value.").hint("See depotd --help.")
        }
        if name == "config" {
          try configuration.read(file: value)
        } else {
          try configuration.apply(name, value)
        }
      }
    }
    if isCheck { return .check(configuration) }
    return isTakeover ? .takeOver(configuration) : .serve(configuration)
  }

  private static let reportOption = "--report-start"

  private func run() throws(DepotError) -> Int32 {
    switch self {
    case .printHelp:
      print(Self.help, terminator: "")
    case .printVersion:
      print("depotd \(ProtocolVersion.software)")
    case .printProtocol:
      print(ProtocolDocument.json, terminator: "")
    case .check(let configuration):
      return try Self.check(configuration.storePath)
    case .serve(let configuration):
      try Self.prepareFolders(configuration)
      return try Server(configuration).run()
    case .takeOver(let configuration):
      try Self.prepareFolders(configuration)
      return try Server(configuration, takeover: Takeover.request(configuration)).run()
    }
    return 0
  }

  /// Says on the standard output what is wrong with a store, or that nothing is.
  private static func check(_ path: String) throws(DepotError) -> Int32 {
    guard let problems = try Store.check(path: path) else {
      print("There is no store at \(path) yet.")
      return 0
    }
    if problems.isEmpty { print("The store \(path) is sound.") }
    for problem in problems { print(problem) }
    return problems.isEmpty ? 0 : DepotError.Code.corrupt.exitStatus
  }

  private static func prepareFolders(_ configuration: ServerConfiguration) throws(DepotError) {
    try prepareFolder(of: configuration.socketPath)
    let fallback = "/tmp/depot-\(Process.user)"
    if configuration.socketPath.hasPrefix(fallback + "/"), !FileSystem.isPrivateFolder(fallback) {
      throw DepotError(.peer, "\(fallback) isn't a folder that only you can write to.")
        .hint("Set XDG_RUNTIME_DIR, or choose another place with --socket.")
    }
    try prepareFolder(of: configuration.storePath)
  }

  private static func prepareFolder(of path: String) throws(DepotError) {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
    let folder = String(path[..<slash])
    do throws(SystemError) {
      try FileSystem.createPrivateFolder(folder)
    } catch {
      throw DepotError(error, file: folder)
    }
  }

  private static let help = """
    depotd keeps a store, and those that clients open beside it, and answers on a Unix socket.

    Examples:
      depotd
      depotd --socket /run/depot/depot.sock --data /var/lib/depot
      depotd --check --store ./depot.sqlite

    Options:
      --socket PATH        where to listen; at most 107 bytes
                           [$DEPOT_SOCKET, $XDG_RUNTIME_DIR/depot/depot.sock, /tmp/depot-UID/depot.sock]
      --store FILE         the store's file [$XDG_DATA_HOME/depot/depot.sqlite]
      --data FOLDER        the same as --store FOLDER/depot.sqlite
      --allow-uid N        let this user read and write too; may be repeated
      --allow-gid N        let users of this primary group read and write too; may be repeated
      --read-only-uid N    let this user read; may be repeated
      --max-connections N  how many connections may be open at once [256]
      --slow-ms N          log calls that take longer than this [100]
      --drain-ms N         how long running calls may take at the end [10000]
      --stall-ms N         how long a client may take no answers, or leave a frame unfinished [30000]
      --pin-ms N           how long a client may keep a pin [60000]
      --log-mib N          from which size of a store's log on streams and pins are ended [256]
      --history-age TIME   how long the history is kept, as in 90s, 15m, 12h, or 30d [30d]
      --history-bytes SIZE
                           how much of it is kept, as in 64K, 512M, or 2G [1G]
      --history-consumer-age TIME
                           how long what a consumer hasn't read is kept all the same [7d]
      --log-format FORMAT  text or json, on the standard error [text]
      --config FILE        a file of these settings without the hyphens, one in each line;
                           SIGHUP reads who is let in and slow-ms from it again
      --takeover           take the place of the service at the socket: it finishes its calls and
                           hands the socket over, and no client is turned away; if this one fails,
                           the other goes on
      --read-only          write nothing to the store; so it is served in any case where its files can't
                           be written
      --accept-loss        go on with what is there if something of the store is gone, as it says when
                           it refuses to start; a log that doesn't belong there is set aside
      --report-start       write a line of JSON to the standard output when the service answers, with
                           the member "ready", or when it can't, with "err", and close it
      --check              examine the configuration and the whole store, say what is wrong, and end
      --print-protocol     print the protocol as JSON, and end
      --version            print the version, and end

    Signals: SIGTERM and SIGINT finish what runs and end; a second one ends at once.
    Exit status: 0 ended as asked, 64 wrong usage, 66 a file or folder is missing, 69 nothing can be
    written there, 70 the disk failed while it served, 74 the disk failed or has no room, or the store
    is damaged, as the message says, 75 another service has the store or the socket, 77 not permitted.

    """
}
