internal import DepotProtocol

extension Attribute {
  /// Sets the values of the columns as the defaults.
  mutating func setDefaults(_ values: inout ArraySlice<Value>) {
    guard type == .composite else {
      guard let value = values.popFirst(), !value.isNull else { return }
      if collection == nil, value.type != type { return }
      defaultValue = value
      return
    }
    // An absent optional composite has no values. A present one can't be a default.
    let isAbsent = isOptional && values.popFirst() != .bool(true)
    for index in properties.indices {
      if isAbsent {
        properties[index].skip(&values)
      } else {
        properties[index].setDefaults(&values)
      }
    }
  }

  /// Leaves out the values of the columns.
  private func skip(_ values: inout ArraySlice<Value>) {
    if type != .composite || isOptional { values.removeFirst(min(1, values.count)) }
    for property in properties { property.skip(&values) }
  }
}
