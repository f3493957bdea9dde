import DepotProtocol
import TestSupport
import Testing

/// The checker on small histories, each with one thing wrong or with nothing.
@Suite struct CheckerTests {
  /// A transaction that begins at `start` and ends right after it.
  private func transaction(
    _ name: String,
    _ start: Int64,
    reads: [(row: Int64, version: Int64, value: Int64)] = [],
    writes: [Write] = [],
    until end: Int64? = nil,
    token: Int64? = nil
  ) -> Transaction {
    var transaction = Transaction(name: name, session: name, invoked: start)
    transaction.completed = end ?? start + 1
    transaction.reads = reads.map { .init(row: $0.row, version: $0.version, value: $0.value) }
    transaction.writes = writes
    transaction.token = token
    return transaction
  }

  private func update(_ row: Int64, _ value: Int64, _ version: Int64? = nil) -> Write {
    Write(kind: .update, row: row, value: value, bin: 0, version: version)
  }

  /// Two rows of version 1 with the values 1 and 2, and what happens then.
  private func history(
    _ transactions: [Transaction],
    final: [(row: Int64, version: Int64, value: Int64)]? = nil,
    hasTokens: Bool = false
  ) -> History {
    var initial = transaction(
      "initial",
      0,
      writes: [
        Write(kind: .insert, row: 1, value: 1, bin: 0, version: 1),
        Write(kind: .insert, row: 2, value: 2, bin: 0, version: 1),
      ]
    )
    if hasTokens { initial.token = 0 }
    return History(
      transactions: [initial] + transactions,
      final: final.map { rows in
        rows.map { ObservedRow(id: $0.row, version: $0.version, bin: 0, value: $0.value) }
      }
    )
  }

  private func kinds(_ history: History) -> Set<Violation.Kind> {
    Set(HistoryChecker.check(history).map(\.kind))
  }

  @Test func `reads and writes one after the other are sound`() {
    let sound = history(
      [
        transaction("a", 10, reads: [(1, 1, 1)], writes: [update(1, 11, 2)]),
        transaction("b", 20, reads: [(1, 2, 11), (2, 1, 2)]),
        transaction("c", 30, writes: [update(1, 12, 3), update(2, 13, 2)]),
        transaction("d", 40, reads: [(1, 3, 12), (2, 2, 13)]),
      ],
      final: [(1, 3, 12), (2, 2, 13)]
    )
    #expect(HistoryChecker.check(sound) == [])
  }

  @Test func `a read during a write may see the row before or after it`() {
    for (version, value) in [(1, 1), (2, 11)] as [(Int64, Int64)] {
      let sound = history(
        [
          transaction("a", 10, writes: [update(1, 11, 2)], until: 20),
          transaction("b", 12, reads: [(1, version, value)]),
        ],
        final: [(1, 2, 11), (2, 1, 2)]
      )
      #expect(HistoryChecker.check(sound) == [])
    }
  }

  @Test func `two changes from the same state are a lost update`() {
    let broken = history([
      transaction("a", 10, reads: [(1, 1, 1)], writes: [update(1, 11, 2)], until: 20),
      transaction("b", 10, reads: [(1, 1, 1)], writes: [update(1, 12, 3)], until: 20),
    ])
    #expect(kinds(broken).contains(.lostUpdate))
  }

  @Test func `two decisions by what the other changes are write skew`() {
    let broken = history([
      transaction("a", 10, reads: [(1, 1, 1), (2, 1, 2)], writes: [update(1, 11, 2)], until: 20),
      transaction("b", 10, reads: [(1, 1, 1), (2, 1, 2)], writes: [update(2, 12, 2)], until: 20),
    ])
    #expect(kinds(broken) == [.writeSkew])
  }

  @Test func `a half of a write is read skew`() {
    let broken = history([
      transaction("a", 10, writes: [update(1, 11, 2), update(2, 12, 2)], until: 20),
      transaction("b", 10, reads: [(1, 2, 11), (2, 1, 2)], until: 20),
    ])
    #expect(kinds(broken) == [.notSerialisable])
  }

  @Test func `a read of what was replaced before is stale`() {
    let broken = history([
      transaction("a", 10, writes: [update(1, 11, 2)]),
      transaction("b", 20, reads: [(1, 1, 1)]),
    ])
    #expect(kinds(broken) == [.staleRead])
  }

