internal import DepotProtocol

/// The reading of a file's records in its format.
enum ImportSource {
  /// Gives all records of a file, of which nothing was read, to one of two functions: objects of JSON, or
  /// rows of CSV with the header.
  static func read(
    _ file: InputFile,
    form: InputForm,
    object: (InputRecord) throws -> Void,
    delimited: (DelimitedRecord) throws -> Void
  ) throws {
    let first = try file.readStart()
    switch form.format ?? ImportFormat(fileName: file.name, start: first) {
    case .ndjson: try readJSON(.lines, first, file, object)
    case .json: try readJSON(.objects, first, file, path: form.path, object)
    case .csv: try readDelimited(form.separator ?? UInt8(ascii: ","), first, file, delimited)
    case .tsv: try readDelimited(UInt8(ascii: "\t"), first, file, delimited)
    }
  }

  private static func readJSON(
    _ form: RecordSplitter.Form,
    _ first: UnsafeRawBufferPointer,
    _ file: InputFile,
    path: [String]? = nil,
    _ body: (InputRecord) throws -> Void
  ) throws {
    var locator = path.map { JSONLocator($0) }
    var splitter = RecordSplitter(form)
    var isFirst = true
    var piece = first
    while true {
      if let part = try locator?.receive(piece) {
        splitter.begin(line: locator?.line ?? 1)
        if piece.isEmpty || !part.isEmpty {
          splitter.receive(UnsafeRawBufferPointer(rebasing: piece[part]))
        }
      } else {
        splitter.receive(piece)
      }
      while let record = try splitter.next() {
        do {
          try body(record)
        } catch let error as DepotError where isFirst && path == nil {
          throw advised(error, record)
        }
        isFirst = false
      }
      if piece.isEmpty { return }
      piece = try file.read()
    }
  }

  /// Returns the error about a first record with the places of the arrays in it, if it may be a document
  /// that holds the records.
  private static func advised(_ error: DepotError, _ record: InputRecord) -> DepotError {
    guard [.unknownAttribute, .type].contains(error.code) else { return error }
    return error.hint(JSONArrayPlaces(in: record.bytes).advice)
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
      do throws(DepotError) {
        try reader.receive(piece)
      } catch {
        // The header may show why what follows can't be read.
        while let record = reader.next() { try body(record) }
        throw error
      }
      while let record = reader.next() { try body(record) }
      if piece.isEmpty { return }
      piece = try file.read()
    }
  }
}
