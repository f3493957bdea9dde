import TestSupport

/// Which transaction made which version of which row, as far as anybody can know.
struct WriteIndex {
  /// The life of one row.
  struct Life {
    var inserter: Int?
    var deleter: Int?
    /// The transactions that changed it, in no order.
    var writers: [Int] = []
    /// Who made a version.
    var versions: [Int64: Int] = [:]
    /// The versions that are known, ascending.
    var order: [Int64] = []

    /// Who made the next version that is known after this one; in the end who deleted it.
    func successor(of version: Int64) -> Int? {
      var (low, high) = (0, order.count)
      while low < high {
        let middle = (low + high) / 2
        if order[middle] > version { high = middle } else { low = middle + 1 }
      }
      return low < order.count ? versions[order[low]] : deleter
    }
  }

  private(set) var lives: [Int64: Life] = [:]
  private(set) var violations: [Violation] = []
  /// Whether each transaction was made, as far as what was seen tells.
  private(set) var isCommitted: [Bool]
  private var transactions: [Transaction]
  /// The place of the write that has a value.
  private var places: [Int64: (transaction: Int, write: Int)] = [:]
  /// What was seen already, since the same is seen often.
  private var seen: Set<Seen> = []

  private struct Seen: Hashable {
    var row: Int64
    var version: Int64
    var value: Int64
  }

  init(_ history: History) {
    transactions = history.transactions
    isCommitted = transactions.map { $0.outcome == .committed }
    for (index, transaction) in transactions.enumerated() {
      for (place, write) in transaction.writes.enumerated() where write.kind != .delete {
        if places.updateValue((index, place), forKey: write.value) != nil {
          violations.append(
            .init(.unwrittenValue, "the value \(write.value) was to be written twice")
          )
        }
      }
    }
    for transaction in transactions {
      for read in transaction.reads {
        guard let value = read.value else { continue }
        observe(row: read.row, version: read.version, value: value, transaction.name)
      }
    }
    for row in history.final ?? [] {
      observe(row: row.id, version: row.version, value: row.value, "the final state")
    }
    for subscription in history.subscriptions {
      for row in subscription.observedRows {
        observe(row: row.id, version: row.version, value: row.value, subscription.name)
      }
    }
    settleDeletions(history.final)
    collect()
    orderByTokens()
    if let final = history.final { compare(with: final) }
    for (row, life) in lives { lives[row]?.order = life.versions.keys.sorted() }
  }

  /// The transactions with all that was found out about their writes.
  var resolved: [Transaction] { transactions }

  private mutating func observe(row: Int64, version: Int64, value: Int64, _ observer: String) {
    guard seen.insert(Seen(row: row, version: version, value: value)).inserted else { return }
    guard let (index, place) = places[value] else {
      violations.append(
        .init(.unwrittenValue, "\(observer) saw \(value) in row \(row), which nobody wrote")
      )
      return
    }
    let write = transactions[index].writes[place]
    let name = transactions[index].name
    if transactions[index].outcome == .refused {
      violations.append(.init(.abortedRead, "\(observer) saw what \(name) was refused to write"))
      return
    }
    isCommitted[index] = true
    if let known = write.row, known != row {
      violations.append(
        .init(.appliedTwice, "\(name) wrote row \(known), and \(observer) saw it in row \(row)")
      )
      return
    }
    transactions[index].writes[place].row = row
    if let known = write.version, known != version {
      violations.append(
        .init(
          .conflictingVersions,
          "\(name) made version \(known) of row \(row), and \(observer) saw it as \(version)"
        )
      )
      return
    }
    transactions[index].writes[place].version = version
  }

  /// A row that is gone was deleted by whoever may have done it.
  private mutating func settleDeletions(_ final: [ObservedRow]?) {
    guard let final else { return }
    let left = Set(final.map(\.id))
    for (index, transaction) in transactions.enumerated() where transaction.outcome == .unknown {
      let deleted = transaction.writes.filter { $0.kind == .delete }.compactMap(\.row)
      if let row = deleted.first, !left.contains(row) {
        let others = transactions.contains { other in
          other.outcome == .committed
            && other.writes.contains { $0.kind == .delete && $0.row == row }
        }
        if !others { isCommitted[index] = true }
      }
    }
  }

