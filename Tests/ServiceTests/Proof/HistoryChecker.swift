/// Compares a history with what the service promises.
///
/// Adya's dependencies: a transaction comes after those whose versions it saw or replaced, and before
/// those that replaced what it saw. Versions tell the order of the writes of a row. With the order
/// in time and that of the tokens added, a cycle is a contradiction to strict serialisability.
struct HistoryChecker {
  private let history: History
  private let transactions: [Transaction]
  private let index: WriteIndex
  private let committed: [Int]
  private var graph: DependencyGraph
  private var violations: [Violation]

  /// Returns all contradictions that it finds.
  static func check(_ history: History) -> [Violation] {
    var checker = HistoryChecker(history)
    checker.run()
    return checker.violations
  }

  private init(_ history: History) {
    self.history = history
    let index = WriteIndex(history)
    transactions = index.resolved
    committed = transactions.indices.filter { index.isCommitted[$0] }
    graph = DependencyGraph(transactions: transactions.count)
    violations = index.violations
    self.index = index
  }

  private mutating func run() {
    connectWrites()
    for transaction in committed { connectReads(of: transaction) }
    reportCycles(includingOrder: false)
    connectTimes()
    connectTokens()
    reportCycles(includingOrder: true)
    checkSessions()
    checkMoments()
  }

  // MARK: Dependencies

  private mutating func connectWrites() {
    for (row, life) in index.lives {
      let order = life.order.compactMap { life.versions[$0] }
      for (first, second) in zip(order, order.dropFirst()) {
        graph.connect(first, second, .writeWrite, row: row)
      }
      for writer in life.writers {
        if let inserter = life.inserter { graph.connect(inserter, writer, .writeWrite, row: row) }
        if let deleter = life.deleter { graph.connect(writer, deleter, .writeWrite, row: row) }
      }
      if let inserter = life.inserter, let deleter = life.deleter {
        graph.connect(inserter, deleter, .writeWrite, row: row)
      }
    }
  }

  private mutating func connectReads(of reader: Int) {
    let transaction = transactions[reader]
    for write in transaction.writes where write.kind == .update {
      guard let made = write.version,
        let read = transaction.reads.first(where: { $0.row == write.row }), read.version + 1 < made
      else { continue }
      violations.append(
        .init(
          .lostUpdate,
          "\(transaction.name) read version \(read.version) of row \(read.row) and made \(made)"
        )
      )
    }
    for read in transaction.reads {
      guard let life = index.lives[read.row] else { continue }
      if let writer = life.versions[read.version] {
        graph.connect(writer, reader, .writeRead, row: read.row)
      }
      if let next = life.successor(of: read.version), next != reader {
        graph.connect(reader, next, .readWrite, row: read.row)
      }
    }
    for row in transaction.missing { connectAbsence(of: row, reader) }
    guard transaction.isScan else { return }
    let found = Set(transaction.reads.map(\.row))
    for (row, life) in index.lives where !found.contains(row) {
      // What the order in time says anyway needn't be said again.
      if let inserter = life.inserter, transactions[inserter].invoked > transaction.completed {
        continue
      }
      if let deleter = life.deleter, transactions[deleter].completed < transaction.invoked {
        continue
      }
      connectAbsence(of: row, reader)
    }
  }

  /// The reader comes before the insertion or after the deletion, if only one of them can be.
  private mutating func connectAbsence(of row: Int64, _ reader: Int) {
    guard let life = index.lives[row], let inserter = life.inserter else { return }
    let transaction = transactions[reader]
    let isAfterInsert = transactions[inserter].completed < transaction.invoked
    guard let deleter = life.deleter else {
      graph.connect(reader, inserter, .readWrite, row: row)
      return
    }
    let isBeforeDelete = transaction.completed < transactions[deleter].invoked
    if isAfterInsert {
      graph.connect(deleter, reader, .writeRead, row: row)
    } else if isBeforeDelete {
      graph.connect(reader, inserter, .readWrite, row: row)
    }
  }

  private mutating func connectTimes() {
    let byEnd = committed.filter { transactions[$0].completed < .max }
      .sorted { transactions[$0].completed < transactions[$1].completed }
    let byStart = committed.sorted { transactions[$0].invoked < transactions[$1].invoked }
    var ended = byEnd.makeIterator()
    var next = ended.next()
    var moment: Int?
    for started in byStart {
      while let over = next, transactions[over].completed < transactions[started].invoked {
        let node = graph.addMoment()
        graph.connect(over, node, .time)
        if let moment { graph.connect(moment, node, .time) }
        moment = node
        next = ended.next()
      }
      if let moment { graph.connect(moment, started, .time) }
    }
  }

