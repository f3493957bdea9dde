/// The formats of files that can be imported.
enum ImportFormat: String, CaseIterable, Sendable {
  case json
  case ndjson
  case csv
  case tsv

  /// Guesses the format by the name of a file and its first bytes.
  init(fileName: String, start: UnsafeRawBufferPointer) {
    let ending = fileName.split(separator: ".").last.map { $0.lowercased() }
    let first = start.first { $0 > 0x20 }
    switch ending {
    case "csv": self = .csv
    case "tsv", "tab": self = .tsv
    case "json": self = .json
    case "ndjson", "jsonl":
      self = first == UInt8(ascii: "[") || Self.isLaidOut(start) ? .json : .ndjson
    default:
      switch first {
      case UInt8(ascii: "["): self = .json
      case UInt8(ascii: "{"): self = Self.hasWholeObject(start) ? .ndjson : .json
      case nil: self = .ndjson
      default: self = start.prefix { $0 != 0x0A }.contains(0x09) ? .tsv : .csv
      }
    }
  }

  /// Whether the first record continues on the next line, or lines end with CR alone.
  ///
  /// If the second line begins with a brace, the first record is cut off instead.
  private static func isLaidOut(_ start: UnsafeRawBufferPointer) -> Bool {
    if !start.contains(0x0A) { return start.contains(0x0D) }
    let lines = start.split(separator: 0x0A).filter { $0.contains { $0 > 0x20 } }
    guard lines.count > 1, !hasWholeObject(start) else { return false }
    return lines[1].first { $0 > 0x20 } != UInt8(ascii: "{")
  }

  /// Whether the first line may be a whole record, rather than the beginning of one.
  private static func hasWholeObject(_ start: UnsafeRawBufferPointer) -> Bool {
    guard let line = start.split(separator: 0x0A).first(where: { $0.contains { $0 > 0x20 } }) else {
      return true
    }
    return line.count == start.count || line.last { $0 > 0x20 } == UInt8(ascii: "}")
  }
}
