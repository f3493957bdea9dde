internal import DepotClientCore
internal import DepotProtocol

/// `depot blob get`: a text or data, or a part of it.
enum BlobGetVerb {
  private static let range: OptionSpec =
    "--range A-B: only the bytes from A to B, both included; B may be left out"

  static let verb = Verb(
    name: "blob get",
    operands: .init("ENTITY/ID ATTRIBUTE", 2...2, .entities),
    summary: "write a text or data of any size to standard output",
    details: """
      A text is written as UTF-8, in which bytes are counted; a part of it must begin and end where
      characters do. Nothing is written if the value is null.
      """,
    examples: [
      "depot blob get Photo/42 image > photo.jpg",
      "depot blob get Photo/42 image --range 0-1023 | file -",
    ],
    options: [range]
  ) { session in
    let invocation = session.invocation
    let (entity, identifier) = try Selection.row(invocation.operands[0])
    var request = BlobReadRequest(
      entity: entity,
      identifier: identifier,
      attribute: invocation.operands[1]
    )
    if let text = invocation.value(range) {
      let bounds = try ByteRange.read(text)
      request.offset = bounds.offset
      request.length = bounds.length
    }
    try session.connect().readBlob(request) { bytes in
      session.output.bytes.append(contentsOf: bytes)
      try session.output.flushIfLarge()
    }
    try session.output.flush()
  }
}

/// `depot blob put`: a text or data from a file.
enum BlobPutVerb {
  static let verb = Verb(
    name: "blob put",
    operands: .init("ENTITY/ID ATTRIBUTE FILE", 3...3, .entities, .files),
    summary: "give a text or data the content of a file of any size",
    details: """
      - is standard input. Others see the new value when all of it is there. A text must be UTF-8.
      """,
    examples: [
      "depot blob put Photo/42 image photo.jpg", "gzip -c log | depot blob put Archive/7 file -",
    ]
  ) { session in
    let invocation = session.invocation
    let (entity, identifier) = try Selection.row(invocation.operands[0])
    let attribute = invocation.operands[1]
    let file = try InputFile(invocation.operands[2])
    let connection = try session.connect()
    let schema = try connection.schema()
    let fields = schema.fields(of: try schema.entity(named: entity))
    let type = fields.first { $0.path == attribute }?.attribute.type
    let isText = type == .string
    var check = UTF8Check()
    let length = try connection.writeBlob(entity, identifier, attribute, isText: isText) {
      let bytes = Array(try file.read())
      if isText { try check.add(bytes, of: file.name) }
      return bytes.isEmpty ? nil : bytes
    }
    let value: [String: JSONValue] = ["length": .int64(Int64(length))]
    session.write(.object(value), orText: "\(Numbers.size(bytes: length)) written.")
  }
}

/// A part of a text or data.
enum ByteRange {
  /// Reads `A-B` or `A-`.
  static func read(_ text: String) throws(DepotError) -> (offset: Int, length: Int?) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = Int(parts[0]), first >= 0,
      parts[1].isEmpty || Int(parts[1]).map({ $0 >= first && $0 < .max }) == true
    else {
      throw DepotError(.usage, "\(text.debugDescription) is no range of bytes.")
        .hint("Write the first and the last byte, as in 0-1023, or only the first: 1024-.")
    }
    return (first, Int(parts[1]).map { $0 - first + 1 })
  }
}

/// The check that the pieces of a file are valid UTF-8 together.
struct UTF8Check {
  private var rest: [UInt8] = []

  /// - Throws: ``DepotError`` `request.type` if the bytes aren't UTF-8, or end within a character.
  mutating func add(_ bytes: [UInt8], of name: String) throws(DepotError) {
    var all = rest + bytes
    // A character may continue in the next piece.
    rest = bytes.isEmpty ? [] : all.suffix(UTF8Edges.incompleteCount(all))
    all.removeLast(rest.count)
    guard String(validating: all, as: UTF8.self) != nil else {
      throw DepotError(.type, "\(name) isn't UTF-8, which a text must be.")
    }
  }
}
