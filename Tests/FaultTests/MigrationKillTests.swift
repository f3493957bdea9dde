import DepotClient
import DepotProtocol
import Foundation
import Glibc
import TestSupport
import Testing

/// Kills the daemon, and the client, while a graph goes through three versions: one that is inferred,
/// one that the client migrates to, and another that is inferred.
extension KilledProcessTests {
  @Suite struct MigrationKillTests {
    static let calls = [
      "pwrite64", "fdatasync", "fsync", "ftruncate", "openat", "unlink", "rename", "link", "write",
      "close", "pread64",
    ]

    @Test(arguments: calls)
    func `a migration survives a kill at any system call`(call: String) async throws {
      try await onThread {
        let count = try Self.count(of: call)
        for point in somePoints(upTo: count, about: 4) {
          let problems = try Self.trial(call, at: point)
          #expect(problems == [], "\(call) \(point)")
        }
      }
    }

    @Test func `a client that is gone leaves the store as it was`() async throws {
      try await onThread {
        let place = try Place()
        let (daemon, connection) = try place.serve()
        try Library.fill(connection)
        try connection.migrate(Library.stages(upTo: 2))
        let body: MigrationStages.Body = { old, new in
          try new.delete(
            DeleteRequest(entity: "Book", rows: .predicate(.value(.bool(true))))
          )
          let error = #expect(throws: DepotError.self) {
            try old.delete(DeleteRequest(entity: "Book", rows: .predicate(.value(.bool(true)))))
          }
          #expect(error?.code == .readOnly)
          throw TestFailure("the stage fails")
        }
        #expect(throws: TestFailure.self) { try connection.migrate(to: Library.third, body) }
        #expect(try connection.schema() == Library.second)
        try Self.beginAndLeave(place)
        // It takes the service a moment to notice.
        _ = poll { try? connection.schema() }
        #expect(try connection.schema() == Library.second)
        #expect(try Library.problems(connection) == [])
        try connection.migrate(Library.stages())
        #expect(try Library.problems(connection) == [])
        try connection.shutdown()
        #expect(daemon.wait() == 0)
      }
    }

    @Test func `another client is told to wait, and then sees the new schema`() async throws {
      try await onThread {
        let place = try Place()
        let (daemon, connection) = try place.serve()
        try Library.fill(connection)
        let other = try BlockingConnection(socket: SocketPath(place.socket))
        let stages = Library.stages { _, _ in
          let error = #expect(throws: DepotError.self) {
            try other.count(CountRequest(entity: "Book"))
          }
          #expect(error?.code == .migrating)
          #expect(error?.retry == .later)
          #expect(throws: DepotError.self) {
            try other.put("never")
          }
        }
        #expect(try connection.migrate(stages).map(\.major) == [2, 3, 4])
        #expect(try other.schema() == Library.fourth)
        #expect(try other.count(CountRequest(entity: "Work")) == Library.books)
        #expect(try connection.migrate(stages) == [])
        try connection.shutdown()
        #expect(daemon.wait() == 0)
        let backups = try FileManager.default.contentsOfDirectory(atPath: place.data)
          .filter { $0.contains(".backup-") }
        #expect(backups.count == 3)
        for backup in backups { #expect(try place.check(place.data + "/" + backup).status == 0) }
      }
    }

    private static func beginAndLeave(_ place: Place) throws {
      let gone = try BlockingConnection(socket: SocketPath(place.socket))
      let schema = try JSONValue(parsing: Library.third.json.utf8)
      let result = try gone.call("migration.begin", arguments: .object(["schema": schema]))
      #expect(result["problems"]?.array?.isEmpty == false)
    }

    static func prepared() throws -> Place {
      let place = try Place()
      let (daemon, connection) = try place.serve()
      try Library.fill(connection)
      try connection.shutdown()
      _ = daemon.wait()
      return place
    }

    /// Returns how often the thread that makes `call` most makes it.
    static func count(of call: String) throws -> Int {
      let place = try prepared()
      let daemon = try place.start(tracing: ["trace=\(call)"])
      guard let connection = place.connect(daemon) else {
        throw TestFailure(place.text(of: place.log))
      }
      try connection.migrate(Library.stages())
      try connection.shutdown()
      guard daemon.wait() == 0 else { throw TestFailure(place.text(of: place.log)) }
      return place.count(of: call)
    }

    private static func trial(_ call: String, at point: Int) throws -> [String] {
      let place = try prepared()
      var daemon = try place.start(tracing: killing(at: point, of: call))
      if let connection = place.connect(daemon) {
        _ = try? connection.migrate(Library.stages())
        _ = try? connection.shutdown()
      }
      _ = daemon.wait()
      let connection: BlockingConnection
      (daemon, connection) = try place.serve()
      var problems = try Library.problems(connection)
      do {
        try connection.migrate(Library.stages())
      } catch {
        problems.append("can't go on: \(error)")
      }
      if try connection.schema() != Library.fourth { problems.append("not the last version") }
      problems += try Library.problems(connection)
      problems += try place.end(daemon, connection)
      let names = try FileManager.default.contentsOfDirectory(atPath: place.data)
      let backups = names.filter { $0.contains(".backup-") }.sorted()
      if backups != (1...3).map({ "store.sqlite.backup-\($0).0.0-1" }) {
        problems.append("backups: \(backups)")
      }
      for name in names {
        if name.contains(".migrating") || name.contains(".copying") {
          problems.append("left: \(name)")
        }
        guard name.contains(".backup-") else { continue }
        let backup = try place.check(place.data + "/" + name)
        if backup.status != 0 {
          problems.append("\(name): \(backup.output)")
        }
      }
      return problems
    }
  }
}

