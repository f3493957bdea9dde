internal import DepotProtocol

/// The forms of files that can be imported.
enum ImportFormat: String, CaseIterable, Sendable {
  case json
  case ndjson
  case csv
  case tsv

  /// Guesses the format by the name of a file and its first bytes.
  init(fileName: String, start: UnsafeRawBufferPointer) {
    let ending = fileName.split(separator: ".").last.map { $0.lowercased() }
    let first = start.first { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }
    switch ending {
    case "csv": self = .csv
    case "tsv", "tab": self = .tsv
    case "json": self = .json
    case "ndjson", "jsonl": self = first == UInt8(ascii: "[") ? .json : .ndjson
    default:
      switch first {
      case UInt8(ascii: "["): self = .json
      case UInt8(ascii: "{"), nil: self = .ndjson
      default: self = start.prefix { $0 != 0x0A }.contains(0x09) ? .tsv : .csv
      }
    }
  }
}
