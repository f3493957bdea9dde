/// A queue shared by several clients: the client that has used the resource least lately is next.
///
/// The elements of one client stay in their order. An idle client saves up no claim: when it
/// returns, it starts with the use that a waiting client would have by now. So no client waits for
/// ever, even if others keep coming.
struct FairQueue<Element> {
  private struct Line {
    let client: Int64
    var used: UInt64
    var elements: [Element]
  }

  /// The clients that wait, each with at least one element.
  private var lines: [Line] = []
  /// The use of the clients that don't wait.
  private var used: [Int64: UInt64] = [:]
  /// The use with which a new client begins.
  private var level: UInt64 = 0

  var isEmpty: Bool { lines.isEmpty }

  /// How many elements wait.
  var count: Int { lines.reduce(0) { $0 + $1.elements.count } }

  /// Appends an element to its client's elements.
  mutating func add(_ element: Element, of client: Int64) {
    if let index = lines.firstIndex(where: { $0.client == client }) {
      lines[index].elements.append(element)
    } else {
      let used = max(used.removeValue(forKey: client) ?? 0, level)
      lines.append(Line(client: client, used: used, elements: [element]))
    }
  }

  /// Takes the next element if `condition` holds for it.
  ///
  /// Clients that are in `busy` come after all others.
  mutating func next(
    after busy: some Collection<Int64> = EmptyCollection(),
    if condition: (Element) -> Bool = { _ in true }
  ) -> Element? {
    let best = lines.indices.min { first, second in
      let (first, second) = (lines[first], lines[second])
      let (isBusy, isOtherBusy) = (busy.contains(first.client), busy.contains(second.client))
      return isBusy == isOtherBusy ? first.used < second.used : isOtherBusy
    }
    guard let best, condition(lines[best].elements[0]) else { return nil }
    level = max(level, lines[best].used)
    return remove(at: 0, ofLine: best)
  }

  /// Takes the first element for which `condition` holds, whosever turn it is.
  mutating func remove(where condition: (Element) -> Bool) -> Element? {
    for line in lines.indices {
      if let index = lines[line].elements.firstIndex(where: condition) {
        return remove(at: index, ofLine: line)
      }
    }
    return nil
  }

  /// Takes all elements for which `condition` holds, whosever turn it is.
  mutating func removeAll(where condition: (Element) -> Bool) -> [Element] {
    var removed: [Element] = []
    for line in lines.indices.reversed() {
      let count = removed.count
      removed += lines[line].elements.filter(condition)
      guard removed.count > count else { continue }
      lines[line].elements.removeAll(where: condition)
      endLine(ifEmpty: line)
    }
    return removed
  }

  /// Notes that a client has used the resource, in nanoseconds or another unit.
  mutating func charge(_ amount: UInt64, to client: Int64) {
    if let index = lines.firstIndex(where: { $0.client == client }) {
      lines[index].used += amount
    } else {
      // Clients that have gone needn't be known for ever.
      if used.count > 1024 { used = [:] }
      used[client, default: level] += amount
    }
    level += amount / UInt64(lines.count + 1)
  }

  private mutating func remove(at index: Int, ofLine line: Int) -> Element {
    let element = lines[line].elements.remove(at: index)
    endLine(ifEmpty: line)
    return element
  }

  private mutating func endLine(ifEmpty line: Int) {
    guard lines[line].elements.isEmpty else { return }
    let line = lines.remove(at: line)
    if line.used > level { used[line.client] = line.used }
  }
}
