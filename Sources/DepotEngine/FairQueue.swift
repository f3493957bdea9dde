/// A queue shared by several clients: the client that has used the resource least recently is next.
///
/// The elements of one client stay in their order. An idle client doesn't accumulate priority: when
/// it returns, its use counts as if it had waited. So no client waits forever, even if others keep
/// sending.
struct FairQueue<Element> {
  private struct Line {
    let client: Int64
    var used: UInt64
    var elements: [Element]
  }

  /// The clients with waiting elements.
  private var lines: [Line] = []
  /// The use of the clients without waiting elements.
  private var used: [Int64: UInt64] = [:]
  /// The use that a new client starts with.
  private var level: UInt64 = 0

  var isEmpty: Bool { lines.isEmpty }

  /// The number of waiting elements.
  var count: Int { lines.reduce(0) { $0 + $1.elements.count } }

  /// Returns at most so many of the first elements, those of the client that is next before others.
  func first(_ most: Int) -> [Element] {
    var result: [Element] = []
    for line in lines.sorted(by: { $0.used < $1.used }) where result.count < most {
      result += line.elements.prefix(most - result.count)
    }
    return result
  }

  /// Appends an element to its client's elements.
  mutating func add(_ element: Element, of client: Int64) {
    if let index = lines.firstIndex(where: { $0.client == client }) {
      lines[index].elements.append(element)
    } else {
      let used = max(used.removeValue(forKey: client) ?? 0, level)
      lines.append(Line(client: client, used: used, elements: [element]))
    }
  }

  /// Removes and returns the next element if it satisfies `condition`.
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

  /// Removes and returns the first element that satisfies `condition`, regardless of any use.
  mutating func remove(where condition: (Element) -> Bool) -> Element? {
    for line in lines.indices {
      if let index = lines[line].elements.firstIndex(where: condition) {
        return remove(at: index, ofLine: line)
      }
    }
    return nil
  }

  /// Removes and returns all elements that satisfy `condition`, regardless of any use.
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

  /// Adds to the use of a client, in nanoseconds or another unit.
  mutating func charge(_ amount: UInt64, to client: Int64) {
    if let index = lines.firstIndex(where: { $0.client == client }) {
      lines[index].used += amount
    } else {
      // Clients that have disconnected must not be kept forever.
      if used.count > 1024 { used = [:] }
      used[client] = (used[client] ?? level) + amount
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
