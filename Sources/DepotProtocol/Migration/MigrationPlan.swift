/// The steps that migrate a store from one schema to another without the help of a program.
package struct MigrationPlan: Hashable, Sendable {
  package let old: Schema
  package let new: Schema
  /// The steps in executable order: removals, names, additions, values, and then indexes.
  ///
  /// Two properties that exchange their names can only be renamed together.
  package let steps: [SchemaChange]
  /// The changes that only a program can make, in words; if there are any, no step may be taken.
  package let problems: [String]
  /// The problems that exist only if rows lack a required value.
  package let rowProblems: [RowProblem]

  /// A problem of a step that exists only if rows lack a value.
  package struct RowProblem: Hashable, Sendable {
    package let step: SchemaChange
    package let problem: String
  }

  /// Finds the steps between two valid schemas.
  ///
  /// Renamed entities and properties are recognized by their `originalName`. Existing rows can
  /// still prevent a step that ``SchemaChange/needsRowCheck``.
  package static func infer(from old: Schema, to new: Schema) -> MigrationPlan {
    let inference = SchemaInference(from: old, to: new)
    var problems: [String] = []
    for case let problem? in inference.findings.map(\.problem) where !problems.contains(problem) {
      problems.append(problem)
    }
    let steps = inference.findings.compactMap(\.change).enumerated().map { place, change in
      (change, order: (inference.leavesSubentities(change) ? 13 : change.phase, place))
    }.sorted { $0.order < $1.order }
    return MigrationPlan(
      old: old,
      new: new,
      steps: steps.map(\.0),
      problems: problems,
      rowProblems: inference.findings.compactMap { finding in
        guard finding.isAboutRows, let step = finding.change, let problem = finding.problem else {
          return nil
        }
        return RowProblem(step: step, problem: problem)
      }
    )
  }

  /// Returns the plan without problems of steps whose rows all have the required values.
  package func lookingAtRows(
    _ areLacking: (SchemaChange) throws -> Bool
  ) rethrows -> MigrationPlan {
    let unsolved = try rowProblems.filter { try areLacking($0.step) }
    let solved = Set(rowProblems.map(\.problem)).subtracting(unsolved.map(\.problem))
    return MigrationPlan(
      old: old,
      new: new,
      steps: steps,
      problems: problems.filter { !solved.contains($0) },
      rowProblems: unsolved
    )
  }

  /// Whether a step can lose values of rows.
  package var isDestructive: Bool { steps.contains(where: \.isDestructive) }
}

extension SchemaInference {
  /// Whether a step removes an entity that has a remaining subentity.
  fileprivate func leavesSubentities(_ change: SchemaChange) -> Bool {
    guard case .removedEntity(let entity) = change else { return false }
    return old.descendants(of: entity.name).contains { subentity in
      origins.contains { $0.value == subentity.name }
    }
  }
}

extension SchemaChange {
  /// The order of execution: steps of a lower phase come first.
  ///
  /// Names are freed before others take them, and values are converted before indexes are made.
  fileprivate var phase: Int {
    switch self {
    case .removedEntity: 0
    case .renamedEntity: 1
    case .addedEntity: 2
    case .removedIndex: 3
    case .removedAttribute, .removedRelationship: 4
    case .changedAttribute(_, _, _, .name), .changedRelationship(_, _, _, .name): 5
    case .changedParent, .changedAbstract, .changedHashModifier, .changedHistory: 6
    case .changedAttribute(_, _, _, .owner), .changedRelationship(_, _, _, .owner): 7
    case .addedAttribute, .addedRelationship: 8
    case .changedAttribute(_, _, _, .derivation): 11
    case .changedAttribute(_, _, _, .unique), .changedAttribute(_, _, _, .indexed),
      .changedAttribute(_, _, _, .spotlight), .changedAttribute(_, _, _, .validation),
      .addedIndex:
      12
    case .changedAttribute: 9
    case .changedRelationship: 10
    }
  }
}
