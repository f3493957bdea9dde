import DepotLinux
import Foundation
import Glibc

/// The programs and the files.
extension TemporaryCluster {
  /// Whether tests may start clusters: this machine has PostgreSQL, and it doesn't serve them all already.
  package static let isAvailable =
    !Programs.keepStoresInCluster && programs != nil
    && (!Programs.isRoot || UserDatabase.user("postgres") != nil)

  /// The folder of the newest version's programs, where Debian has them.
  private static let programs: String? = {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return versions.compactMap { Int($0) }.sorted().map { "\(root)/\($0)/bin" }
      .last { DepotLinux.Process.isExecutable($0 + "/initdb") }
  }()

  static func tool(_ name: String) -> String { (programs ?? "") + "/" + name }

  /// The beginning of a command that isn't run as root, which the server refuses, nor where we are.
  static let asUser: [String] =
    ["env", "-C", "/"]
    + (Programs.isRoot
      ? ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups"] : [])

  /// Runs one of PostgreSQL's programs.
  @discardableResult
  func runTool(_ name: String, _ arguments: String...) throws -> String {
    let outcome = try Program.run(Self.asUser + [Self.tool(name)] + arguments)
    guard outcome.status == 0 else { throw TestFailure("\(name): \(outcome.errors)") }
    return outcome.output
  }

  func makeFolder() throws {
    for path in [folder.path, path] {
      if !FileManager.default.fileExists(atPath: path) {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      }
      guard Programs.isRoot, let user = UserDatabase.user("postgres") else { continue }
      chown(path, user, UserDatabase.group("postgres") ?? user)
    }
  }

  /// The settings of every cluster: little memory, and nothing that outlives the processes.
  static let settings = [
    "dynamic_shared_memory_type": "mmap", "listen_addresses": "", "max_connections": "50",
    "shared_buffers": "16MB", "wal_log_hints": "on",
  ]

  /// The settings by which a server differs from another one that it was copied from.
  var ownSettings: [String: String] {
    ["cluster_name": name, "port": "\(port)", "unix_socket_directories": path]
  }

  /// Appends to the file that wins over the others.
  func write(_ settings: [String: String]) throws {
    let lines = settings.sorted { $0.key < $1.key }.map {
      "\($0.key) = '\($0.value.replacing("'", with: "''"))'\n"
    }
    let handle = try FileHandle(
      forWritingTo: URL(filePath: data + "/postgresql.auto.conf")
    )
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(lines.joined().utf8))
    try handle.close()
  }

  /// Returns a port of 127.0.0.1 that nobody has at the moment.
  static func freePort() throws -> Int {
    let socket = Descriptor(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(socket.number, address, size) + getsockname(socket.number, address, &size)
      }
    }
    guard code == 0 else { throw TestFailure("there is no free port") }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
