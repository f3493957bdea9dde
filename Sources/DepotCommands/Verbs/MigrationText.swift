internal import DepotProtocol

/// The steps of migrations in lines, in which those that lose data are marked.
enum MigrationText {
  /// The mark before a step that loses data.
  private static let mark = "! "

  /// The line that says what the mark is.
  private static let legend = "Steps marked ! lose data."

  /// Returns a line for each step of a plan or an error, and what the mark is if there is one.
  static func lines(_ steps: [JSONValue]) -> [String] {
    let lines = steps.map { step in
      let rows = Int(step["rows"]?.int64 ?? 0)
      let count = rows > 0 ? " (\(Numbers.counted(rows, "row")))" : ""
      return (losesData(step) ? mark : "  ") + (step["description"]?.string ?? "") + count
    }
    return steps.contains(where: losesData) ? lines + [legend] : lines
  }

  static func losesData(_ step: JSONValue) -> Bool { step["destructive"]?.bool ?? false }
}
