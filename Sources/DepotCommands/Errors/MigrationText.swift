internal import DepotProtocol

/// The steps of migrations in lines; steps that lose data are marked.
enum MigrationText {
  /// The mark before a step that loses data.
  private static let mark = "! "

  /// The line that explains the mark.
  private static let legend = "Steps marked ! lose data."

  /// Returns a line for each step of a plan or an error, and the explanation of the mark if needed.
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
