internal import DepotProtocol

/// Reads a file's records in its format.
enum ImportSource {
  /// Passes all records of an unread file to one of two functions.
  ///
  /// They are JSON objects, or rows of CSV with the header.
  ///
  /// Text that isn't a record is passed with its fault.
  static func read(
    _ file: InputFile,
    form: InputForm,
    object: (InputRecord) throws -> Void,
    delimited: (DelimitedRecord) throws -> Void
  ) throws {
    let first = try file.readStart()
    if let refusal = FileKind(of: first)?.refusal(file.name) { throw refusal }
    let guess = ImportFormat(fileName: file.name, start: first)
    var format = form.format ?? guess
    if form.format == nil, form.isDelimited, format != .csv {
      format = form.hasEscapes || guess == .tsv ? .tsv : .csv
    }
    switch format {
    case .ndjson: try readJSON(.lines, first, file, object)
    case .json: try readJSON(.objects, first, file, path: form.path, object)
    case .csv, .tsv:
      let standard = format == .csv ? UInt8(ascii: ",") : UInt8(ascii: "\t")
      let named = separatorLine(first)
      let rows = UnsafeRawBufferPointer(rebasing: first[(named?.length ?? 0)...])
      let reader = DelimitedReader(
        delimiter: form.separator ?? named?.separator ?? standard,
        // The text format of COPY has no quotation marks.
        hasQuotes: !form.hasEscapes || format == .csv,
        hasEscapes: form.hasEscapes,
        line: named == nil ? 1 : 2
      )
      try readDelimited(reader, isHeaderNeeded: form.hasHeader, rows, file, delimited)
    }
  }

  /// Returns the separator that a first line such as `sep=;` names, by which Excel opens the file.
  private static func separatorLine(
    _ start: UnsafeRawBufferPointer
  ) -> (separator: UInt8, length: Int)? {
    let line = start.prefix { $0 != 0x0A }
    let text = line.last == 0x0D ? line.dropLast() : line
    guard line.count < start.count, text.count == 5,
      String(decoding: text.prefix(4), as: UTF8.self).lowercased() == "sep="
    else { return nil }
    return (text[text.startIndex + 4], line.count + 1)
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
        splitter.begin(line: locator?.firstLine ?? 1)
        if piece.isEmpty || !part.isEmpty {
          splitter.receive(UnsafeRawBufferPointer(rebasing: piece[part]))
        }
      } else {
        splitter.receive(piece)
      }
      while let record = splitter.next() {
        do {
          try body(record)
        } catch let error as DepotError where isFirst && path == nil {
          throw advised(error, record)
        }
        isFirst = false
      }
      if let fault = locator?.takeFault() { try body(fault) }
      if piece.isEmpty { return }
      piece = try file.read()
    }
  }

  /// Returns the error about a first record, with the paths of the arrays of objects in it.
  ///
  /// The file may be one document that contains the records.
  private static func advised(_ error: DepotError, _ record: InputRecord) -> DepotError {
    guard [.unknownAttribute, .type].contains(error.code) else { return error }
    return error.hint(JSONArrayPointers(in: record.bytes).advice)
  }

  private static func readDelimited(
    _ reader: DelimitedReader,
    isHeaderNeeded: Bool,
    _ first: UnsafeRawBufferPointer,
    _ file: InputFile,
    _ body: (DelimitedRecord) throws -> Void
  ) throws {
    var reader = reader
    var piece = first
    var isEmpty = true
    while true {
      reader.receive(piece)
      while let record = reader.next() {
        isEmpty = false
        try body(record)
      }
      if piece.isEmpty { break }
      piece = try file.read()
    }
    if isEmpty, isHeaderNeeded {
      var nothing = DelimitedRecord()
      nothing.fault = DepotError(.type, "\(file.name) is empty; it has no header.")
      try body(nothing)
    }
  }
}
