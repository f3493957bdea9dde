/// What takes a store from one version of its schema to another without help from a program.
package struct MigrationPlan: Hashable, Sendable {
  package private(set) var old: Schema
  package private(set) var new: Schema
  /// The steps, in the order in which they can be taken: entities and names first, removals last.
  package internal(set) var steps: [SchemaChange] = []
  /// What only a program can do, in words; none of the steps may be taken if there is any.
  package internal(set) var problems: [String] = []

  /// Whether a step can lose values of rows.
  package var isDestructive: Bool { steps.contains(where: \.isDestructive) }
}
