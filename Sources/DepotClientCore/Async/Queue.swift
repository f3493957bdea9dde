/// A first-in, first-out queue.
struct Queue<Element: Sendable>: Sendable {
  private var elements: [Element] = []
  private var start = 0

  /// The oldest, or `nil`.
  var first: Element? { start < elements.count ? elements[start] : nil }

  mutating func append(_ element: Element) {
    elements.append(element)
  }

  mutating func removeFirst() {
    start += 1
    if start == elements.count {
      elements.removeAll(keepingCapacity: true)
      start = 0
    } else if start >= 1024, start * 2 > elements.count {
      elements.removeSubrange(..<start)
      start = 0
    }
  }
}

extension Queue where Element: Comparable {
  /// Puts elements back to their positions in a sorted queue.
  mutating func putBack(_ earlier: [Element]) {
    elements = (earlier + elements[start...]).sorted()
    start = 0
  }
}
