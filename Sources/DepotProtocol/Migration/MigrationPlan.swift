/// What takes a store from one version of its schema to another without help from a program.
package struct MigrationPlan: Hashable, Sendable {
  package let old: Schema
  package let new: Schema
  /// The steps, in the order in which they can be taken: names first, removed entities last.
  package let steps: [SchemaChange]
  /// What only a program can do, in words; none of the steps may be taken if there is any.
  package let problems: [String]

  /// Finds the steps between two valid schemas.
  ///
  /// What was renamed is known by its `originalName`. Rows that exist can still be in the way of a
  /// step that ``SchemaChange/needsRowCheck``.
  package static func infer(from old: Schema, to new: Schema) -> MigrationPlan {
    let inference = SchemaInference(from: old, to: new)
    var problems: [String] = []
    for case let problem? in inference.findings.map(\.problem) where !problems.contains(problem) {
      problems.append(problem)
    }
    let changes = inference.findings.compactMap(\.change)
    let steps = changes.enumerated().sorted { left, right in
      (left.element.phase, left.offset) < (right.element.phase, right.offset)
    }
    return MigrationPlan(old: old, new: new, steps: steps.map(\.element), problems: problems)
  }

  /// Whether a step can lose values of rows.
  package var isDestructive: Bool { steps.contains(where: \.isDestructive) }
}

extension SchemaChange {
  /// When the step is taken: a step of a lower phase comes first.
  fileprivate var phase: Int {
    switch self {
    case .renamedEntity: 0
    case .addedEntity: 1
    case .removedIndex: 2
    case .changedAttribute(_, _, _, .name), .changedRelationship(_, _, _, .name): 3
    case .changedParent, .changedAbstract, .changedHashModifier: 4
    case .changedAttribute(_, _, _, .owner), .changedRelationship(_, _, _, .owner): 5
    case .addedAttribute, .addedRelationship: 6
    case .changedAttribute(_, _, _, .unique), .changedAttribute(_, _, _, .indexed),
      .changedAttribute(_, _, _, .spotlight), .changedAttribute(_, _, _, .validation),
      .addedIndex:
      10
    case .changedAttribute(_, _, _, .derivation): 9
    case .changedAttribute: 7
    case .changedRelationship: 8
    case .removedAttribute, .removedRelationship: 11
    case .removedEntity: 12
    }
  }
}
