public import DepotProtocol

extension BlockingConnection {
  /// Calls `body` with the bytes of a value in external storage as they arrive, in pieces of 64 KiB
  /// at most.
  ///
  /// - Parameters:
  ///   - request: Which value, and what part of it.
  ///   - deadline: How long to wait at most.
  ///   - body: What to do with a piece; of a text it is UTF-8.
  /// - Returns: The length of the whole value; `nil` if it is null.
  /// - Throws: ``DepotError`` `notfound.object` and others, or what `body` throws, after the call
  /// was   cancelled.
  @discardableResult
  public func readBlob(
    _ request: BlobReadRequest,
    deadline: Duration? = nil,
    _ body: ([UInt8]) throws -> Void
  ) throws -> Int? {
    var pieces = BlobPieces()
    let node = try withoutActuallyEscaping(body) { body in
      try call(
        .readBlob(request),
        deadline: deadline,
        columns: { pieces.begin($0) },
        rows: { try body(pieces.read(&$0)) }
      )
    }
    var reader = try JSONObjectReader(node)
    let length = try reader.required("length")
    return length.kind == .null ? nil : Int(try length.int64())
  }

  /// Writes a part of a value in external storage, on disk when this returns.
  ///
  /// - Returns: The length of the value, or of what was uploaded of it.
  /// - Throws: ``DepotError`` `notfound.object` and others.
  @discardableResult
  public func writeBlob(
    _ request: BlobWriteRequest,
    deadline: Duration? = nil,
    key: String? = nil
  ) throws -> Int {
    try call(.writeBlob(request), deadline: deadline, key: key).count("length")
  }

  /// Gives an attribute in external storage a value of any size.
  ///
  /// Nobody sees the new value before all of it is there. It is held in memory piece by piece only.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - identifier: The row.
  ///   - attribute: The path of the attribute.
  ///   - isText: Whether the attribute is a text and not data.
  ///   - chunks: Returns the next bytes, of a text in UTF-8, and `nil` after the last. What it
  ///     throws leaves the value as it was.
  /// - Returns: The length of the value in bytes.
  /// - Throws: ``DepotError`` `notfound.object` and others, or what `chunks` throws.
  @discardableResult
  public func writeBlob(
    _ entity: String,
    _ identifier: Int64,
    _ attribute: String,
    isText: Bool = false,
    chunks: () throws -> [UInt8]?
  ) throws -> Int {
    var upload = BlobUpload(entity, identifier, attribute, isText: isText)
    while let chunk = try chunks() {
      for operation in upload.add(chunk) { _ = try call(operation) }
    }
    return try call(upload.finish()).count("length")
  }

  /// Gives an attribute in external storage a value of any size, whose chunks are in a sequence.
  @discardableResult
  public func writeBlob(
    _ entity: String,
    _ identifier: Int64,
    _ attribute: String,
    isText: Bool = false,
    from chunks: some Sequence<[UInt8]>
  ) throws -> Int {
    var iterator = chunks.makeIterator()
    return try writeBlob(entity, identifier, attribute, isText: isText) { iterator.next() }
  }
}
