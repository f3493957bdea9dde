import DepotClient
import DepotEmbedded
import DepotLinux
import DepotProtocol
import Glibc

/// A program that uses a store, as the tests tell it.
///
/// Each command is a line of its standard input, and gets one line on its standard output.
struct StoreUser {
  private var access: StoreAccess?
  private var connection: BlockingConnection?

  static let schema = Schema(entities: [
    Entity(name: "Note", attributes: [Attribute(name: "name", type: .string)])
  ])

  mutating func perform(_ command: String, _ arguments: [String]) {
    do {
      let answer = try answer(command, arguments)
      say(answer.isEmpty ? "ok" : "ok \(answer)")
    } catch let error as DepotError {
      say("error \(error.code.rawValue) \(error)")
    } catch {
      say("error \(error)")
    }
  }

  private func say(_ line: String) {
    var line = line + "\n"
    line.withUTF8 { _ = write(1, $0.baseAddress, $0.count) }
  }

  private mutating func answer(_ command: String, _ arguments: [String]) throws -> String {
    let argument = arguments.first ?? ""
    switch command {
    case "open": return try open(.file(path: argument))
    case "open-database": return try open(.database(address: argument))
    case "open-memory": return try open(.memory(name: argument))
    case "read": return try open(.file(path: argument), isReadOnly: true)
    case "kind": return kind
    case "insert": try insert(argument, key: arguments.last ?? argument)
    case "names": return try names().joined(separator: " ")
    case "define":
      _ = try connection?.define(Self.schema)
    case "work": try work(argument)
    case "cycle": try cycle(Int(argument) ?? 1, arguments.last ?? "")
    case "churn": try churn(Int(argument) ?? 1, arguments.last ?? "")
    case "close":
      connection = nil
      access = nil
    case "threads":
      return "\(FileSystem.entries(of: "/proc/self/task").count)"
    case "descriptors":
      return "\(FileSystem.entries(of: "/proc/self/fd").count)"
    case "inherited": return inherited()
    case "state": return state()
    case "time-opening": return try timeOpening(Int(argument) ?? 100)
    case "time-get": return try timeGet(Int(argument) ?? 10_000)
    default: throw DepotError(.usage, command)
    }
    return ""
  }

  private mutating func open(
    _ location: StoreAccess.Location,
    isReadOnly: Bool = false
  ) throws -> String {
    let made = try StoreAccess(location, isReadOnly: isReadOnly)
    try define(in: made)
    access = made
    connection = try made.connect()
    return kind
  }

  /// Defines the schema, again if the service goes away meanwhile.
  private func define(in access: StoreAccess) throws {
    while true {
      do {
        let result = try access.connect().define(Self.schema, isDryRun: access.isReadOnly)
        if access.isReadOnly, result.isChanged { throw DepotError(.readOnly, "It differs.") }
        return
      } catch let error as DepotError
        where [.noService, .disconnected, .draining].contains(error.code)
      {
        continue
      }
    }
  }

  private var kind: String {
    switch access?.route {
    case .service: "service"
    case .guest: "guest"
    case .embedded(_, nil): "embedded"
    case .embedded: "owner"
    case nil: "none"
    }
  }

  /// Inserts a row, again with the same key after the connection was lost.
  private mutating func insert(_ name: String, key: String) throws {
    var rows = RowBatch()
    rows.append([.string(name)])
    let request = InsertRequest(entity: "Note", columns: ["name"], rows: rows)
    while true {
      guard let access else { throw DepotError(.usage, "Nothing is open.") }
      do {
        let current = try connection ?? access.connect()
        connection = current
        try current.insert(request, key: key)
        return
      } catch let error as DepotError where [.disconnected, .draining].contains(error.code) {
        connection = nil
      }
    }
  }

  private mutating func names() throws -> [String] {
    guard let access else { throw DepotError(.usage, "Nothing is open.") }
    for isRetry in [false, true] {
      do {
        let current = try isRetry ? access.connect() : connection ?? access.connect()
        connection = current
        var names: [String] = []
        try current.fetch(FetchRequest(entity: "Note", select: ["name"])) { row in
          names.append(try row.next())
        }
        return names.sorted()
      } catch let error as DepotError where error.code == .disconnected && !isRetry {
        continue
      }
    }
    return []
  }

  /// Inserts rows until the program is killed, and tells each that was acknowledged.
  private mutating func work(_ prefix: String) throws {
    for number in 0... {
      let name = "\(prefix)-\(number)"
      try insert(name, key: name)
      say("\(kind) \(name)")
    }
  }

  private mutating func cycle(_ count: Int, _ path: String) throws {
    for _ in 0..<count {
      _ = try open(path.hasPrefix("/") ? .file(path: path) : .memory(name: "cycle"))
      connection = nil
      access = nil
    }
  }

  /// Opens, saves, and closes again and again.
  private mutating func churn(_ count: Int, _ path: String) throws {
    for number in 0..<count {
      _ = try open(.file(path: path))
      let name = "\(Process.identifier)-\(number)"
      try insert(name, key: name)
      connection = nil
      access = nil
    }
  }

  /// What a program that this one starts has open beyond the standard descriptors.
  private func inherited() -> String {
    guard let pipe = popen("ls -l /proc/self/fd", "r") else { return "?" }
    defer { pclose(pipe) }
    var text: [UInt8] = []
    while case let byte = getc(pipe), byte != EOF { text.append(UInt8(truncatingIfNeeded: byte)) }
    return String(decoding: text, as: UTF8.self).split(separator: "\n")
      .filter { line in ["socket:", "anon_inode", ".store"].contains { line.contains($0) } }
      .map { $0.split(separator: " ").suffix(3).joined(separator: "") }
      .joined(separator: " ")
  }

  /// What is the whole process's, and must not change: the mask of new files, what signals do, the
  /// signals that are blocked, and the working folder.
  private func state() -> String {
    let mask = umask(0)
    umask(mask)
    let status = FileSystem.contents(of: "/proc/self/status", limit: 1 << 16) ?? []
    let signals = String(decoding: status, as: UTF8.self).split(separator: "\n")
      .filter { line in ["SigBlk", "SigIgn", "SigCgt"].contains { line.hasPrefix($0) } }
      .map { line in
        // The C library has signals of its own beyond the first 31.
        "\(line.prefix(6)):\(line.suffix(8))"
      }
    let folder = FileSystem.destination(of: ".") ?? ""
    return (["umask:\(mask)"] + signals + [folder]).joined(separator: " ")
  }

  // MARK: - Measuring

  /// How many microseconds it takes from nothing to the first answer of a store in memory, at best and
  /// in the middle.
  private func timeOpening(_ count: Int) throws -> String {
    var times: [UInt64] = []
    for number in 0..<count {
      let start = Monotonic.now()
      let access = try StoreAccess(.memory(name: "time \(number)"))
      _ = try access.connect().schema()
      times.append(Monotonic.now() - start)
    }
    times.sort()
    return "\(times[0] / 1000) \(times[count / 2] / 1000)"
  }

  /// How many nanoseconds it takes to get a row, in the middle and at the 99th of a hundred.
  private func timeGet(_ count: Int) throws -> String {
    guard let connection else { throw DepotError(.usage, "Nothing is open.") }
    let request = GetRequest(entity: "Note", identifiers: [1], select: ["name"])
    var times: [UInt64] = []
    for _ in 0..<count {
      let start = Monotonic.now()
      _ = try connection.get(request) { _ = try $0.next() as String }
      times.append(Monotonic.now() - start)
    }
    times.sort()
    return "\(times[count / 2]) \(times[count * 99 / 100])"
  }
}
