public import DepotProtocol

extension BlockingConnection {
  /// Calls `body` with the bytes of a value in external storage as they arrive, in pieces of 64 KiB
  /// at most.
  ///
  /// - Parameters:
  ///   - request: The value, and the part of it to read.
  ///   - deadline: How long to wait at most.
  ///   - body: Takes a piece; of a text it is UTF-8.
  /// - Returns: The length of the whole value; `nil` if it is null.
  /// - Throws: ``DepotError`` `notfound.object` and others, or errors of `body`, after the call was
  ///   cancelled.
  @discardableResult
  public func readBlob(
    _ request: BlobReadRequest,
    deadline: Duration? = nil,
    _ body: ([UInt8]) throws -> Void
  ) throws -> Int? {
    try readPieces(request, deadline: deadline, body).end.length
  }

  /// Does the same, and returns the type of the pieces, too.
  private func readPieces(
    _ request: BlobReadRequest,
    deadline: Duration?,
    _ body: ([UInt8]) throws -> Void
  ) throws -> (end: BlobEnd, pieces: BlobPieces) {
    var pieces = BlobPieces()
    let node = try stream(
      .readBlob(request),
      deadline,
      { pieces.begin($0) },
      nil,
      { try body(pieces.read(&$0)) }
    )
    return (try BlobEnd(node), pieces)
  }

  /// Reads a whole value as JSON, with the version of its row.
  package func blobText(
    _ request: BlobReadRequest,
    deadline: Duration? = nil
  ) throws -> (json: [UInt8], version: Int64) {
    var bytes: [UInt8] = []
    let (end, pieces) = try readPieces(request, deadline: deadline) { bytes += $0 }
    return (pieces.json(bytes, end), end.version)
  }

  /// Writes a value like ``Client/writeBlob(_:_:_:isText:from:)``.
  ///
  /// The bytes are the results of `chunks`, up to `nil`; if it throws, the value stays unchanged.
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
      for operation in upload.add(chunk) { _ = try send(operation) }
    }
    return try send(upload.finish()).count("length")
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
