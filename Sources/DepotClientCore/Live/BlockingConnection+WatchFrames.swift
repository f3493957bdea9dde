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

  /// Watches something and hands on the frames as they come, until `body` or `wait` says to stop.
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
    do {
      try follow(request, wait, body)
    } catch let error as DepotError where error.code == .disconnected {
      guard disconnector.isDisconnected else { throw error }
    }
  }

  private func follow(
    _ request: WatchRequest,
    _ wait: (Descriptor) throws -> Bool,
    _ body: ([UInt8]) throws -> Bool
  ) throws {
    let call = Call(id: nextIdentifier, .watch(request), credit: Self.window, container: target)
    try use(isWrite: false) {
      let id = try sendFrame { $0.write(call) }
      var isCancelled = false
      var failure: (any Error)?
      var taken = 0
      while let part = try nextPart(of: id, waiting: { try isCancelled || wait($0) }) {
        switch part {
        case .frame(let frame) where !isCancelled:
          do {
            isCancelled = try !body(frame.bytes)
          } catch {
            failure = error
            isCancelled = true
          }
          if isCancelled { try cancel(id) }
          taken += 1
          guard taken * 2 >= Self.window, !isCancelled else { continue }
          try control(id, "more", .int64(Int64(taken)))
          taken = 0
        case .frame: continue
        case .end(let result):
          if let failure { throw failure }
          if isCancelled { return }
          _ = try result.get()
          throw DepotError(.disconnected, "The service ended the watch.")
        }
      }
    }
  }
}
