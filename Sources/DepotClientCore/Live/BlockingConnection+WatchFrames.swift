package import DepotLinux
package import DepotProtocol
public import FoundationEssentials

extension BlockingConnection {
  /// Watches how many records satisfy a predicate, until `body` returns `false`.
  ///
  /// - Throws: ``DepotError`` `unavailable.disconnected` when the connection is lost,
  ///   `request.predicate`, and others; errors of `body`.
  public func watchCount<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    options: WatchOptions = WatchOptions(),
    _ body: (LiveAnswer<Int>) throws -> Bool
  ) throws {
    let count = try CountRequest(type, where: predicate)
    var reader = AnswerReader.count
    try watch(WatchRequest(.count(count), options)) { bytes in
      try reader.receive(bytes).map(body) ?? true
    }
  }

  /// Watches something and passes on the frames, until `body` or `wait` returns `false`.
  ///
  /// `body` may use the connection. After `wait` has returned `false`, the connection can't be used
  /// any more.
  ///
  /// - Parameters:
  ///   - request: The subject of the watch, and its beginning.
  ///   - wait: Waits until the connection can be read; returns whether to continue.
  ///   - body: Takes a frame; returns whether to continue.
  /// - Throws: The ``DepotError`` of the service or of the lost connection; errors of the closures.
  package func watch(
    _ request: WatchRequest,
    waiting wait: (Descriptor) throws -> Bool = { _ in true },
    frames body: ([UInt8]) throws -> Bool
  ) throws {
    var isStopped = false
    do {
      let stream = try openStream(.watch(request), deadline: nil)
      // If the caller stops waiting, it doesn't wait for the end of the watch either.
      defer { if !isStopped { closeStream(stream) } }
      func goesOn(_ descriptor: Descriptor) throws -> Bool {
        isStopped = true
        isStopped = try !wait(descriptor)
        return !isStopped
      }
      while let frame = try nextFrame(of: stream, waiting: goesOn) {
        guard try body(frame.bytes) else { return }
      }
      if !isStopped { throw DepotError(.disconnected, "The service ended the watch.") }
    } catch let error as DepotError where error.code == .disconnected {
      guard disconnector.isDisconnected else { throw error }
    }
  }
}
