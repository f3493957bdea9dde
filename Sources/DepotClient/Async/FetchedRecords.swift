public import DepotClientCore
internal import DepotProtocol
public import FoundationEssentials
public import FoundationInternationalization

/// The records of a fetch as they arrive.
///
/// Memory is bounded by ``ClientOptions/window`` frames of about 64 KiB, regardless of the number
/// of records. The loop may pause for as long as it likes: all records are from one snapshot,
/// unless so much is written meanwhile that the service can't keep it. Leaving the loop early
/// cancels the fetch on the service.
public struct FetchedRecords<Model: Record>: AsyncSequence, Sendable {
  fileprivate let client: Client
  fileprivate let request: Result<FetchRequest, DepotError>
  fileprivate let deadline: Duration?

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// The records of one fetch, which begins when the first one is asked for.
  public struct Iterator: AsyncIteratorProtocol {
    /// A fetch under way.
    private struct Run {
      let request: FetchRequest
      var frames: FetchedFrames.Iterator
      let deadline: SharedDeadline
    }

    private let source: FetchedRecords
    private var run: Run?
    private var batch = RecordBatch<Model>()
    private var position = 0
    /// How many incomplete rows of the batch were read.
    private var wholeCount = 0
    /// How many records came in earlier batches.
    private var count = 0

    fileprivate init(_ source: FetchedRecords) {
      self.source = source
    }

    /// Waits for the next record; `nil` after the last.
    ///
    /// - Throws: ``DepotError`` if the fetch fails or a value isn't of the property's type, with how many
    ///   records came before if the service ended the fetch; `CancellationError` if the task was cancelled.
    public mutating func next() async throws -> Model? {
      while true {
        if let record = try await nextWhole() { return record }
        if position < batch.records.count {
          defer { position += 1 }
          return batch.records[position]
        }
        count += batch.count
        (position, wholeCount) = (0, 0)
        batch = RecordBatch()
        do {
          var run = try run ?? begin()
          let frame = try await run.frames.next()
          self.run = run
          guard let frame else { return nil }
          batch = try await frame.records(of: Model.self)
        } catch let error as DepotError {
          throw error.after(rows: count)
        }
      }
    }

    /// Reads the large values of the next record; returns `nil` if it has none.
    private mutating func nextWhole() async throws -> Model? {
      while wholeCount < batch.incomplete.count, let run {
        let row = batch.incomplete[wholeCount]
        guard row.place == position else { return nil }
        wholeCount += 1
        let record: Model? = try await source.client
          .wholeRecord(row.identifier, of: run.request, run.deadline)
        // A row that was deleted meanwhile is left out.
        if let record { return record }
      }
      return nil
    }

    private func begin() throws(DepotError) -> Run {
      let request = try source.request.get()
      let frames = source.client.fetchFrames(request, deadline: source.deadline)
      return Run(
        request: request,
        frames: frames.makeAsyncIterator(),
        deadline: SharedDeadline(source.deadline)
      )
    }
  }
}

@available(*, unavailable)
extension FetchedRecords.Iterator: Sendable {}

extension Client {
  /// Returns the records that satisfy a predicate as a sequence that is read while it arrives.
  ///
  /// The parameters are the same as for `fetch(_:where:sortBy:limit:offset:prefetch:deadline:)`. If
  /// the service can't evaluate the predicate, the first element throws `request.predicate` and
  /// nothing is sent.
  ///
  /// - Returns: The sequence. Nothing is sent before its first element is asked for.
  public func rows<Model: Record>(
    _ type: Model.Type,
    where predicate: Predicate<Model>? = nil,
    sortBy sort: [SortDescriptor<Model>] = [],
    limit: Int? = nil,
    offset: Int = 0,
    prefetch: [any PartialKeyPath<Model> & Sendable] = [],
    deadline: Duration? = nil
  ) -> FetchedRecords<Model> {
    let request = Result { () throws(DepotError) in
      try FetchRequest(
        type,
        where: predicate,
        sortBy: sort,
        limit: limit,
        offset: offset,
        prefetch: prefetch
      )
    }
    return FetchedRecords(client: self, request: request, deadline: deadline)
  }
}

extension DepotError {
  /// Returns the error with how many rows came before it, if a read was ended in its middle.
  fileprivate func after(rows count: Int) -> DepotError {
    guard [.streamExpired, .outboundTooLarge, .disconnected].contains(code), count > 0 else {
      return self
    }
    var error = self
    error.message += count == 1 ? " One row came before it." : " \(count) rows came before it."
    error.hint =
      "Read in batches: \"next\" of the last batch continues, from a later snapshot."
    return error
  }
}

extension RowFrame {
  /// Decodes the rows away from the caller's actor.
  @concurrent
  func records<Model: Record>(of type: Model.Type) async throws -> RecordBatch<Model> {
    var batch = RecordBatch<Model>()
    try forEachRow { try batch.append(&$0) }
    return batch
  }
}
