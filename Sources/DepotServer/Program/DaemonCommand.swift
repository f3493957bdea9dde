internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol
internal import DepotTables
internal import Glibc

/// The command of `depotd`.
package enum DaemonCommand {
  case serve(ServerConfiguration)
  /// Serve in place of the service that has the socket now.
  case takeOver(ServerConfiguration)
  /// Check the configuration and the whole store, and end.
  case check(ServerConfiguration)
  /// Replace the store by a backup, and end.
  case restore(String, ServerConfiguration)
  /// Convert an SQLite file into a folder of tables, or back, and end.
  case readTables(String, into: String)
  case writeTables(String, into: String)
  case printProtocol
  case printHelp
  case printManual
  case printVersion

  /// Executes the command given by this process's arguments.
  ///
  /// - Returns: The status with which the process should end.
  package static func run() -> Int32 {
    Process.openStandardDescriptors(isUsable: true)
    // New files are private to the owner; the socket gets its own mode.
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
    var backup: String?
    var (tables, folder, target): (String?, String?, String?) = (nil, nil, nil)
    var rest = arguments.dropFirst()
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": return .printHelp
      case "--version": return .printVersion
      case "--print-manual": return .printManual
      case "--print-protocol": return .printProtocol
      case "--check": isCheck = true
      case "--takeover": isTakeover = true
      case "--read-only": configuration.isReadOnly = true
      case "--accept-loss": configuration.acceptsLoss = true
      case "--allow-uncertified": configuration.allowsUncertified = true
      case "--replace": configuration.replacesStore = true
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
        func value() throws(DepotError) -> String {
          let value = parts.dropFirst().first.map(String.init) ?? rest.popFirst()
          if let value, !value.isEmpty { return value }
          throw ServerConfiguration.empty("--\(name)")
        }
        switch name {
        case "config": try configuration.read(file: value())
        case "restore": backup = try value()
        case "read-tables": tables = try value()
        case "write-tables": folder = try value()
        case "into": target = try value()
        default: try configuration.apply(name, value())
        }
      }
    }
    guard backup != nil || !configuration.replacesStore else {
      throw DepotError(.usage, "--replace goes with --restore.").hint("See depotd --help.")
    }
    try configuration.requirePlace()
    if let backup { return .restore(backup, configuration) }
    switch (tables, folder, target) {
    case (nil, nil, nil): break
    case (let file?, nil, let target?): return .readTables(file, into: target)
    case (nil, let folder?, let target?): return .writeTables(folder, into: target)
    default:
      throw DepotError(.usage, "--into goes with --read-tables or --write-tables.")
        .hint("See depotd --help.")
    }
    if isCheck { return .check(configuration) }
    return isTakeover ? .takeOver(configuration) : .serve(configuration)
  }

  private static let reportOption = "--report-start"

  private func run() throws(DepotError) -> Int32 {
    switch self {
    case .printHelp:
      print(DaemonHelp.text(width: Terminal.wantedWidth(1) ?? 80), terminator: "")
    case .printManual:
      print(DaemonHelp.manual, terminator: "")
    case .printVersion:
      print("depotd \(ProtocolVersion.build)")
    case .printProtocol:
      print(ProtocolDocument.json, terminator: "")
    case .check(let configuration):
      if let cluster = configuration.cluster { return try Self.check(cluster, configuration) }
      return try Self.check(configuration.storeFile)
    case .restore(let backup, let configuration):
      try Self.runRestore(of: backup, configuration)
    case .readTables(let file, let folder):
      try TablesFolder(folder).read(file)
      Self.reportDone()
    case .writeTables(let folder, let file):
      try TablesFolder(folder).write(file)
      Self.reportDone()
    case .serve(var configuration):
      try Self.prepare(&configuration)
      return try Server(configuration).run()
    case .takeOver(var configuration):
      try Self.prepare(&configuration)
      return try Server(configuration, takeover: Takeover.request(configuration)).run()
    }
    return 0
  }

  /// Prints the problems of a store, or that it has none.
  private static func check(_ path: String) throws(DepotError) -> Int32 {
    guard let problems = try Store.check(path: path) else {
      throw DepotError(.fileNotFound, "There is no store at \(path).")
        .hint("The first start makes one. Is the path right?")
    }
    if problems.isEmpty { print("The store \(path) is sound.") }
    for problem in problems { print(problem) }
    return problems.isEmpty ? 0 : DepotError.Code.corrupt.exitStatus
  }

  /// Prints the problems of a store in a cluster, and its durability there.
  private static func check(
    _ cluster: ClusterAddress,
    _ configuration: ServerConfiguration
  ) throws(DepotError) -> Int32 {
    let store = try copy(of: cluster, for: "checking", configuration)
    guard let findings = try ClusterCheck(address: store.address, path: store.path).run() else {
      throw DepotError(.fileNotFound, "There is no store in \(cluster.text).")
        .hint("The first start makes one. Is the address right?")
    }
    if findings.problems.isEmpty { print("The store in \(cluster.text) is sound.") }
    for problem in findings.problems { print(problem) }
    let state = findings.state
    print("It is \(state.safety.summary).")
    let (services, commits) = (findings.services, state.commitsSinceBase)
    print(services == 1 ? "1 service has it open." : "\(services) services have it open.")
    print(
      "\(commits) \(commits == 1 ? "commit" : "commits") since all its pages were written, "
        + "\(state.bytesSinceBase) bytes."
    )
    return findings.problems.isEmpty ? 0 : DepotError.Code.corrupt.exitStatus
  }

  /// Returns the path of a file for a copy of a cluster's store, beside the service's own copy.
  private static func copy(
    of cluster: ClusterAddress,
    for purpose: String,
    _ configuration: ServerConfiguration
  ) throws(DepotError) -> (address: ClusterAddress, path: String) {
    try configuration.prepareCache()
    let store = configuration.store(in: cluster)
    return (store.cluster ?? cluster, "\(store.path).\(purpose)")
  }

  /// The number of descriptors needed to open a store and to listen.
  private static let leastDescriptors = 20

  /// Makes the folders that are missing, and opens the log.
  private static func prepare(_ configuration: inout ServerConfiguration) throws(DepotError) {
    let limit = Process.descriptorLimit
    guard limit >= leastDescriptors else {
      throw DepotError(
        .busy,
        "A service needs \(leastDescriptors) descriptors, and may have \(limit)."
      )
      .hint("Raise the limit (ulimit -n), and try again.")
    }
    try prepareFolders(configuration)
    guard let log = configuration.logFile else { return }
    do throws(SystemError) {
      configuration.openLog = try LogFile(path: log, limit: configuration.logFileBytes)
    } catch {
      throw DepotError(error, file: log)
    }
  }

  /// Reports to the starting program that its request is done.
  private static func reportDone() {
    guard Process.arguments.contains(reportOption) else { return }
    Process.endStandardOutput(Array("{\"ok\":{}}\n".utf8))
  }

  /// Replaces the store by a backup and prints the result: in words, or as a line of JSON.
  private static func runRestore(
    of backup: String,
    _ configuration: ServerConfiguration
  ) throws(DepotError) {
    let outcome: StoreRestore.Outcome
    if let cluster = configuration.cluster {
      let store = try copy(of: cluster, for: "restored", configuration)
      outcome = try ClusterRestore(
        backup: backup,
        address: store.address,
        path: store.path,
        replaces: configuration.replacesStore
      ).run()
    } else {
      let restore = StoreRestore(
        backup: backup,
        path: configuration.storeFile,
        replaces: configuration.replacesStore
      )
      // A bad backup leaves no folder.
      try restore.checkBackup()
      try FileSystem.prepareFolder(of: configuration.storePath)
      outcome = try restore.run()
    }
    let place = configuration.storeName
    let report = RestoreReport(outcome: outcome, path: place)
    if configuration.reportsStart {
      Process.endStandardOutput(Array((report.json.text + "\n").utf8))
    } else {
      print(report.text)
    }
  }

  private static func prepareFolders(_ configuration: ServerConfiguration) throws(DepotError) {
    try FileSystem.prepareFolder(of: configuration.socketPath)
    try DepotError.refuseDistrust(folderOf: configuration.socketPath)
    guard configuration.cluster == nil else { return try configuration.prepareCache() }
    try FileSystem.prepareFolder(of: configuration.storePath)
    // Someone who may only read a store trusts its owner.
    if !configuration.isReadOnly {
      try DepotError.refuseDistrust(folderOf: configuration.storePath)
    }
  }
}