  private mutating func collect() {
    for (index, transaction) in transactions.enumerated() where isCommitted[index] {
      for write in transaction.writes {
        guard let row = write.row else { continue }
        var life = lives[row] ?? Life()
        switch write.kind {
        case .insert:
          if life.inserter != nil {
            violations.append(.init(.appliedTwice, "row \(row) was inserted twice"))
          }
          life.inserter = index
          note(write.version ?? 1, of: row, by: index, in: &life)
        case .update:
          life.writers.append(index)
          if let version = write.version { note(version, of: row, by: index, in: &life) }
        case .delete:
          if let other = life.deleter {
            violations.append(
              .init(
                .appliedTwice,
                "\(transactions[other].name) and \(transaction.name) deleted row \(row)"
              )
            )
          }
          life.deleter = index
        }
        lives[row] = life
      }
    }
  }

  private mutating func note(_ version: Int64, of row: Int64, by index: Int, in life: inout Life) {
    if let other = life.versions[version], other != index {
      violations.append(
        .init(
          .conflictingVersions,
          "\(transactions[other].name) and \(transactions[index].name) made version \(version) of "
            + "row \(row)"
        )
      )
    } else {
      life.versions[version] = index
    }
  }

  /// The first version of a row that is part of the history.
  private func firstVersion(of row: Int64, in life: Life) -> Int64? {
    guard let inserter = life.inserter else { return nil }
    return transactions[inserter].writes.first { $0.row == row }?.version ?? 1
  }

  /// Finds the versions that nobody told or saw: by tokens, or because only one is left.
  private mutating func orderByTokens() {
    for (row, life) in lives {
      guard let first = firstVersion(of: row, in: life) else { continue }
      var life = life
      let writers = life.writers
      let sorted = writers.sorted { (transactions[$0].token ?? 0) < (transactions[$1].token ?? 0) }
      guard writers.allSatisfy({ transactions[$0].token != nil }) else { continue }
      for (offset, index) in sorted.enumerated() {
        let expected = first + Int64(offset) + 1
        guard let place = transactions[index].writes.firstIndex(where: { $0.row == row }) else {
          continue
        }
        if let version = transactions[index].writes[place].version {
          if version != expected {
            violations.append(
              .init(
                version < expected ? .lostWrite : .appliedTwice,
                "\(transactions[index].name) made version \(version) of row \(row) though "
                  + "\(offset) other changes came before, after version \(first)"
              )
            )
            break
          }
        } else {
          transactions[index].writes[place].version = expected
          note(expected, of: row, by: index, in: &life)
        }
      }
      lives[row] = life
    }
  }

  /// Counts: each change makes one version more, and what was inserted is there unless deleted.
  private mutating func compare(with final: [ObservedRow]) {
    let rows = Dictionary(final.map { ($0.id, $0) }) { first, _ in first }
    if rows.count < final.count {
      violations.append(.init(.appliedTwice, "a row is there twice"))
    }
    var unsettled: [Int64: Int] = [:]
    for (index, transaction) in transactions.enumerated()
    where transaction.outcome == .unknown && !isCommitted[index] {
      for write in transaction.writes { unsettled[write.row ?? 0, default: 0] += 1 }
    }
    for (row, life) in lives.sorted(by: { $0.key < $1.key }) {
      guard let first = firstVersion(of: row, in: life) else {
        violations.append(.init(.unwrittenValue, "row \(row) was changed and never inserted"))
        continue
      }
      guard let found = rows[row] else {
        if life.deleter == nil, unsettled[row] == nil {
          violations.append(.init(.lostWrite, "row \(row) is gone though nobody deleted it"))
        }
        continue
      }
      if let deleter = life.deleter {
        violations.append(
          .init(.lostWrite, "row \(row) is there though \(transactions[deleter].name) deleted it")
        )
        continue
      }
      let expected = first + Int64(life.writers.count)
      let names = life.writers.filter { index in !life.versions.values.contains(index) }
        .map { transactions[$0].name }
      if found.version < expected {
        violations.append(
          .init(
            .lostWrite,
            "row \(row) has version \(found.version) after \(life.writers.count) changes of "
              + "version \(first); nobody saw those of \(names)"
          )
        )
      } else if found.version > expected + Int64(unsettled[row] ?? 0) {
        violations.append(
          .init(
            .appliedTwice,
            "row \(row) has version \(found.version) after \(life.writers.count) changes of "
              + "version \(first)"
          )
        )
      } else if life.versions[found.version] == nil, names.isEmpty {
        violations.append(.init(.unwrittenValue, "nobody made the last version of row \(row)"))
      }
    }
    for (index, transaction) in transactions.enumerated() where isCommitted[index] {
      for write in transaction.writes where write.row == nil {
        violations.append(
          .init(.lostWrite, "\(transaction.name) inserted \(write.value), which nobody saw")
        )
      }
    }
  }
}
