/// What a client was told about its writes, to be compared with what the store holds.
struct Ledger {
  enum Fate {
    case acknowledged
    /// The connection was lost before an answer.
    case unknown
    /// The service said that nothing was stored.
    case refused
  }

  private(set) var fates: [String: Fate] = [:]

  mutating func note(_ name: String, _ fate: Fate) { fates[name] = fate }

  /// The writes whose fate nobody knows.
  var unknown: [String] { fates.filter { $0.value == .unknown }.keys.sorted() }

  /// Returns what contradicts the promises, given how often the store holds each write.
  func problems(_ found: [String: Int]) -> [String] {
    var problems: [String] = []
    for (name, fate) in fates {
      let count = found[name] ?? 0
      switch fate {
      case .acknowledged where count == 0: problems.append("\(name) was acknowledged and is lost")
      case .acknowledged where count > 1, .unknown where count > 1:
        problems.append("\(name) is there \(count) times")
      case .refused where count > 0: problems.append("\(name) was refused and is there")
      default: break
      }
    }
    for name in found.keys where fates[name] == nil {
      problems.append("\(name) was never written")
    }
    return problems.sorted()
  }
}
