internal import DepotProtocol
internal import Synchronization

/// The tokens of several stores, which answer on threads of their own.
final class GatheredTokens: Sendable {
  private struct State: Sendable {
    var tokens: [HistoryToken?]
    var isDone = false
  }

  private let state: Mutex<State>
  private let completion: @Sendable (Result<[HistoryToken], DepotError>) -> Void

  /// Creates a collector of the stores' tokens, in order, or of the first failure.
  init(_ count: Int, completion: @escaping @Sendable (Result<[HistoryToken], DepotError>) -> Void) {
    state = Mutex(State(tokens: Array(repeating: nil, count: count)))
    self.completion = completion
  }

  /// Stores a store's answer, and calls the completion when all answers are in or one failed.
  func put(_ result: Result<HistoryToken, DepotError>, at index: Int) {
    let outcome: Result<[HistoryToken], DepotError>? = state.withLock { state in
      guard !state.isDone else { return nil }
      switch result {
      case .success(let token):
        state.tokens[index] = token
        let tokens = state.tokens.compactMap(\.self)
        guard tokens.count == state.tokens.count else { return nil }
        state.isDone = true
        return .success(tokens)
      case .failure(let error):
        state.isDone = true
        return .failure(error)
      }
    }
    if let outcome { completion(outcome) }
  }
}
