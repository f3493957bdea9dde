internal import DepotProtocol

/// The reading of a file's records in its format.
enum ImportSource {
  /// Gives all records of `file` to `importer`.
  ///
  /// - Parameters:
  ///   - file: The file, of which nothing was read.
  ///   - format: Its format; guessed if `nil`.
  ///   - importer: What takes the records.
  /// - Throws: ``DepotError`` if the file can't be read or the first bad record ends the import.
  static func read(_ file: InputFile, format: ImportFormat?, into importer: Importer) throws {
    try read(file, format: format, object: importer.add, delimited: importer.add)
    try importer.finish()
  }

  /// Gives all records of `file` to one of two functions.
  ///
  /// - Parameters:
  ///   - file: The file, of which nothing was read.
  ///   - format: Its format; guessed if `nil`.
  ///   - object: What takes a record of JSON.
  ///   - delimited: What takes a row of CSV; the first is the header.
  /// - Throws: ``DepotError`` if the file can't be read, or what the functions throw.
  static func read(
    _ file: InputFile,
    format: ImportFormat?,
    object: (InputRecord) throws -> Void,
    delimited: (DelimitedRecord) throws -> Void
  ) throws {
    let first = try file.read()
    switch format ?? ImportFormat(fileName: file.name, start: first) {
    case .ndjson: try readJSON(.lines, first, file, object)
    case .json: try readJSON(.objects, first, file, object)
    case .csv: try readDelimited(UInt8(ascii: ","), first, file, delimited)
    case .tsv: try readDelimited(UInt8(ascii: "\t"), first, file, delimited)
    }
  }

  private static func readJSON(
    _ form: RecordSplitter.Form,
    _ first: UnsafeRawBufferPointer,
    _ file: InputFile,
    _ body: (InputRecord) throws -> Void
  ) throws {
    var splitter = RecordSplitter(form)
    var piece = first
    while true {
      splitter.receive(piece)
      while let record = try splitter.next() { try body(record) }
      if piece.isEmpty { return }
      piece = try file.read()
    }
  }

  private static func readDelimited(
    _ delimiter: UInt8,
    _ first: UnsafeRawBufferPointer,
    _ file: InputFile,
    _ body: (DelimitedRecord) throws -> Void
  ) throws {
    var reader = DelimitedReader(delimiter: delimiter)
    var piece = first
    while true {
      try reader.receive(piece)
      while let record = reader.next() { try body(record) }
      if piece.isEmpty { return }
      piece = try file.read()
    }
  }
}
