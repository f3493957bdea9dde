/// Calls that wait for their turn, the oldest first.
struct Waiting {
  private var tickets: [Int64] = []
  private var start = 0

  /// The oldest call, or `nil`.
  var first: Int64? { start < tickets.count ? tickets[start] : nil }

  mutating func append(_ ticket: Int64) {
    tickets.append(ticket)
  }

  mutating func removeFirst() {
    start += 1
    if start == tickets.count {
      tickets.removeAll(keepingCapacity: true)
      start = 0
    } else if start >= 1024, start * 2 > tickets.count {
      tickets.removeSubrange(..<start)
      start = 0
    }
  }

  /// Puts calls back before all others.
  mutating func putBack(_ earlier: [Int64]) {
    tickets = earlier + tickets[start...]
    start = 0
  }
}
