internal import DepotClient
internal import DepotClientCore
internal import DepotProtocol
internal import Foundation

/// An idempotency key: a request that is sent again with it is never applied twice.
struct WriteKey {
  let text = IdempotencyKey.make()
  private let start = ContinuousClock.now

  /// Whether the service is sure to know the outcome of the request.
  var isRemembered: Bool { ContinuousClock.now - start < .seconds(9 * 60) }
}

/// A write of many rows that was sent and has an unknown outcome.
///
/// If the program makes the same request again, it is sent with the same key, so that it isn't
/// made twice.
struct UnconfirmedWrite {
  let request: Request
  let author: String?
  let key = WriteKey()

  /// A write that isn't idempotent.
  enum Request: Equatable {
    case insert(SaveRequest)
    case update(UpdateRequest)
  }
}

/// The last writes with unknown outcomes.
struct UnconfirmedWriteList<Write> {
  private let limit: Int
  private var writes: [Write] = []

  /// - Parameter limit: How many are kept.
  init(limit: Int) { self.limit = limit }

  /// Takes out the first write that satisfies a condition.
  mutating func take(_ isWanted: (Write) -> Bool) -> Write? {
    writes.firstIndex(where: isWanted).map { writes.remove(at: $0) }
  }

  mutating func add(_ write: Write) {
    if writes.count == limit { writes.removeFirst() }
    writes.append(write)
  }
}

extension ServiceStore {
  /// Sends a write of many rows, with the key of an equal write whose outcome is unknown.
  ///
  /// - Parameters:
  ///   - request: The rows to write; `nil` if the write is idempotent.
  ///   - author: The author of the change in the history.
  ///   - body: Sends it.
  /// - Returns: The result of `body`.
  /// - Throws: ``SwiftDataError/storeFailure`` with the effect `unknown` if the answer is lost, and others.
  func write<Result>(
    _ request: UnconfirmedWrite.Request?,
    author: String?,
    _ body: (BlockingConnection, _ key: String) throws -> Result
  ) throws -> Result {
    let known = request.flatMap { request in
      unconfirmedWrites.take { $0.key.isRemembered && $0.author == author && $0.request == request }
    }
    let write = known ?? request.map { UnconfirmedWrite(request: $0, author: author) }
    let key = (write?.key ?? WriteKey()).text
    return try settling(
      isInDoubt: known != nil,
      lost: "The service didn't say whether it has written",
      hint: "Repeat the call: nothing is done twice.",
      noteDoubt: { if let write { unconfirmedWrites.add(write) } },
      send: { try body($0, key) }
    )
  }

  /// Sends a write whose answer may be lost.
  ///
  /// - Parameters:
  ///   - isInDoubt: Whether it was sent before, with an unknown outcome.
  ///   - message: The message for a lost answer.
  ///   - hint: The advice for that case.
  ///   - noteDoubt: Keeps the write, to be sent again.
  ///   - send: Sends it.
  /// - Returns: The result of `send`.
  /// - Throws: ``SwiftDataError/storeFailure`` with the effect `unknown` if the answer is lost, and others.
  func settling<Result>(
    isInDoubt: Bool,
    lost message: String,
    hint: String,
    noteDoubt: () -> Void,
    send: (BlockingConnection) throws -> Result
  ) throws -> Result {
    var isDoubtful = isInDoubt
    do {
      return try talk { connection in
        do {
          return try send(connection)
        } catch {
          isDoubtful = error.isOfUnknownEffect || isDoubtful && !error.isRefusal
          throw error
        }
      }
    } catch {
      guard isDoubtful else { throw error }
      noteDoubt()
      let cause = (error as? SwiftDataError)?.message ?? ""
      var lost = DepotError(.disconnected, "\(message): \(cause)").hint(hint)
      lost.effect = .unknown
      throw SwiftDataError(lost)
    }
  }
}

extension Error {
  /// Whether the outcome of a write is unknown after this error.
  fileprivate var isOfUnknownEffect: Bool { (self as? DepotError)?.effect == .unknown }

  /// Whether a service that knows the keys of earlier writes has said that this one isn't applied.
  fileprivate var isRefusal: Bool { (self as? DepotError)?.code.isVerdict ?? false }
}
