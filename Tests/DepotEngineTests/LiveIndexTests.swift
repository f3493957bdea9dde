import DepotProtocol
import Testing

@testable import DepotEngine

/// Which queries a commit is compared with.
@Suite struct LiveIndexTests {
  private func query(_ predicate: String) throws -> WatchRequest {
    WatchRequest(
      FetchRequest(
        entity: "Player",
        predicate: try PredicateParser.parse(predicate),
        select: ["name", "score"]
      )
    )
  }

  private func dependencies(_ predicate: String, _ catalog: Catalog) throws -> QueryDependencies {
    try QueryDependencies(
      FetchRequest(
        entity: "Player",
        predicate: try PredicateParser.parse(predicate),
        select: ["name"]
      ),
      in: catalog
    )
  }

  @Test(arguments: [
    ("score == 7", true), ("7 == score", true), ("name == 'a' AND score > 1", true),
    ("score > 1 AND name == 'a'", true), ("score == 7 OR score == 8", false),
    ("NOT score == 7", false), ("score != 7", false), ("score == 7.5", false),
    ("name ==[c] 'a'", false), ("team.name == 'a'", false), ("score == nil", false),
    ("score == 7 AND RANDOM() > 0", false),
  ])
  func `a value that all rows of a query have is recognized`(
    predicate: String,
    isRecognized: Bool
  ) throws {
    let catalog = Catalog(.league, generation: 0)
    #expect((try dependencies(predicate, catalog).key != nil) == isRecognized)
  }

  @Test func `the attributes inside of lists and narrowed numbers are noticed`() throws {
    let catalog = Catalog(.league, generation: 0)
    let score = QueryExpression.attribute("score")
    let limit = QueryExpression.value(.int64(1))
    let columns = try [
      score, .narrow(score, .int16), .aggregate(.max, .list([score, limit])),
    ].map { part in
      let predicate = QueryExpression.comparison(.greater, part, limit)
      let request = FetchRequest(entity: "Player", predicate: predicate, select: ["name"])
      return try QueryDependencies(request, in: catalog).nodes[0].columns
    }
    #expect(columns == [columns[0], columns[0], columns[0]])
  }

  @Test func `of a thousand queries for different values only those of a row's are looked at`()
    throws
  {
    let catalog = Catalog(.league, generation: 0)
    final class Query {}
    var index = LiveIndex()
    let queries = (0..<1000).map { _ in Query() }
    for (number, query) in queries.enumerated() {
      index.change(
        try dependencies("score == \(number)", catalog),
        of: ObjectIdentifier(query),
        isAdded: true
      )
    }
    let key = try #require(try dependencies("score == 7", catalog).key)
    let other = try #require(try dependencies("score == 8", catalog).key)
    func looked(at changes: TableChanges) -> Int {
      var found: Set<ObjectIdentifier> = []
      var commit = CommittedChanges(token: 1, at: 0)
      commit.tables["Player"] = changes
      index.match(commit, { interest, _ in found.insert(interest.query) }, links: { _, _ in })
      return found.count
    }
    let number = try catalog.layout(of: "Player").number
    var change = RowChange(identifier: 1, kind: .insert, entityNumber: number)
    change.keys = [key]
    var changes = TableChanges(rows: [change])
    // Nobody knows the values of the row.
    #expect(looked(at: changes) == 1000)
    changes.keyColumns = ColumnSet([key.column])
    #expect(looked(at: changes) == 1)
    changes.rows[0].keys = [key, other, other]
    #expect(looked(at: changes) == 2)
    changes.isMany = true
    #expect(looked(at: changes) == 1000)
    for (number, query) in queries.enumerated() where number != 8 {
      index.change(
        try dependencies("score == \(number)", catalog),
        of: ObjectIdentifier(query),
        isAdded: false
      )
    }
    changes.isMany = false
    #expect(looked(at: changes) == 1)
  }

  @Test func `rows that get another value leave a query and come into another`() async throws {
    try await withLive(.league) { live in
      try await live.insert("Player", ["name", "score"], #"[["ann",1],["ben",2]]"#)
      let one = try await live.watch(try query("score == 1"))
      let two = try await live.watch(try query("score == 2"))
      let ann = try await live.watch(try query("name == 'ann' AND score == 1"))
      var states = [LiveRows(), LiveRows(), LiveRows()]
      func identifiers() async throws -> [[Int64]] {
        try await live.settle()
        for (index, client) in [one, two, ann].enumerated() {
          for frame in client.take() { try states[index].apply(frame) }
        }
        return states.map { $0.identifiers.sorted() }
      }
      #expect(try await identifiers() == [[1], [2], [1]])
      try await live.update("Player", 1, ["score"], "[2]")
      #expect(try await identifiers() == [[], [1, 2], []])
      try await live.update("Player", 1, ["score"], "[1]")
      try await live.update("Player", 2, ["name"], #"["bob"]"#)
      #expect(try await identifiers() == [[1], [2], [1]])
      try await live.update("Player", 1, ["name"], #"["eve"]"#)
      try await live.insert("Player", ["name", "score"], #"[["ann",1],["cas",3]]"#)
      #expect(try await identifiers() == [[1, 3], [2], [3]])
      try await live.delete("Player", 3)
      try await live.update("Player", 4, ["score"], "[null]")
      #expect(try await identifiers() == [[1], [2], []])
      #expect(one.take().isEmpty)
      try await live.update("Player", 4, ["score"], "[9]")
      try await live.settle()
      #expect(one.all.isEmpty && two.all.isEmpty && ann.all.isEmpty)
    }
  }
}
