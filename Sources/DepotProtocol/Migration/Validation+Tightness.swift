extension Attribute.Validation {
  /// Whether a value that satisfied `old` may break this; both are for one type.
  func isTighter(than old: Self) -> Bool {
    isAbove(minimum, old.minimum) || isBelow(maximum, old.maximum)
      || (minLength ?? 0) > (old.minLength ?? 0) || (maxLength ?? .max) < (old.maxLength ?? .max)
      || pattern != nil && pattern != old.pattern
      || !cases.isEmpty
        && (old.cases.isEmpty
          || !old.cases.allSatisfy { value in cases.contains { $0.isIdentical(to: value) } })
  }

  private func isAbove(_ new: Value?, _ old: Value?) -> Bool {
    guard let new else { return false }
    return old.map { $0 < new } ?? true
  }

  private func isBelow(_ new: Value?, _ old: Value?) -> Bool {
    guard let new else { return false }
    return old.map { new < $0 } ?? true
  }
}

extension Relationship {
  /// Whether a formerly valid number of targets may be too small or too large now.
  func hasTighterCounts(than old: Relationship) -> Bool {
    minCount > old.minCount || hasTighterMaximum(than: old)
  }

  package func hasTighterMaximum(than old: Relationship) -> Bool {
    maxCount != 0 && (old.maxCount == 0 || maxCount < old.maxCount)
  }
}
