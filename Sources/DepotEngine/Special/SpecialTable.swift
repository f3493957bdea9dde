/// An auxiliary table beside the tables of rows, with the triggers that keep it up to date.
///
/// Because of the triggers, writers of rows needn't know of it. An auxiliary table can be rebuilt
/// from the rows, unless it has no ``fill``. Before the table of an entity is rebuilt, drop its
/// auxiliary tables, and create them again afterwards.
struct SpecialTable: Hashable, Sendable {
  /// The name, not quoted; `nil` if there are only triggers.
  var name: String?
  /// The statements that make the table.
  var definition: [String] = []
  /// The statement that fills it from the rows that exist.
  var fill: String?
  var triggers: [Trigger] = []
  /// Whether the table's content can't be rebuilt, so that it must be kept if possible.
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
