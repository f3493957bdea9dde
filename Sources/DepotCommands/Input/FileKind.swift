internal import DepotProtocol

/// The kinds of files that can't be imported as they are, by their first bytes.
enum FileKind: CaseIterable {
  case gzip
  case zstd
  case xz
  case bzip2
  /// A ZIP archive, the format of spreadsheets.
  case zip
  case sqlite

  /// Recognizes a file; `nil` if it may hold records.
  init?(of start: UnsafeRawBufferPointer) {
    guard let kind = Self.allCases.first(where: { start.starts(with: $0.start) }) else {
      return nil
    }
    self = kind
  }

  private var start: [UInt8] {
    switch self {
    case .gzip: [0x1F, 0x8B]
    case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
    case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A]
    case .bzip2: Array("BZh".utf8)
    case .zip: [0x50, 0x4B, 0x03, 0x04]
    case .sqlite: Array("SQLite format 3\0".utf8)
    }
  }

  /// Returns the error for a file of this kind, with advice how to extract its records.
  func refusal(_ name: String) -> DepotError {
    let isFile = name != InputFile.standardInput
    let file = isFile ? CommandWords.quoted(name) : "FILE"
    switch self {
    case .gzip, .zstd, .xz, .bzip2:
      let isNamed = ["gz", "zst", "xz", "bz2"].contains { name.hasSuffix("." + $0) }
      let stem = name.lastIndex(of: ".").flatMap { isNamed ? String(name[..<$0]) : nil }
      let unpacked = CommandWords.quoted(stem ?? name + ".unpacked")
      return DepotError(.usage, "\(name) is packed by \(self).").hint(
        isFile
          ? "Unpack it first: \(self) -dc < \(file) > \(unpacked)"
          : "Unpack it on the way: \(self) -dc FILE | depot …"
      )
    case .zip:
      return DepotError(.usage, "\(name) is a ZIP archive.")
        .hint("Unpack it; if it is of a spreadsheet, save that as CSV.")
    case .sqlite:
      return DepotError(.usage, "\(name) is an SQLite database.")
        .hint(
          "Write a table of it as JSON: sqlite3 -json \(file) 'SELECT * FROM TABLE' > TABLE.json"
            + "\nFor a store of SwiftData or Core Data: depot import --apple \(file) --infer"
        )
    }
  }
}
