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
  fileprivate let frames: Result<FetchedFrames, DepotError>

  public func makeAsyncIterator() -> Iterator { Iterator(frames) }

  /// The records of one fetch, which begins when the first one is asked for.
  public struct Iterator: AsyncIteratorProtocol {
    private var frames: Result<FetchedFrames.Iterator, DepotError>
    private var batch: [Model] = []
    private var position = 0
    /// How many records came in earlier batches.
    private var count = 0

    fileprivate init(_ frames: Result<FetchedFrames, DepotError>) {
      self.frames = frames.map { $0.makeAsyncIterator() }
    }

    /// Waits for the next record; `nil` after the last.
    ///
    /// - Throws: ``DepotError`` if the fetch fails or a value isn't of the property's type, with how many
    ///   records came before if the service ended the fetch; `CancellationError` if the task was cancelled.
    public mutating func next() async throws -> Model? {
      while position == batch.count {
        count += batch.count
        batch = []
        position = 0
        var iterator = try frames.get()
        do {
          guard let frame = try await iterator.next() else { return nil }
          batch = try await frame.records(of: Model.self)
        } catch let error as DepotError {
          throw error.after(rows: count)
        }
        frames = .success(iterator)
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
  func records<Model: Record>(of type: Model.Type) async throws -> [Model] {
    var records: [Model] = []
    try forEachRow { records.append(try Model(from: &$0)) }
    return records
  }
}
