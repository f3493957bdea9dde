internal import FoundationEssentials

extension Value {
  /// Whether the value is NaN, as a double or a date.
  package var isNaN: Bool {
    switch self {
    case .double(let value): value.isNaN
    case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }
}
