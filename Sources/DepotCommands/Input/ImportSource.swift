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
    let first = try file.read()
    switch format ?? ImportFormat(fileName: file.name, start: first) {
    case .ndjson: try readJSON(.lines, first, file, importer)
    case .json: try readJSON(.objects, first, file, importer)
    case .csv: try readDelimited(UInt8(ascii: ","), first, file, importer)
    case .tsv: try readDelimited(UInt8(ascii: "\t"), first, file, importer)
    }
    try importer.finish()
  }

  private static func readJSON(
    _ form: RecordSplitter.Form,
    _ first: UnsafeRawBufferPointer,
    _ file: InputFile,
    _ importer: Importer
  ) throws {
    var splitter = RecordSplitter(form)
    var piece = first
    while true {
      splitter.receive(piece)
      while let record = try splitter.next() { try importer.add(record) }
      if piece.isEmpty { return }
      piece = try file.read()
    }
  }

  private static func readDelimited(
    _ delimiter: UInt8,
    _ first: UnsafeRawBufferPointer,
    _ file: InputFile,
    _ importer: Importer
  ) throws {
    var reader = DelimitedReader(delimiter: delimiter)
    var piece = first
    while true {
      try reader.receive(piece)
      while let record = reader.next() { try importer.add(record) }
      if piece.isEmpty { return }
      piece = try file.read()
    }
  }
}
