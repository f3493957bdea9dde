/// Guesses at what somebody meant.
public enum Spelling {
  /// Returns the candidate with the smallest edit distance to `word`, if it is near enough.
  public static func nearest(to word: String, in candidates: [String]) -> String? {
    let limit = max(1, word.count / 3)
    let ranked = candidates.map { ($0, distance(word.lowercased(), $0.lowercased())) }
    guard let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= limit else { return nil }
    return best.0
  }

  /// Returns the question whether the nearest candidate was meant, if one is near enough.
  package static func hint(
    for word: String,
    in candidates: [String],
    as form: (String) -> String = { "\"\($0)\"" }
  ) -> String? {
    nearest(to: word, in: candidates).map { "Did you mean \(form($0))?" }
  }

  /// Returns how many letters must be added, removed, replaced, or swapped with their neighbour.
  private static func distance(_ left: String, _ right: String) -> Int {
    let left = Array(left.prefix(200))
    let right = Array(right.prefix(200))
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var next = [row + 1]
      for column in right.indices {
        let substitution = last[column] + (left[row] == right[column] ? 0 : 1)
        var best = min(substitution, last[column + 1] + 1, next[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        next.append(best)
      }
      (beforeLast, last) = (last, next)
    }
    return last[right.count]
  }
}
