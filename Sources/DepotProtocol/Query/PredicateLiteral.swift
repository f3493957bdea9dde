internal import FoundationEssentials

/// Constants as the format language writes them.
enum PredicateLiteral {
  static func text(_ value: Value) -> String {
    switch value {
    case .null: return "NULL"
    case .bool(let value): return value ? "TRUE" : "FALSE"
    case .double(let number) where !number.isFinite: break
    case .int64, .double, .string: return json(value)
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      let text = json(value)
      return PredicateCast.text(text.hasPrefix("\"") ? text : json(.double(seconds)), "date")
    case .json(let text): return PredicateCast.text(json(.string(text)), "json")
    case .list(let values): return "{\(values.map(text).joined(separator: ", "))}"
    default: break
    }
    return PredicateCast.text(json(value), (value.type ?? .string).rawValue)
  }

  /// Strings and numbers are written as in JSON.
  private static func json(_ value: Value) -> String { JSONWriter.text { $0.write(value) } }
}
