/// Guesses at what somebody meant.
public enum Spelling {
  /// Returns the candidate with the smallest edit distance to `word`, if it is near enough.
  public static func nearest(to word: String, in candidates: [String]) -> String? {
    let limit = max(1, word.count / 3)
    let ranked = candidates.map { ($0, distance(word.lowercased(), $0.lowercased())) }
    guard let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= limit else { return nil }
    return best.0
  }

  /// Returns the Levenshtein distance.
  private static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right.prefix(200))
    var row = Array(0...right.count)
    for (index, character) in left.prefix(200).enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let substitution = diagonal + (character == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(substitution, row[column] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}
