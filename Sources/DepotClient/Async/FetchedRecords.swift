public import DepotClientCore
internal import DepotProtocol
public import FoundationEssentials
public import FoundationInternationalization

/// The records of a fetch as they arrive.
///
/// Memory is bounded by ``ClientOptions/window`` frames of about 64 KiB, however many records there
/// are. Leaving the loop early cancels the fetch on the service.
public struct FetchedRecords<Model: Record>: AsyncSequence, Sendable {
  fileprivate let frames: Result<FetchedFrames, DepotError>

  public func makeAsyncIterator() -> Iterator { Iterator(frames) }

  /// The records of one fetch, which begins when the first one is asked for.
  public struct Iterator: AsyncIteratorProtocol {
    private var frames: Result<FetchedFrames.Iterator, DepotError>
    private var batch: [Model] = []
    private var position = 0

    fileprivate init(_ frames: Result<FetchedFrames, DepotError>) {
      self.frames = frames.map { $0.makeAsyncIterator() }
    }

    /// Waits for the next record; `nil` after the last.
    ///
    /// - Throws: ``DepotError`` if the fetch fails or a value isn't of the property's type,
    ///   `CancellationError` if the task was cancelled.
    public mutating func next() async throws -> Model? {
      while position == batch.count {
        var iterator = try frames.get()
        guard let frame = try await iterator.next() else { return nil }
        frames = .success(iterator)
        batch = try await frame.records(of: Model.self)
        position = 0
      }
      defer { position += 1 }
      return batch[position]
    }
  }
}

@available(*, unavailable)
extension FetchedRecords.Iterator: Sendable {}

extension Client {
  /// Returns the records that satisfy a predicate as a sequence that is read while it arrives.
  ///
  /// The parameters are those of `fetch(_:where:sortBy:limit:offset:prefetch:deadline:)`. If the service
  /// can't do what the predicate asks for, the first element throws `request.predicate` and nothing is sent.
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
    let frames = Result { () throws(DepotError) in
      let request = try FetchRequest(
        type,
        where: predicate,
        sortBy: sort,
        limit: limit,
        offset: offset,
        prefetch: prefetch
      )
      return fetchFrames(request, deadline: deadline)
    }
    return FetchedRecords(frames: frames)
  }
}

extension RowFrame {
  /// Decodes the rows away from the caller's actor.
  @concurrent
  func records<Model: Record>(of type: Model.Type) async throws -> [Model] {
    var records: [Model] = []
    try forEachRow { records.append(try Model(from: &$0)) }
    return records
  }
}