/// A graph in four versions.
enum Library {
  static let authors = 20
  static let books = 60

  static let first = Schema(
    version: SchemaVersion(1, 0, 0),
    entities: [
      Entity(
        name: "Author",
        attributes: [Attribute(name: "name", type: .string)],
        relationships: [
          Relationship(name: "books", destination: "Book", inverse: "author", isToMany: true)
        ]
      ),
      Entity(
        name: "Book",
        attributes: [
          Attribute(name: "title", type: .string),
          Attribute(name: "pages", type: .int64, width: .int16),
        ],
        relationships: [Relationship(name: "author", destination: "Author", inverse: "books")]
      ),
    ]
  )

  /// Books have several authors, and pages are a length.
  static let second: Schema = {
    var schema = first
    schema.version = SchemaVersion(2, 0, 0)
    schema.entities[0].relationships[0].inverse = "authors"
    schema.entities[1].attributes[1] = Attribute(
      name: "length",
      type: .string,
      originalName: "pages"
    )
    schema.entities[1].relationships = [
      Relationship(
        name: "authors",
        destination: "Author",
        inverse: "books",
        isToMany: true,
        originalName: "author"
      )
    ]
    return schema
  }()

  /// Names of authors are in two parts, which are required.
  static let third: Schema = {
    var schema = second
    schema.version = SchemaVersion(3, 0, 0)
    schema.entities[0].attributes = [
      Attribute(name: "given", type: .string), Attribute(name: "family", type: .string),
    ]
    schema.entities[1].attributes[1].originalName = nil
    schema.entities[1].relationships[0].originalName = nil
    return schema
  }()

  /// Books are works with different titles.
  static let fourth: Schema = {
    var schema = third
    schema.version = SchemaVersion(4, 0, 0)
    schema.entities[1].name = "Work"
    schema.entities[1].originalName = "Book"
    schema.entities[1].attributes[0].isUnique = true
    schema.entities[0].relationships[0].destination = "Work"
    return schema
  }()

  static func stages(
    upTo last: Int = 4,
    inside: @escaping MigrationStages.Body = { _, _ in }
  ) -> MigrationStages {
    let versions: [MigrationStages.Version] = [
      .init(first), .init(second),
      .init(third) { old, new in
        try inside(old, new)
        var rows: [JSONValue] = []
        try old.fetch(FetchRequest(entity: "Author", select: ["name"])) { row in
          let identifier = row.identifier
          let parts = try row.field().text.split(separator: " ").map {
            JSONValue.string(String($0))
          }
          rows.append(.array([.int64(identifier)] + parts))
        }
        let update = JSONValue.object([
          "entity": .string("Author"),
          "columns": .array(["$id", "given", "family"].map(JSONValue.string)),
          "rows": .array(rows),
        ])
        _ = try new.call("save", arguments: .object(["update": .array([update])]))
      },
      .init(fourth),
    ]
    return MigrationStages(Array(versions.prefix(last)))
  }

  static func fill(_ connection: BlockingConnection) throws {
    try connection.define(first)
    try connection.insert(
      InsertRequest(
        entity: "Author",
        columns: ["name"],
        rows: RowBatch((1...authors).map { [.string("Given\($0) Family\($0)")] })
      )
    )
    try connection.insert(
      InsertRequest(
        entity: "Book",
        columns: ["title", "pages", "author"],
        rows: RowBatch(
          (0..<books).map {
            [.string("Book \($0)"), .int64(Int64($0)), .int64(Int64($0 % authors + 1))]
          }
        )
      )
    )
  }

  /// Returns what a store of any of the versions lacks.
  static func problems(_ connection: BlockingConnection) throws -> [String] {
    let version = try connection.schema().version?.major ?? 0
    let book = version < 4 ? "Book" : "Work"
    var problems: [String] = []
    var names: Set<String> = []
    let parts = version < 3 ? ["name"] : ["given", "family"]
    try connection.fetch(FetchRequest(entity: "Author", select: parts)) { row in
      names.insert(try parts.map { _ in try row.field().text }.joined(separator: " "))
    }
    if names != Set((1...authors).map { "Given\($0) Family\($0)" }) { problems.append("authors") }
    for number in [1, authors / 2, authors] {
      let path = version < 2 ? "author.$id" : "authors.$id"
      let text = version < 2 ? "\(path) == \(number)" : "ANY \(path) == \(number)"
      let count = try connection.count(
        CountRequest(entity: book, predicate: try PredicateParser.parse(text))
      )
      if count != books / authors { problems.append("\(count) books of author \(number)") }
    }
    let length = version < 2 ? "pages" : "length"
    var lengths: Set<String> = []
    try connection.fetch(FetchRequest(entity: book, select: ["title", length])) { row in
      let title = try row.field().text
      let field = try row.field()
      lengths.insert("\(title) \(version < 2 ? "\(field.int64 ?? -1)" : field.text)")
    }
    if lengths != Set((0..<books).map { "Book \($0) \($0)" }) { problems.append("books") }
    return problems.map { "version \(version): \($0)" }
  }
}
