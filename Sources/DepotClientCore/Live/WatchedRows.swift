package import DepotProtocol

/// The events of a watch of rows, as they come.
///
/// Each iterator is a watch of its own, which begins when the first event is requested and ends
/// with the loop. At most ``ClientOptions/window`` frames wait for a slow loop; changes are then
/// combined, and after too many of them a new snapshot comes. After a lost connection the watch
/// continues without gaps or duplicates; if there is no connection within
/// ``ClientOptions/retryBudget``, it fails with `unavailable.disconnected`.
public struct WatchedRows<Content: Sendable>: AsyncSequence, Sendable {
  let client: Client
  let request: Result<WatchRequest, DepotError>
  let reader: LiveReader<Content>

  package init(
    client: Client,
    request: Result<WatchRequest, DepotError>,
    reader: LiveReader<Content>
  ) {
    self.client = client
    self.request = request
    self.reader = reader
  }

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// One watch.
  public struct Iterator: AsyncIteratorProtocol {
    /// Above which size a frame is read away from the caller's actor.
    private static var smallBytes: Int { 1 << 14 }

    private var source: Result<WatchStream, DepotError>
    private var reader: LiveReader<Content>
    private var isFinished = false
    private let client: Client
    private var restarts = WatchRestarts()

    fileprivate init(_ sequence: WatchedRows) {
      client = sequence.client
      source = sequence.request.map { WatchStream(sequence.client, $0) }
      reader = sequence.reader
    }

    /// The rows as the last event left them; `nil` as long as only a token is known.
    public var rows: LiveRows<Content>? { reader.rows }

    /// Waits for the next event.
    ///
    /// - Throws: ``DepotError`` if the watch fails, `CancellationError` if the task was cancelled.
    public mutating func next() async throws -> LiveEvent<Content>? {
      guard !isFinished else { return nil }
      do {
        var stream = try source.get()
        while true {
          let part = try await stream.next(since: reader.token)
          source = .success(stream)
          switch part {
          case .frame(let bytes):
            do {
              let event =
                bytes.count > Self.smallBytes
                ? try await reader.receiveAway(bytes) : try reader.receive(bytes)
              if let event { return event }
            } catch let error as DepotError where error.isOfLength && reader.whole != nil {
              guard let rows = try await wholeRows(of: bytes, &stream) else { continue }
              if let event = try reader.receive(bytes, with: rows) { return event }
            }
          case .interrupted(let error):
            reader.restart()
            return .interrupted(error)
          }
        }
      } catch {
        isFinished = true
        source = .failure(DepotError(.disconnected, "The watch is over."))
        throw error
      }
    }

    /// Returns the rows of a frame that lack large values; `nil` if the watch begins again.
    private mutating func wholeRows(
      of frame: [UInt8],
      _ stream: inout WatchStream
    ) async throws -> [Int64: LiveRow<Content>]? {
      do {
        if let rows = try await client.wholeRows(of: frame, reader) {
          restarts.end()
          return rows
        }
        try restarts.begin()
      } catch let error as DepotError where stream.canGoOn(after: error) {
        // The call was lost with the connection, which the next part tells.
      }
      stream.restart()
      source = .success(stream)
      reader.restart()
      return nil
    }
  }
}

@available(*, unavailable)
extension WatchedRows.Iterator: Sendable {}

/// A watch of records.
public typealias WatchedRecords<Model: Record> = WatchedRows<Model>

extension WatchedRows {
  /// The whole result after each change, beginning with the current one.
  ///
  /// A slow loop skips none: it gets each state that the service reports.
  public var snapshots: Snapshots { Snapshots(events: echoing) }

  /// The watch with all changes.
  private var echoing: WatchedRows {
    WatchedRows(
      client: client,
      request: request.map { request in
        var request = request
        request.echoes = true
        return request
      },
      reader: reader.complete
    )
  }

  /// The states of a watched result.
  public struct Snapshots: AsyncSequence, Sendable {
    let events: WatchedRows

    public func makeAsyncIterator() -> Iterator { Iterator(events.makeAsyncIterator()) }

    /// One watch.
    public struct Iterator: AsyncIteratorProtocol {
      private var events: WatchedRows.Iterator

      fileprivate init(_ events: WatchedRows.Iterator) {
        self.events = events
      }

      /// Waits for the next state with other rows.
      ///
      /// - Throws: ``DepotError`` if the watch fails, `CancellationError` if the task was cancelled.
      public mutating func next() async throws -> LiveRows<Content>? {
        while let event = try await events.next() {
          switch event {
          case .snapshot(let rows): return rows
          case .change: if let rows = events.rows { return rows }
          case .resumed, .current, .interrupted: continue
          }
        }
        return nil
      }
    }
  }
}

@available(*, unavailable)
extension WatchedRows.Snapshots.Iterator: Sendable {}

extension LiveReader {
  /// Takes a frame away from the caller's actor.
  @concurrent
  fileprivate mutating func receiveAway(_ bytes: [UInt8]) async throws -> LiveEvent<Content>? {
    try receive(bytes)
  }
}
