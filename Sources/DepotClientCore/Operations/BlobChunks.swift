public import DepotProtocol

/// The bytes of a value in external storage as they arrive, in pieces of 64 KiB at most.
///
/// At most ``ClientOptions/window`` pieces are held; the service waits until they are consumed.
/// Leaving the loop early cancels the read on the service. Each iterator reads anew.
public struct BlobChunks: AsyncSequence, Sendable {
  let frames: FetchedFrames

  public func makeAsyncIterator() -> Iterator { Iterator(frames: frames.makeAsyncIterator()) }

  /// The pieces of one read, which begins when the first one is asked for.
  public struct Iterator: AsyncIteratorProtocol {
    private var frames: FetchedFrames.Iterator
    private(set) var pieces = BlobPieces()

    fileprivate init(frames: FetchedFrames.Iterator) { self.frames = frames }

    /// The length of the whole value, which is known behind the last piece; `nil` if it is null.
    public var length: Int? {
      get throws { try result?.length }
    }

    /// The end of the read, once it has come.
    var result: BlobEnd? {
      get throws { try frames.result.map { node throws(DepotError) in try BlobEnd(node) } }
    }

    /// Waits for the next piece; `nil` after the last, and at once if the value is null.
    ///
    /// - Throws: ``DepotError`` if the read fails, `CancellationError` if the task was cancelled.
    public mutating func next() async throws -> [UInt8]? {
      guard let frame = try await frames.next() else { return nil }
      if let columns = frame.columns { pieces.begin(columns) }
      var bytes: [UInt8] = []
      try frame.forEachRow { bytes += try pieces.read(&$0) }
      return bytes
    }
  }
}

@available(*, unavailable)
extension BlobChunks.Iterator: Sendable {}

extension Client {
  /// Returns the bytes of a value in external storage as a sequence of pieces; of a text they are
  /// UTF-8.
  ///
  /// - Parameters:
  ///   - request: The value, and the part of it to read.
  ///   - deadline: How long the whole read may take at most.
  /// - Returns: The sequence. Nothing is sent before its first element is asked for.
  public func readBlob(_ request: BlobReadRequest, deadline: Duration? = nil) -> BlobChunks {
    BlobChunks(
      frames: FetchedFrames(client: self, operation: .readBlob(request), deadline: deadline)
    )
  }

  /// Gives an attribute in external storage a value of any size.
  ///
  /// Nobody sees the new value before all of it has arrived. It is held in memory piece by piece
  /// only. If the connection is lost meanwhile the value stays unchanged, and the call must be made
  /// again.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - identifier: The row.
  ///   - attribute: The path of the attribute.
  ///   - isText: Whether the attribute is a text and not data.
  ///   - chunks: The bytes; of a text, UTF-8.
  /// - Returns: The length of the value in bytes.
  /// - Throws: ``DepotError`` `notfound.object` and others; errors of `chunks`.
  @concurrent
  @discardableResult
  public func writeBlob<Chunks: AsyncSequence & Sendable>(
    _ entity: String,
    _ identifier: Int64,
    _ attribute: String,
    isText: Bool = false,
    from chunks: Chunks
  ) async throws -> Int where Chunks.Element == [UInt8] {
    var upload = BlobUpload(entity, identifier, attribute, isText: isText)
    for try await chunk in chunks {
      for operation in upload.add(chunk) {
        _ = try await send(operation)
      }
    }
    return try await send(upload.finish()).count("length")
  }
}
