/// An auxiliary table beside the tables of rows, with triggers that update it.
///
/// Because of the triggers, writers of rows needn't know of it. An auxiliary table can be rebuilt
/// from the rows, unless it has no ``fill``. Before the table of an entity is rebuilt, drop its
/// auxiliary tables, and create them again afterwards.
struct SpecialTable: Hashable, Sendable {
  /// The name, unquoted; `nil` if there are only triggers.
  var name: String?
  /// The statements that create the table.
  var definition: [String] = []
  /// The statement that fills it from the existing rows.
  var fill: String?
  var triggers: [Trigger] = []
  /// Whether the content can't be rebuilt, so that it must be kept if possible.
  var isOnlyCopy: Bool { name != nil && fill == nil }

  /// Whether it is one of SQLite's virtual tables.
  var isVirtual: Bool { definition.contains { $0.hasPrefix("CREATE VIRTUAL") } }

  struct Trigger: Hashable, Sendable {
    /// The name, unquoted.
    var name: String
    var sql: String

    /// Creates a trigger for an event such as `AFTER INSERT ON …`.
    ///
    /// Each statement of `body` must end with a semicolon.
    init(_ name: String, _ event: String, _ body: String) {
      self.name = name
      sql = "CREATE TRIGGER \"\(name)\" \(event) BEGIN \(body) END"
    }
  }
}
