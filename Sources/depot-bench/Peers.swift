import DepotLinux
import Foundation

/// PostgreSQL and Redis on Unix sockets of their own, if they are installed.
final class Peers {
  private let folder: TemporaryFolder
  private var redis: Child?
  private var postgres: Child?
  private var standbys: [Child] = []
  private(set) lazy var hasPostgres = startPostgres()
  private(set) lazy var hasRedis = startRedis()

  init(folder: TemporaryFolder) {
    self.folder = folder
  }

  func stop() {
    redis?.stop()
    for standby in standbys { standby.stop() }
    postgres?.stop()
  }

  /// Where PostgreSQL's socket is.
  var postgresFolder: String { folder.file("postgres") }

  private static let binaries = "/usr/lib/postgresql/15/bin"

  /// Returns the command that runs a program as the user postgres; the server refuses to be root.
  private static func asPostgres(_ arguments: [String]) -> [String] {
    let prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
    return (getuid() == 0 ? prefix : []) + arguments
  }

  private func startPostgres() -> Bool {
    guard DepotLinux.Process.isExecutable(Self.binaries + "/initdb") else { return false }
    let home = postgresFolder
    do {
      try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
      if getuid() == 0 { _ = try Child(["chown", "postgres", home]).result() }
      let data = home + "/data"
      _ = try Child(
        Self.asPostgres([Self.binaries + "/initdb", "-D", data, "-A", "trust", "-U", "bench"])
      ).result()
      postgres = try Child(
        Self.asPostgres([
          Self.binaries + "/postgres", "-D", data, "-k", home, "-c", "listen_addresses=", "-c",
          "shared_buffers=256MB",
        ])
      )
      for _ in 0..<200 where (try? psql("SELECT 1")) == nil { usleep(50_000) }
      _ = try psql(
        """
        CREATE TABLE item (id bigserial PRIMARY KEY, name text, section text, size bigint,
        score double precision, essential boolean, note text);
        INSERT INTO item (name, section, size, score, essential, note)
        SELECT 'package-' || n, 'section-' || n % 57, n * 7919 % 1000003, (n % 1000) / 8.0,
        n % 10 = 0, CASE WHEN n % 3 = 0 THEN NULL ELSE 'a short note about number ' || n END
        FROM generate_series(1, 100000) n; ANALYZE item; CHECKPOINT;
        """
      )
      return true
    } catch {
      return false
    }
  }

  /// Gives PostgreSQL two standbys on this machine; a commit is acknowledged once one has it.
  func replicatePostgres() throws {
    for name in ["n2", "n3"] {
      let home = folder.file(name)
      try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
      if getuid() == 0 { _ = try Child(["chown", "postgres", home]).result() }
      let data = home + "/data"
      _ = try Child(
        Self.asPostgres([
          Self.binaries + "/pg_basebackup", "-R", "-c", "fast", "-D", data, "-d",
          "host=\(postgresFolder) user=bench application_name=\(name)",
        ])
      ).result()
      standbys.append(
        try Child(
          Self.asPostgres([
            Self.binaries + "/postgres", "-D", data, "-k", home, "-c", "listen_addresses=",
          ])
        )
      )
    }
    _ = try psql("ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (n2, n3)'")
    _ = try psql("SELECT pg_reload_conf()")
    let count = "SELECT 1 / (count(*) - 1) FROM pg_stat_replication WHERE sync_state = 'quorum'"
    for _ in 0..<200 where (try? psql(count)) == nil { usleep(50_000) }
  }

  /// Makes a database, and returns its address.
  func makeDatabase(_ name: String) throws -> String {
    _ = try psql("CREATE DATABASE \(name)")
    return "postgresql://bench@/\(name)?host=\(postgresFolder)"
  }

  func psql(_ sql: String) throws -> String {
    try Child(["psql", "-h", postgresFolder, "-U", "bench", "-qc", sql, "postgres"])
      .result()
  }

  /// Runs a script in `clients` connections, each line of SQL a transaction that is on disk before it is
  /// answered.
  ///
  /// - Returns: How many were answered in a second, and the processor time that the server took for
  ///   each, in microseconds.
  func postgresCalls(
    _ script: String,
    clients: Int,
    seconds: Double
  ) throws -> (rate: Double, cpu: Double?) {
    let path = folder.file("pgbench.sql")
    try script.write(toFile: path, atomically: true, encoding: .utf8)
    let start = postgresProcessorTime()
    let duration = max(1, Int(seconds.rounded()))
    let output = try Child([
      "pgbench", "-h", postgresFolder, "-U", "bench", "-n", "-M", "prepared", "-c", "\(clients)",
      "-j", "1", "-T", "\(duration)", "-f", path, "postgres",
    ]).result()
    guard let line = output.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
      let value = line.split(separator: " ").compactMap({ Double($0) }).first
    else { throw BenchError("pgbench printed no tps") }
    let calls = value * Double(duration)
    return (value, (postgresProcessorTime() - start) / max(1, calls))
  }

  /// Returns how long the server's processes have run, in microseconds.
  private func postgresProcessorTime() -> Double {
    guard let server = postgres?.identifier else { return 0 }
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    let ticks = entries.compactMap { Int32($0) }.reduce(0.0) { sum, process in
      let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      // The fields after the program's name, which may have spaces: state, parent, and so on.
      let fields = text?.split(separator: ")").last?.split(separator: " ") ?? []
      guard fields.count > 14, process == server || Int32(fields[1]) == server else { return sum }
      // Processes that ended count with their parent.
      let times = process == server ? fields[11...14] : fields[11...12]
      return times.reduce(sum) { $0 + (Double($1) ?? 0) }
    }
    return ticks * 10_000
  }

  /// Reads a row by its key.
  static let selection = "\\set k random(1, 100000)\nSELECT * FROM item WHERE id = :k;"

  /// Inserts a row.
  static let insertion = """
    INSERT INTO item (name, section, size, score, essential, note)
    VALUES ('package-1', 'section-1', 7919, 0.125, false, 'a short note about number 1');
    """

  /// Changes two columns of a row.
  static let update = """
    \\set k random(1, 100000)
    \\set s random(1, 1000000)
    \\set d random(1, 1000000) / 8.0
    UPDATE item SET size = :s, score = :d WHERE id = :k;
    """

  private func startRedis() -> Bool {
    let socket = folder.file("redis.sock")
    redis = try? Child([
      "redis-server", "--port", "0", "--unixsocket", socket, "--dir", folder.path,
      "--appendonly", "yes", "--appendfsync", "always", "--save", "",
    ])
    for _ in 0..<200 {
      if (try? UnixSocket.connect(path: socket)) != nil { return true }
      usleep(10_000)
    }
    return false
  }

  /// Returns how many calls of a command Redis answers in a second.
  func redisCalls(_ arguments: [String], clients: Int, count: Int) throws -> Double {
    let output = try Child(
      [
        "redis-benchmark", "-s", folder.file("redis.sock"), "-c", "\(clients)", "-n", "\(count)",
        "-r", "100000", "--csv",
      ] + arguments
    ).result()
    guard let line = output.split(separator: "\n").last,
      let value = line.split(separator: ",").dropFirst().first.flatMap({
        Double($0.trimmingCharacters(in: ["\""]))
      })
    else { throw BenchError("redis-benchmark printed no rate") }
    return value
  }
}
