internal import DepotLinux
internal import DepotProtocol

/// Reads a journal, to continue an interrupted import.
extension ImportJournal {
  /// Opens the journal of an import, and returns the notes of an interrupted one of the same source.
  ///
  /// - Parameters:
  ///   - path: The journal's path.
  ///   - source: The fingerprint of the imported files.
  ///   - stores: The identifiers of the stores to import into.
  ///   - group: The group for an import that begins.
  ///   - beginsAgain: Whether an existing journal is replaced by an empty one.
  /// - Returns: The journal, and its notes if there are any.
  /// - Throws: ``DepotError`` `request.usage` if it is of another import, or of one into other stores,
  ///   `storage.io` if it can't be read or written.
  static func open(
    path: String,
    source: String,
    stores: [String] = [],
    group: String = "",
    beginsAgain: Bool = false
  ) throws(DepotError) -> (ImportJournal, History?) {
    func begin() throws(DepotError) -> ImportJournal {
      try ImportJournal(path: path, source: source, stores: stores, group: group, isNew: true)
    }
    guard let bytes = FileSystem.contents(of: path, limit: 1 << 32), !bytes.isEmpty else {
      return (try begin(), nil)
    }
    let history = try read(bytes, path: path)
    guard beginsAgain || history.stores.isEmpty || history.stores == stores else {
      throw DepotError(.usage, "\(path) belongs to an import into another store.")
        .hint("With --begin-again the same command imports all of it again.")
    }
    guard history.source == source else {
      throw DepotError(.usage, "\(path) belongs to the import of another file, or in another way.")
        .hint("Repeat the command that was interrupted, or name another journal.")
    }
    if beginsAgain { return (try begin(), nil) }
    let journal = try ImportJournal(
      path: path,
      source: source,
      stores: stores,
      group: history.group,
      token: history.token,
      isNew: false
    )
    if bytes.last != 0x0A { try journal.cut() }
    return (journal, history)
  }

  /// Returns the identifiers of the stores in a journal; `nil` if a file isn't one, or has none.
  static func store(ofJournal path: String) -> [String]? {
    guard !FileSystem.isOtherThanFile(path), let file = try? Descriptor.open(reading: path) else {
      return nil
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
    defer { buffer.deallocate() }
    guard let count = try? file.read(into: buffer), count > 0,
      let line = buffer[..<count].split(separator: 0x0A, maxSplits: 1).first,
      line.starts(with: "{\"source\":".utf8),
      let value = try? JSONValue(parsing: Array(line))
    else { return nil }
    return value["stores"]?.array?.compactMap(\.string)
  }

  /// Returns a hash of files' contents and of facts about their import, as 16 hexadecimal digits.
  ///
  /// - Throws: ``DepotError`` if a file can't be read.
  static func fingerprint(of paths: [String], facts: String) throws(DepotError) -> String {
    var checksum = Checksum()
    for path in paths {
      let file = try InputFile(path)
      while case let piece = try file.read(), !piece.isEmpty { checksum.add(piece) }
    }
    Array(facts.utf8).withUnsafeBytes { checksum.add($0) }
    return checksum.digits
  }

  /// Reads the lines of a journal; the last line may be cut off.
  ///
  /// - Throws: ``DepotError`` `storage.io` if it is no journal.
  static func read(_ bytes: [UInt8], path: String) throws(DepotError) -> History {
    var history = History()
    var file = ""
    let lines = bytes.split(separator: 0x0A)
    for (number, line) in lines.enumerated() {
      // Requests cut off by the interruption were never sent.
      guard let node = try? JSONDocument(Array(line), valueLimit: .max).root else {
        if number == lines.count - 1 { break }
        if String(decoding: lines[number + 1], as: UTF8.self) == #"{"cut":true}"# { continue }
        throw DepotError(.io, "\(path) is no journal of an import.").at("line \(number + 1)")
      }
      var reader = try JSONObjectReader(node)
      if let entity = try reader.optionalString("file") { file = entity }
      if let source = try reader.optionalString("source") { history.source = source }
      if let group = try reader.optionalString("group") { history.group = group }
      if let token = reader.optional("token"), !token.isNull {
        history.token = try HistoryToken(token.string())
      }
      if let stores = reader.optional("stores") {
        history.stores = try stores.elements().map { (node) throws(DepotError) in
          try node.string()
        }
      }
      try history.files[file, default: State()].read(node)
    }
    guard !history.source.isEmpty else {
      throw DepotError(.io, "\(path) is no journal of an import.")
    }
    return history
  }
}

extension ImportJournal.State {
  fileprivate mutating func read(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    if let key = try reader.optionalString("begin") {
      let document = try JSONDocument(Array("\"save\"".utf8))
      let operation = try Operation(document.root, arguments: reader.required("save"))
      guard case .save(let request) = operation else { return }
      pending = ImportJournal.Pending(
        request: request,
        key: key,
        records: try reader.required("records").integers(),
        deferred: try reader.required("deferring").integers(),
        rows: try reader.required("rows").fileRows(),
        related: try reader.optional("related")?.counts() ?? [:]
      )
      sent += 1
    }
    if reader.optional("fail") != nil { pending = nil }
    if let record = try reader.optionalInt("reject") {
      handled.insert(record)
      outcome.rejected += 1
    }
    if let record = try reader.optionalInt("unlinked") {
      deferred[record] = nil
      outcome.unlinked += 1
    }
    if let records = reader.optional("linked") {
      for record in try records.integers() { deferred[record] = nil }
    }
    if let records = reader.optional("end") {
      handled.formUnion(try records.integers())
      for (name, value) in try reader.required("rows").members() {
        if let row = pending?.rows[try name.string()] { rows[row] = try value.int64() }
      }
      pending = nil
      let runs = try reader.optional("stored")?.integers() ?? []
      for place in stride(from: 0, to: runs.count - 1, by: 2) where runs[place] <= runs[place + 1] {
        stored.append(Int64(runs[place])...Int64(runs[place + 1]))
      }
      outcome.inserted = try reader.optionalInt("inserted") ?? 0
      outcome.updated = try reader.optionalInt("updated") ?? 0
      outcome.skipped = try reader.optionalInt("skipped") ?? 0
      outcome.related = try reader.optional("related")?.counts() ?? [:]
      for (name, value) in try reader.required("deferred").members() {
        if let record = Int(try name.string()) { deferred[record] = try value.int64() }
      }
    }
  }
}

extension JSONNode {
  fileprivate func fileRows() throws(DepotError) -> [String: ImportJournal.FileRow] {
    var result: [String: ImportJournal.FileRow] = [:]
    for (name, value) in try members() {
      let texts = try value.elements()
      guard texts.count == 2 else { continue }
      result[try name.string()] = ImportJournal.FileRow(
        entity: try texts[0].string(),
        name: try texts[1].string()
      )
    }
    return result
  }

  fileprivate func counts() throws(DepotError) -> [String: Int] {
    var result: [String: Int] = [:]
    for (name, value) in try members() { result[try name.string()] = Int(try value.int64()) }
    return result
  }

  fileprivate func integers() throws(DepotError) -> [Int] {
    try elements().map { (element) throws(DepotError) in Int(try element.int64()) }
  }
}