  @Test func `a scan without a row that was inserted before is stale`() {
    var insert = transaction("a", 10)
    insert.writes = [Write(kind: .insert, row: 3, value: 11, bin: 0)]
    var scan = transaction("b", 20, reads: [(1, 1, 1), (2, 1, 2)])
    scan.isScan = true
    #expect(kinds(history([insert, scan])) == [.staleRead])
    insert.completed = 30
    #expect(kinds(history([insert, scan])) == [])
  }

  @Test func `a deleted row that is seen later is stale, and one that isn't is sound`() {
    let deletion = transaction("a", 10, writes: [Write(kind: .delete, row: 2)])
    var get = transaction("b", 20)
    get.missing = [2]
    #expect(kinds(history([deletion, get], final: [(1, 1, 1)])) == [])
    let late = transaction("c", 20, reads: [(2, 1, 2)])
    #expect(kinds(history([deletion, late])) == [.staleRead])
  }

  @Test func `what a refused write would have made is an aborted read`() {
    var refused = transaction("a", 10, writes: [update(1, 11)])
    refused.outcome = .refused
    let broken = history([refused, transaction("b", 20, reads: [(1, 2, 11)])])
    #expect(kinds(broken).contains(.abortedRead))
  }

  @Test func `a value of nobody is reported`() {
    #expect(kinds(history([transaction("b", 20, reads: [(1, 1, 99)])])) == [.unwrittenValue])
  }

  @Test func `an acknowledged write that isn't there is lost`() {
    let write = transaction("a", 10, writes: [update(1, 11)])
    #expect(kinds(history([write], final: [(1, 1, 1), (2, 1, 2)])) == [.lostWrite])
    // A later change hides the value, but not the number of versions.
    let next = transaction("b", 20, writes: [update(1, 12)])
    #expect(kinds(history([write, next], final: [(1, 2, 12), (2, 1, 2)])) == [.lostWrite])
    #expect(kinds(history([write, next], final: [(1, 3, 12), (2, 1, 2)])) == [])
    #expect(kinds(history([], final: [(1, 1, 1)])) == [.lostWrite])
    let insert = transaction("a", 10, writes: [Write(kind: .insert, row: 3, value: 11)])
    #expect(kinds(history([insert], final: [(1, 1, 1), (2, 1, 2)])) == [.lostWrite])
  }

  @Test func `a write of unknown outcome may be there or not, but not twice`() {
    var write = transaction("a", 10, writes: [update(1, 11)])
    write.outcome = .unknown
    write.completed = .max
    #expect(kinds(history([write], final: [(1, 1, 1), (2, 1, 2)])) == [])
    #expect(kinds(history([write], final: [(1, 2, 11), (2, 1, 2)])) == [])
    #expect(kinds(history([write], final: [(1, 3, 11), (2, 1, 2)])) == [.appliedTwice])
  }

  @Test func `a write of unknown outcome that is there in part is lost`() {
    var write = transaction("a", 10, writes: [update(1, 11), update(2, 12)])
    write.outcome = .unknown
    write.completed = .max
    #expect(kinds(history([write], final: [(1, 2, 11), (2, 1, 2)])).contains(.lostWrite))
  }

  @Test func `an insert that was applied twice is reported`() {
    let insert = transaction("a", 10, writes: [Write(kind: .insert, row: 3, value: 11)])
    let final: [(Int64, Int64, Int64)] = [(1, 1, 1), (2, 1, 2), (3, 1, 11)]
    #expect(kinds(history([insert], final: final)) == [])
    #expect(kinds(history([insert], final: final + [(4, 1, 11)])) == [.appliedTwice])
  }

  @Test func `two writes of one version are reported`() {
    let broken = history([
      transaction("a", 10, writes: [update(1, 11, 2)], until: 20),
      transaction("b", 10, writes: [update(1, 12, 2)], until: 20),
    ])
    #expect(kinds(broken) == [.conflictingVersions])
  }

  @Test func `a session that sees an older version is reported`() {
    var first = transaction("a", 10, reads: [(1, 2, 11)])
    var second = transaction("b", 20, reads: [(1, 1, 1)])
    (first.session, second.session) = ("s", "s")
    let write = transaction("w", 5, writes: [update(1, 11, 2)], until: 30)
    #expect(kinds(history([write, first, second])) == [.versionWentBack, .staleRead])
  }

