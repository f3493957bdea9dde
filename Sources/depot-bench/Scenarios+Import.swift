import DepotClient
import DepotProtocol
import Foundation

extension Scenarios {
  /// The columns of the file that is imported, as the entity has them and as PostgreSQL calls their types.
  private static let importedColumns: [(name: String, type: AttributeType, sql: String)] = [
    ("id", .int64, "bigint"), ("name", .string, "text"), ("amount", .double, "double precision"),
    ("at", .date, "timestamptz"), ("flag", .bool, "boolean"), ("note", .string, "text"),
  ]

  /// Imports a file of CSV by the command line, with and without `--map`, beside `\copy` of psql.
  func importFile() throws {
    let names = Self.importedColumns.map(\.name)
    // The letters a to f, which --map leads to the attributes.
    let letters = names.indices.map { String(UnicodeScalar(UInt8(97 + $0))) }
    let plain = folder.file("import.csv")
    let lettered = folder.file("import-mapped.csv")
    try write(rows: options.largeRows, under: names, to: plain)
    try write(rows: options.largeRows, under: letters, to: lettered)
    let map = zip(letters, names).flatMap { ["--map", "\($0)=\($1)"] }
    let hasPeer = peers.hasPostgres
    if hasPeer { try peers.makeImportTable(Self.importedColumns.map { "\($0.name) \($0.sql)" }) }
    var figures: [[Double]] = [[], []]
    var copies: [Double] = []
    for round in 0..<options.rounds {
      if hasPeer {
        try peers.emptyImportTable()
        copies.append(try milliseconds { try peers.copyIntoImportTable(plain) })
      }
      for (place, arguments) in [[plain], [lettered] + map].enumerated() {
        figures[place].append(try importing(arguments, round, place))
      }
    }
    if !hasPeer { report.note("import: there is no `\\copy`, as PostgreSQL 15 isn't installed") }
    for (place, way) in ["", ", with --map"].enumerated() {
      report.add(
        "import",
        "import of \(options.largeRows) rows of CSV, 6 columns\(way)",
        unit: "ms",
        figures[place],
        reference: hasPeer ? "`\\copy` of psql" : nil,
        copies,
        budget: hasPeer ? 1 : nil
      )
    }
  }

  /// Returns the duration of an import into an empty store, in milliseconds.
  private func importing(_ arguments: [String], _ round: Int, _ place: Int) throws -> Double {
    let daemon = try Daemon(folder, name: "import-\(round)-\(place)")
    defer { daemon.stop() }
    let connection = try daemon.connect()
    let attributes = Self.importedColumns.map { Attribute(name: $0.name, type: $0.type) }
    try connection.define(Schema(entities: [Entity(name: "Item", attributes: attributes)]))
    let command = [Child.programs + "/depot", "--socket", daemon.socket.path, "import", "Item"]
    let duration = try milliseconds { _ = try Child(command + arguments).result() }
    let count = try connection.count(CountRequest(entity: "Item"))
    guard count == options.largeRows else { throw BenchError("the import stored \(count) rows") }
    return duration
  }

  /// Writes the same rows each time, as a seeded generator makes them.
  private func write(rows count: Int, under names: [String], to path: String) throws {
    let words = ["lorem", "ipsum", "dolor", "sit", "amet", "elit", "sed", "do", "magna", "aliqua"]
    var state: UInt64 = 1
    func next(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % bound
    }
    func two(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    try Data().write(to: URL(filePath: path))
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    defer { try? file.close() }
    var text = names.joined(separator: ",") + "\n"
    for number in 0..<count {
      let note = (0..<5).map { _ in words[Int(next(10))] }.joined(separator: " ")
      let day = "2026-\(two(1 + next(12)))-\(two(1 + next(28)))"
      let time = "\(two(next(24))):\(two(next(60))):\(two(next(60)))Z"
      let amount = "\(next(10_000)).\(two(next(100)))"
      text += "\(number),item \(number),\(amount),\(day)T\(time),\(next(2) == 0),\"\(note)\"\n"
      guard text.utf8.count > 1 << 20 || number == count - 1 else { continue }
      try file.write(contentsOf: Data(text.utf8))
      text = ""
    }
  }
}

extension Peers {
  /// Makes the table that a file is imported into.
  fileprivate func makeImportTable(_ columns: [String]) throws {
    _ = try psql("CREATE TABLE import (\(columns.joined(separator: ", ")))")
  }

  fileprivate func emptyImportTable() throws { _ = try psql("TRUNCATE import") }

  /// Imports a file of CSV as users do, with the program psql.
  fileprivate func copyIntoImportTable(_ path: String) throws {
    _ = try psql("\\copy import from '\(path)' with (format csv, header)")
  }
}
