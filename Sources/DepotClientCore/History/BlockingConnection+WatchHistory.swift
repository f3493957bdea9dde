public import DepotProtocol

extension BlockingConnection {
  /// Watches the history like ``Client/watchHistory(_:since:options:)``.
  ///
  /// `body` is called with each event until it returns `false` or the ``disconnector`` ends the
  /// connection. Transactions that the watch leaves out because this program is slow are read from
  /// the history, so that `body` is called with every transaction once. Transactions that aren't
  /// kept any more are reported as ``HistoryEvent/gap(from:to:)``. `body` may use the connection.
  /// When the connection is lost, this fails; continue with another connection since the token of
  /// the last event.
  public func watchHistory(
    _ request: HistoryRequest = HistoryRequest(),
    since token: HistoryToken? = nil,
    options: WatchOptions = WatchOptions(),
    _ body: (HistoryEvent) throws -> Bool
  ) throws {
    var request = WatchRequest(.history(request.watched), options)
    request.since = token
    var reader = HistoryReader(since: token)
    try watch(request) { bytes in
      try reader.receive(bytes).allSatisfy(body) && fillGap(&reader, request, body)
    }
  }

  /// Reads a gap of the watch from the history, if there is one; returns whether to continue.
  package func fillGap(
    _ reader: inout HistoryReader,
    _ watch: WatchRequest,
    _ body: (HistoryEvent) throws -> Bool
  ) throws -> Bool {
    guard reader.gap != nil else { return true }
    do {
      let stream = try openStream(.history(reader.missing(watch)), deadline: nil)
      defer { closeStream(stream) }
      while let frame = try nextFrame(of: stream) {
        for piece in try HistoryTransaction.list(in: frame) {
          for event in reader.fill(piece) {
            guard try body(event) else { return false }
          }
        }
      }
      return try reader.closeGap().allSatisfy(body)
    } catch let error as DepotError where HistoryReader.isLoss(error) {
      return try reader.lose(error).allSatisfy(body) && fillGap(&reader, watch, body)
    }
  }
}