  @Test func `tokens against the order in time are reported`() {
    let writes = [
      transaction("a", 10, writes: [update(1, 11)], token: 5),
      transaction("b", 20, writes: [update(2, 12)], token: 4),
    ]
    #expect(kinds(history(writes, hasTokens: true)) == [.staleRead])
    let same = [
      transaction("a", 10, writes: [update(1, 11)], token: 5),
      transaction("b", 20, writes: [update(2, 12)], token: 5),
    ]
    #expect(kinds(history(same, hasTokens: true)) == [.badToken])
  }

  @Test func `a pinned read of another moment is reported`() {
    let write = transaction("a", 10, writes: [update(1, 11, 2)], until: 20, token: 5)
    let first = ObservedRow(id: 1, version: 1, bin: 0, value: 1)
    let second = ObservedRow(id: 2, version: 1, bin: 0, value: 2)
    for (snapshot, expected) in [(4, []), (5, [.wrongSnapshot])] as [(Int64, Set<Violation.Kind>)] {
      var read = transaction("b", 12)
      read.snapshot = snapshot
      read.answers = [.init(query: CellQuery(), rows: [first, second])]
      #expect(kinds(history([write, read], hasTokens: true)) == expected)
    }
  }

  // MARK: Subscribers

  private static let snapshot = [
    #"{"kind":"snapshot","next":[[1,1,0,1],[2,1,0,2]]}"#,
    #"{"kind":"live","token":"s-1","next":[]}"#,
  ]
  private static let first = """
    {"kind":"change","token":"s-5","next":[[1,2,0,11]],\
    "changes":[{"kind":"updated","at":0,"from":0,"properties":["value"]}],"removed":[]}
    """
  private static let second = """
    {"kind":"change","token":"s-6","next":[[3,1,0,12]],\
    "changes":[{"kind":"inserted","at":1}],"removed":[{"id":2,"from":1}]}
    """

  /// What a subscriber of these frames is blamed for, after a change and a replacement.
  private func blame(_ frames: [String]) throws -> Set<Violation.Kind> {
    var all = history(
      [
        transaction("a", 10, writes: [update(1, 11, 2)], token: 5),
        transaction(
          "b",
          20,
          writes: [
            Write(kind: .insert, row: 3, value: 12, bin: 0), Write(kind: .delete, row: 2),
          ],
          token: 6
        ),
      ],
      final: [(1, 2, 11), (3, 1, 12)],
      hasTokens: true
    )
    var subscription = Subscription(name: "s", query: CellQuery())
    subscription.frames = try frames.map { try JSONValue(parsing: $0.utf8) }
    subscription.isFinished = true
    all.subscriptions = [subscription]
    return kinds(all)
  }

  @Test func `a subscriber that is told of everything has what there is`() throws {
    #expect(try blame(Self.snapshot + [Self.first, Self.second]) == [])
  }

  @Test func `a subscriber that goes on after a lost connection has what there is`() throws {
    let resumed = [
      #"{"kind":"disconnected"}"#,
      #"{"kind":"resume","token":"s-6","next":[[3,1,0,12]],"order":[1,3]}"#,
      #"{"kind":"live","token":"s-6","next":[]}"#,
    ]
    #expect(try blame(Self.snapshot + [Self.first] + resumed) == [])
    #expect(try blame(Self.snapshot + resumed) == [.diverged])
  }

  @Test func `a subscriber that isn't told of a change is found`() throws {
    #expect(try blame(Self.snapshot + [Self.second]) == [.diverged])
    #expect(try blame(Self.snapshot + [Self.first]) == [.notConverged])
  }

  @Test func `a subscriber that is told in the wrong order, or twice, is found`() throws {
    let wrong = try blame(Self.snapshot + [Self.second, Self.first])
    #expect(!wrong.isDisjoint(with: [.tokenWentBack, .diverged]))
    #expect(try blame(Self.snapshot + [Self.first, Self.first, Self.second]) == [.tokenWentBack])
  }

  @Test func `a frame that can't be applied is found`() throws {
    let frame = """
      {"kind":"change","token":"s-5","next":[],"changes":[],"removed":[{"id":7,"from":0}]}
      """
    #expect(try blame(Self.snapshot + [frame]) == [.badFrame])
  }
}
