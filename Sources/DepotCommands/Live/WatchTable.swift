internal import DepotClientCore

/// A watched result as a table that marks changes for a short time.
struct WatchTable {
  /// The recent change of a row.
  enum Mark: Hashable, Sendable {
    case inserted
    /// Some values changed, given by their column indexes.
    case updated(Set<Int>)
    case removed
  }

  /// A line of the table.
  struct Line: Equatable {
    var row: LiveRow<WatchedRow>
    var mark: Mark?
  }

  /// The numbers of changes in the last event with any.
  struct Tally: Equatable {
    var inserted = 0
    var updated = 0
    var removed = 0
  }

  /// A recently removed row.
  private struct Ghost {
    var row: LiveRow<WatchedRow>
    /// The row that it came after; `nil` at the beginning.
    var anchor: Int64?
    var until: UInt64
  }

  /// The time for which a change is marked, in nanoseconds.
  static let moment: UInt64 = 1_500_000_000
  /// The most removed rows that are shown; no window has more lines.
  private static let ghostLimit = 200

  private(set) var rows: [LiveRow<WatchedRow>] = []
  private var marks: [Int64: (mark: Mark, until: UInt64)] = [:]
  private var ghosts: [Ghost] = []
  private(set) var tally: Tally?

  /// Shows the rows of a snapshot, without marks.
  mutating func show(_ rows: [LiveRow<WatchedRow>]) {
    self.rows = rows
    marks = [:]
    ghosts = []
  }

  /// Shows a change, and the rows after it.
  mutating func show(
    _ change: LiveChange<WatchedRow>,
    _ after: [LiveRow<WatchedRow>],
    now: UInt64
  ) {
    fade(now: now)
    let until = now + Self.moment
    var tally = Tally(removed: change.removed.count)
    for placement in change.placed {
      guard let from = placement.from, rows.indices.contains(from) else {
        tally.inserted += 1
        marks[placement.row.identifier] = (.inserted, until)
        continue
      }
      tally.updated += 1
      let places = placement.row.content.differences(from: rows[from].content)
      marks[placement.row.identifier] = (.updated(places), until)
    }
    self.tally = tally
    bury(change, until)
    rows = after
  }

  /// Remembers the positions of removed rows.
  private mutating func bury(_ change: LiveChange<WatchedRow>, _ until: UInt64) {
    // A moving row is no anchor.
    let places = change.removed.map(\.from)
    let moved = change.placed.filter { placement in
      guard let from = placement.from else { return false }
      return placement.at != from - places.prefix(Self.ghostLimit).count { $0 < from }
    }
    let gone = Set(change.removed.map(\.identifier) + moved.map(\.row.identifier))
    func last(before place: Int) -> Int64? {
      rows[..<place].last { !gone.contains($0.identifier) }?.identifier
    }
    for removal in change.removed where rows.indices.contains(removal.from) {
      marks[removal.identifier] = nil
      guard ghosts.count < Self.ghostLimit else { continue }
      let anchor = last(before: removal.from)
      let ghost = Ghost(row: rows[removal.from], anchor: anchor, until: until)
      let followers = ghosts.indices.filter { ghosts[$0].anchor == removal.identifier }
      for index in followers { ghosts[index].anchor = anchor }
      ghosts.insert(ghost, at: followers.first ?? ghosts.endIndex)
    }
    let back = Set(change.inserted.map(\.identifier))
    ghosts.removeAll { back.contains($0.row.identifier) }
  }

  /// Removes expired marks.
  mutating func fade(now: UInt64) {
    marks = marks.filter { $0.value.until > now }
    ghosts.removeAll { $0.until <= now }
  }

  /// The time when the next mark expires.
  var nextFade: UInt64? {
    (marks.values.map(\.until) + ghosts.map(\.until)).min()
  }

  /// Returns the first lines, at most `limit`.
  func lines(_ limit: Int) -> [Line] {
    let standing = Dictionary(grouping: ghosts) { $0.anchor }
    var lines: [Line] = []
    func add(_ ghosts: [Ghost]?) {
      for ghost in ghosts ?? [] { lines.append(Line(row: ghost.row, mark: .removed)) }
    }
    add(standing[nil])
    for row in rows {
      guard lines.count < limit else { break }
      lines.append(Line(row: row, mark: marks[row.identifier]?.mark))
      add(standing[row.identifier])
    }
    return Array(lines.prefix(limit))
  }
}