  private mutating func connectTokens() {
    let writers = sortedWriters
    for (first, second) in zip(writers, writers.dropFirst()) {
      graph.connect(first, second, .token)
      if transactions[first].token == transactions[second].token {
        violations.append(
          .init(
            .badToken,
            "\(transactions[first].name) and \(transactions[second].name) have the same token"
          )
        )
      }
    }
    for reader in committed {
      guard let snapshot = transactions[reader].snapshot else { continue }
      let split = writers.firstIndex { (transactions[$0].token ?? 0) > snapshot } ?? writers.count
      if split > 0 { graph.connect(writers[split - 1], reader, .token) }
      if split < writers.count { graph.connect(reader, writers[split], .token) }
    }
  }

  /// Those that wrote and have tokens, in the order of these.
  private var sortedWriters: [Int] {
    committed.filter { transactions[$0].token != nil }
      .sorted { (transactions[$0].token ?? 0) < (transactions[$1].token ?? 0) }
  }

  // MARK: Reports

  private mutating func reportCycles(includingOrder: Bool) {
    for cycle in graph.cycles(where: { includingOrder || $0.reason.isData }) {
      if includingOrder, cycle.allSatisfy({ $0.edge.reason.isData }) { continue }
      let text = cycle.compactMap { node, edge -> String? in
        let row = edge.row.map { " row \($0)" } ?? ""
        return node < graph.transactionCount
          ? "\(transactions[node].name) -\(edge.reason.rawValue)\(row)->" : nil
      }
      violations.append(.init(kind(of: cycle), text.joined(separator: " ")))
    }
  }

  private func kind(of cycle: [(node: Int, edge: DependencyGraph.Edge)]) -> Violation.Kind {
    guard cycle.allSatisfy({ $0.edge.reason.isData }) else { return .staleRead }
    let antidependencies = cycle.filter { $0.edge.reason == .readWrite }
    if cycle.count == 2, antidependencies.count == 1,
      let other = cycle.first(where: { $0.edge.reason == .writeWrite }),
      other.edge.row == antidependencies[0].edge.row
    {
      return .lostUpdate
    }
    // Of two that changed a row both had read, each replaced what the other saw, too.
    if cycle.count == 2, antidependencies.count == 2 {
      return cycle[0].edge.row == cycle[1].edge.row ? .lostUpdate : .writeSkew
    }
    return .notSerialisable
  }

  private mutating func checkSessions() {
    var sessions: [String: [Int]] = [:]
    for transaction in committed {
      sessions[transactions[transaction].session, default: []].append(transaction)
    }
    for (session, list) in sessions where !session.isEmpty {
      var last: [Int64: Int64] = [:]
      for transaction in list.sorted(by: { transactions[$0].invoked < transactions[$1].invoked }) {
        for read in transactions[transaction].reads {
          if let version = last[read.row], read.version < version {
            violations.append(
              .init(
                .versionWentBack,
                "\(transactions[transaction].name) saw version \(read.version) of row \(read.row) "
                  + "after \(version)"
              )
            )
          }
          last[read.row] = max(last[read.row] ?? 0, read.version)
        }
        for write in transactions[transaction].writes {
          guard let row = write.row, let version = write.version else { continue }
          last[row] = max(last[row] ?? 0, version)
        }
      }
    }
  }

  /// Compares what was read at tokens with what there was.
  private mutating func checkMoments() {
    let writers = sortedWriters
    let untold = committed.filter {
      transactions[$0].token == nil && !transactions[$0].writes.isEmpty
        && transactions[$0].outcome == .committed
    }
    guard !writers.isEmpty else {
      for subscription in history.subscriptions {
        violations += subscription.problems(model: nil, final: history.final)
      }
      return
    }
    // The beginning has a token of its own.
    for index in untold {
      violations.append(.init(.badToken, "\(transactions[index].name) wrote and has no token"))
    }
    let isExact =
      untold.isEmpty
      && committed.allSatisfy { transactions[$0].token != nil || transactions[$0].writes.isEmpty }
    let model = CellModel(writers.map { transactions[$0] })
    for subscription in history.subscriptions {
      violations += subscription.problems(model: isExact ? model : nil, final: history.final)
    }
    guard isExact else { return }
    let readers = committed.filter { transactions[$0].snapshot != nil }
      .sorted { (transactions[$0].snapshot ?? 0) < (transactions[$1].snapshot ?? 0) }
    var state = model
    for reader in readers {
      state.advance(to: transactions[reader].snapshot ?? 0)
      for answer in transactions[reader].answers
      where answer.query.answer(state.rows.values) != answer.rows {
        violations.append(
          .init(
            .wrongSnapshot,
            "\(transactions[reader].name) at token \(transactions[reader].snapshot ?? 0): "
              + CellQuery.difference(answer.rows, answer.query.answer(state.rows.values))
          )
        )
      }
    }
  }
}
