/// Suggestions for misspelled names.
public enum Spelling {
  /// The limits on candidates and lengths; beyond them there is no suggestion.
  private static let candidateLimit = 1000
  private static let lengthLimit = Limits.nameBytes

  /// Returns the candidate with the smallest edit distance to `word`, if that is small enough.
  public static func nearest(to word: String, in candidates: [String]) -> String? {
    guard word.utf8.count <= lengthLimit else { return nil }
    let letters = Array(word.lowercased().unicodeScalars)
    var (best, limit): (String?, Int) = (nil, max(1, letters.count / 3))
    for candidate in candidates.prefix(candidateLimit) where candidate.utf8.count <= lengthLimit {
      let others = Array(candidate.lowercased().unicodeScalars)
      guard let distance = distance(letters, others, limit) else { continue }
      if distance == 0 { return candidate }
      (best, limit) = (candidate, distance - 1)
    }
    return best
  }

  /// Returns a hint that asks whether the nearest candidate was meant, if one is near enough.
  package static func hint(
    for word: String,
    in candidates: [String],
    as form: (String) -> String = { "\"\($0)\"" }
  ) -> String? {
    nearest(to: word, in: candidates).map { "Did you mean \(form($0))?" }
  }

  /// Returns the edit distance of two words, with swaps of neighbors; `nil` if it is above a limit.
  private static func distance(
    _ left: [Unicode.Scalar],
    _ right: [Unicode.Scalar],
    _ limit: Int
  ) -> Int? {
    guard abs(left.count - right.count) <= limit else { return nil }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var next = [row + 1]
      var least = row + 1
      for column in right.indices {
        let substitution = last[column] + (left[row] == right[column] ? 0 : 1)
        var best = min(substitution, last[column + 1] + 1, next[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        next.append(best)
        least = min(least, best)
      }
      // A swap continues from the row before the last.
      guard least <= limit + 1 else { return nil }
      (beforeLast, last) = (last, next)
    }
    return last[right.count] <= limit ? last[right.count] : nil
  }
}

extension String {
  /// The text in quotation marks for messages; a long text is cut.
  package var quoted: String {
    let start = String(unicodeScalars.prefix(200))
    return start.debugDescription + (start.utf8.count < utf8.count ? "…" : "")
  }
}
