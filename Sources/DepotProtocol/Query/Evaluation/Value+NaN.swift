internal import FoundationEssentials

extension Value {
  /// Whether the value is a double or date that is no number.
  package var isNaN: Bool {
    switch self {
    case .double(let value): value.isNaN
    case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }
}
