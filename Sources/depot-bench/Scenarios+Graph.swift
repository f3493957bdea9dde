import DepotClient
import DepotProtocol
import DepotSQLite

/// Queries over a graph of packages and their dependencies, beside SQLite.
extension Scenarios {
  /// A question about the catalogue, as a request and as SQL written by hand.
  private struct Question: Sendable {
    var what: String
    /// Asks the service; returns each row as a text.
    var ask: @Sendable (BlockingConnection) throws -> [String]
    /// Gives the same texts.
    var sql: String
  }

  /// Questions about a graph of packages, each one request, beside SQL written by hand.
  func graph() throws {
    let graph = try CatalogueGraph(in: folder)
    let daemon = try Daemon(folder, name: "graph")
    defer { daemon.stop() }
    let connection = try daemon.connect()
    try graph.fill(connection)
    let plain = try Connection(path: folder.file("graph-plain.sqlite"), access: .plain)
    try graph.fill(plain)
    report.note(
      "The graph has \(graph.packageCount) packages and \(graph.dependencyCount) dependencies."
    )
    for question in Self.questions {
      var depot: [Double] = []
      var sqlite: [Double] = []
      for round in 0..<options.rounds + 1 {
        var answer: [String] = []
        let asked = try milliseconds { answer = try question.ask(connection) }
        let read = try milliseconds {
          let statement = try plain.statement(question.sql)
          defer { statement.reset() }
          var same: [String] = []
          while try statement.step() { same.append(statement.row.text(0)) }
          guard same == answer else {
            throw BenchError("\(question.what): \(answer.prefix(3)) isn't \(same.prefix(3))")
          }
        }
        // The first round warms up both.
        if round > 0 {
          depot.append(asked)
          sqlite.append(read)
        }
      }
      report.add(
        "graph",
        question.what,
        unit: "ms",
        depot,
        reference: "SQL by hand, in process",
        sqlite,
        budget: 1.5
      )
    }
  }

  private static let questions = [
    Question(
      what: "packages in a section that nothing depends on",
      ask: { connection in
        try names(
          FetchRequest(
            entity: "Package",
            predicate: PredicateParser.parse("section.name == 'games' AND dependents.@count == 0"),
            sort: [SortKey("name")],
            select: ["name"]
          ),
          connection
        )
      },
      sql: """
        SELECT name FROM package WHERE section = (SELECT id FROM section WHERE name = 'games')
        AND NOT EXISTS (SELECT 1 FROM dependency WHERE target = package.id) ORDER BY name, id
        """
    ),
    Question(
      what: "the ten most depended-on packages",
      ask: { connection in
        try groups(
          AggregateRequest(
            entity: "Dependency",
            predicate: PredicateParser.parse("target != NULL"),
            keys: [.init(name: "package", expression: .attribute("target"))],
            values: [.init(name: "dependents", .count)],
            sort: [SortKey("dependents", descending: true)],
            limit: 10
          ),
          connection
        )
      },
      sql: """
        SELECT target || ' ' || count(*) FROM dependency WHERE target IS NOT NULL
        GROUP BY target ORDER BY count(*) DESC, target LIMIT 10
        """
    ),
    Question(
      what: "maintainers with more than 50 packages, by total installed size",
      ask: { connection in
        try groups(
          AggregateRequest(
            entity: "Package",
            keys: [.init(name: "maintainer", expression: .attribute("maintainer"))],
            values: [
              .init(name: "size", .sum, of: .attribute("installedSize")),
              .init(name: "packages", .count),
            ],
            having: PredicateParser.parse("packages > 50"),
            sort: [SortKey("size", descending: true)]
          ),
          connection
        )
      },
      sql: """
        SELECT maintainer || ' ' || sum(size) FROM package GROUP BY maintainer
        HAVING count(*) > 50 ORDER BY sum(size) DESC, maintainer
        """
    ),
    Question(
      what: "packages whose every dependency is in main",
      ask: { connection in
        let count = try connection.count(
          CountRequest(
            entity: "Package",
            predicate: PredicateParser.parse("ALL dependencies.target.section.area == 'main'")
          )
        )
        return ["\(count)"]
      },
      sql: """
        SELECT count(*) FROM package WHERE NOT EXISTS (SELECT 1 FROM dependency
        LEFT JOIN package AS target ON target.id = dependency.target
        LEFT JOIN section ON section.id = target.section
        WHERE dependency.source = package.id AND section.area IS NOT 'main')
        """
    ),
  ]

  private static func names(
    _ request: FetchRequest,
    _ connection: BlockingConnection
  ) throws -> [String] {
    var names: [String] = []
    try connection.fetch(request) { names.append(try $0.next()) }
    return names
  }

  /// Returns the key of each group with its first value.
  private static func groups(
    _ request: AggregateRequest,
    _ connection: BlockingConnection
  ) throws -> [String] {
    var groups: [String] = []
    try connection.aggregate(request) { row in
      groups.append("\(try row.next(Int.self)) \(try row.next(Int.self))")
      for _ in request.values.dropFirst() { _ = try row.next(Int.self) }
    }
    return groups
  }
}
