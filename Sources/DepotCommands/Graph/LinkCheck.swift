internal import DepotProtocol

/// A check, before anything is stored, that the rows referenced by a file's records exist.
struct LinkCheck {
  /// The first reference to a row.
  private struct Use {
    var line: Int
    var reference: GraphReference
    var link: RecordLink
  }

  private var present: [NaturalKey: Set<Value>] = [:]
  private var keys: [NaturalKey: [Value: Use]] = [:]

  /// Notes the references of a record, and the keys by which others may refer to it.
  mutating func add(_ record: GraphRecord) {
    for row in record.rows {
      for (key, value) in row.keys { present[key, default: []].insert(value) }
      for link in row.links {
        for reference in link.references {
          guard case .key(let key, let value) = reference, keys[key]?[value] == nil else {
            continue
          }
          let use = Use(line: record.line, reference: reference, link: link.record)
          keys[key, default: [:]][value] = use
        }
      }
    }
  }

  /// Returns the references to rows that are neither in the file nor in the store.
  func missing(_ service: any GraphService) throws -> [NaturalKey: Set<Value>] {
    var missing: [NaturalKey: Set<Value>] = [:]
    for (key, uses) in keys {
      let wanted = uses.keys.filter { present[key]?.contains($0) != true }
      let found = Set(try service.find(key, wanted).map(\.0))
      let values = Set(wanted).subtracting(found)
      if !values.isEmpty { missing[key] = values }
    }
    return missing
  }

  /// Returns the error about the first of some references, with its line, or `nil`.
  func error(_ references: [NaturalKey: Set<Value>]) -> (error: DepotError, line: Int)? {
    let missing = references.flatMap { key, values in values.compactMap { keys[key]?[$0] } }
    guard let first = missing.min(by: { $0.line < $1.line }) else { return nil }
    var error = first.reference.error(at: first.link.relationship)
    if missing.count > 1 {
      error.message += " \(Numbers.counted(missing.count - 1, "other row")) that links lead to "
      error.message += missing.count == 2 ? "is missing too." : "are missing too."
    }
    return (error, first.line)
  }
}
