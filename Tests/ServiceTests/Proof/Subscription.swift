import DepotProtocol
import TestSupport

/// What one subscriber was told of a query, over all its connections.
struct Subscription: Sendable {
  var name: String
  var query: CellQuery
  /// The frames as they came; a new connection goes on where the last one ended.
  var frames: [JSONValue] = []
  /// Whether it waited until it was told of everything.
  var isFinished = false

  /// All rows that it was told of.
  var observedRows: [ObservedRow] {
    frames.flatMap { frame in
      frame["next"]?.array?.compactMap { $0.array.flatMap(ObservedRow.init) } ?? []
    }
  }

  /// Compares what it was told with what there was.
  ///
  /// - Parameters:
  ///   - model: The rows before all tokens; `nil` if nobody knows the order of the writes.
  ///   - final: The rows in the end.
  /// - Returns: What is wrong.
  func problems(model: CellModel?, final: [ObservedRow]?) -> [Violation] {
    var view = SubscriberView()
    var model = model
    var violations: [Violation] = []
    var versions: [Int64: Int64] = [:]
    var last: Int64?
    for frame in frames {
      do throws(SubscriberView.Broken) {
        try view.apply(frame)
      } catch {
        return violations + [.init(.badFrame, "\(name): \(error.why)")]
      }
      guard view.isWhole, let token = view.token, frame["kind"]?.string != "disconnected" else {
        continue
      }
      if let last, token < last {
        return violations + [.init(.tokenWentBack, "\(name) was told of \(token) after \(last)")]
      }
      if frame["kind"]?.string == "change", token == last {
        violations.append(.init(.tokenWentBack, "\(name) was told twice of \(token)"))
      }
      last = token
      for row in view.rows {
        if let version = versions[row.id], row.version < version {
          return violations + [
            .init(
              .versionWentBack,
              "\(name) got version \(row.version) of \(row.id) after \(version)"
            )
          ]
        }
        versions[row.id] = row.version
      }
      model?.advance(to: token)
      if let model, query.answer(model.rows.values) != view.rows {
        return violations + [
          .init(
            .diverged,
            "\(name) at token \(token): "
              + CellQuery.difference(view.rows, query.answer(model.rows.values))
          )
        ]
      }
    }
    if isFinished, let final, query.answer(final) != view.rows {
      violations.append(
        .init(
          .notConverged,
          "\(name) in the end: \(CellQuery.difference(view.rows, query.answer(final)))"
        )
      )
    }
    return violations
  }
}
