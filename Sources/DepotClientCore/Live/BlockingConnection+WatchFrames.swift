package import DepotLinux
package import DepotProtocol
public import FoundationEssentials

extension BlockingConnection {
  /// Watches how many records satisfy a predicate, until `body` says to stop.
  ///
  /// - Throws: ``DepotError`` `unavailable.disconnected` when the connection is lost,
  ///   `request.predicate`, and others, or what `body` throws.
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

  /// Watches something and hands on the frames as they come, until `body`, which may use the connection, or
  /// `wait` says to stop.
  ///
  /// After `wait` said so, the connection can't be used any more.
  ///
  /// - Parameters:
  ///   - request: What to watch, and from when on.
  ///   - wait: Waits until the connection can be read; returns whether to go on.
  ///   - body: What to do with a frame; returns whether to go on.
  /// - Throws: The ``DepotError`` of the service or that the connection was lost, or what the closures
  ///   throw.
  package func watch(
    _ request: WatchRequest,
    waiting wait: (Descriptor) throws -> Bool = { _ in true },
    frames body: ([UInt8]) throws -> Bool
  ) throws {
    var isStopped = false
    do {
      let stream = try openStream(.watch(request), deadline: nil)
      // Whoever stops waiting doesn't wait for the end of the watch either.
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
