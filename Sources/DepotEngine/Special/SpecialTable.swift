/// A table that is kept beside those of rows, and what keeps it in step with them.
///
/// Triggers do that, so whatever writes rows needn't know. A special table holds nothing that can't
/// be made from the rows, unless it has no ``fill``; before the table of an entity is made anew,
/// drop what belongs to it, and create it again afterwards.
struct SpecialTable: Hashable, Sendable {
  /// The name, not quoted; `nil` if there are only triggers.
  var name: String?
  /// The statements that make the table.
  var definition: [String] = []
  /// The statement that fills it from the rows that exist.
  var fill: String?
  var triggers: [Trigger] = []
  /// Whether the table holds what is nowhere else, so that it must be kept when it can be.
  var isOnlyCopy: Bool { name != nil && fill == nil }

  /// Whether it is one of SQLite's virtual tables.
  var isVirtual: Bool { definition.contains { $0.hasPrefix("CREATE VIRTUAL") } }

  struct Trigger: Hashable, Sendable {
    /// The name, not quoted.
    var name: String
    var sql: String

    /// Creates the trigger that runs its statements, each with a semicolon at its end, at an event
    /// such as `AFTER INSERT ON …`.
    init(_ name: String, _ event: String, _ body: String) {
      self.name = name
      sql = "CREATE TRIGGER \"\(name)\" \(event) BEGIN \(body) END"
    }
  }
}
