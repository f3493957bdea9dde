import DepotLinux
import Foundation
import Synchronization
import TestSupport

/// A `depotd` whose store lives in a cluster, or in a file; it is killed with the last reference to it.
final class ClusterService: Sendable {
  let name: String
  let socket: String
  private let command: [String]
  private let folder: TemporaryFolder
  private let process = Mutex<TestProcess?>(nil)

  /// Starts a service, and waits until it answers.
  ///
  /// - Parameters:
  ///   - name: Its name among those of the test.
  ///   - cluster: The servers that its store is in; a file if there are none.
  ///   - host: The folder of the socket by which it reaches them, if it isn't theirs.
  ///   - arguments: More arguments of `depotd`.
  /// - Throws: ``TestFailure`` with its log if it doesn't come to answer.
  init(
    _ name: String,
    on cluster: [TemporaryCluster],
    through host: String? = nil,
    _ arguments: [String] = []
  ) throws {
    self.name = name
    folder = try TemporaryFolder()
    socket = folder.path + "/s"
    let store = cluster.isEmpty ? folder.path + "/store.sqlite" : Self.address(of: cluster, host)
    command =
      [Programs.daemon, "--socket", socket, "--store", store, "--cache", folder.path] + arguments
    try start()
  }

  /// The address of a store for `--store`.
  static func address(
    of cluster: [TemporaryCluster],
    _ host: String? = nil,
    database: String = "postgres"
  ) -> String {
    let hosts = host ?? cluster.map(\.path).joined(separator: ",")
    let ports = cluster.map { String($0.port) }.joined(separator: ",")
    let attributes = cluster.count > 1 ? "&target_session_attrs=read-write" : ""
    return "postgresql:///\(database)?user=depot&host=\(hosts)&port=\(ports)\(attributes)"
  }

  /// The text that it wrote to its standard error.
  var log: String {
    (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? ""
  }

  var isRunning: Bool { process.withLock { $0?.isRunning ?? false } }

  /// Starts it again with what the cluster has.
  func start() throws {
    let log = TestProcess.Stream.file(folder.path + "/log")
    let process = try TestProcess(command, output: log, errors: log)
    self.process.withLock { $0 = process }
    let isReady: Bool? = poll {
      if !process.isRunning { return false }
      return (try? LineConnection(socket)) == nil ? nil : true
    }
    guard isReady == true else { throw TestFailure("\(name) doesn't start: \(self.log)") }
  }

  /// Makes sure that it hasn't ended by itself.
  ///
  /// - Throws: ``TestFailure`` with its log if it has.
  func checkRunning() throws {
    guard isRunning else { throw TestFailure("\(name) has ended: \(log.suffix(1000))") }
  }

  func kill() { process.withLock { $0 }?.kill() }

  func signal(_ number: Int32) { process.withLock { $0 }?.signal(number) }

  /// Bounds the sizes of the files that it writes.
  func limitFiles(bytes: Int) throws {
    let identifier = process.withLock { $0?.identifier } ?? 0
    let command = ["prlimit", "--pid", "\(identifier)", "--fsize=\(bytes):unlimited"]
    guard try Program.run(command).status == 0 else { throw TestFailure("prlimit failed") }
  }

  /// Writes the whole store into files, and returns their bytes by their names.
  func export() throws -> [String: Data] {
    let place = try TemporaryFolder()
    let files = place.path + "/all"
    let command = [Programs.depot, "--socket", socket, "--no-start", "export", "--all", files]
    let outcome = try Program.run(command)
    guard outcome.status == 0 else { throw TestFailure("export: \(outcome.errors)") }
    var result: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: files) {
      result[name] = FileManager.default.contents(atPath: files + "/" + name)
    }
    return result
  }
}
