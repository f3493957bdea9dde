internal import DepotProtocol

/// A value in the report of a conflict.
enum ConflictValue {
  /// The value as the client wrote it.
  case text(ArraySlice<UInt8>)
  case stored(HistoryValue)
  /// The length in bytes of a value that is too large for a report.
  case length(Int)

  /// The size in bytes up to which values are reported.
  private static let byteLimit = 64 << 10

  /// The value, or its length if it is too large; it keeps no page of the history in memory.
  var shortened: ConflictValue {
    switch self {
    case .text(let text) where text.count > Self.byteLimit:
      let count = (try? text.withField { $0.string?.utf8.count }) ?? text.count
      return count > Self.byteLimit ? .length(count) : self
    case .stored(let value):
      let count = value.withCell(\.byteCount)
      return count > Self.byteLimit ? .length(count) : .stored(value.copy)
    case .text, .length: return self
    }
  }

  /// The whole number that a client wrote, or `nil`.
  var int64: Int64? {
    if case .text(let text) = self { try? text.withField(\.int64) } else { nil }
  }
}
