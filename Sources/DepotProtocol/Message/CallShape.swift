/// The common form of calls whose frames differ only in whole numbers.
///
/// It tells where each number belongs in the call, so that later frames needn't be parsed.
package final class CallShape: Sendable {
  /// The frame of the first call, and its numbers.
  private let frame: [UInt8]
  private let outline: FrameOutline
  /// The first of the calls.
  private let call: Call
  /// The meaning of each number of the frame.
  private let places: [NumberRole]
  /// The whole numbers of the first call's predicate, in their order.
  package let constants: [Int64]
  /// The indexes of the constants that differ between calls.
  package let variables: [Int]

  /// The meaning of a number in a frame.
  private enum NumberRole: Hashable, Sendable {
    case call
    /// An identifier of a `get`, by its position.
    case row(Int)
    /// Constants of the predicate, by their positions, or their opposites.
    case constants([Int], isNegative: Bool)
    /// Another number, which must be the same in every call of this shape.
    case same(Int64)
  }

  /// Finds out which numbers of a frame can differ; `nil` if that can't be determined.
  ///
  /// A number is free if replacing it changes the call in exactly one place, which is tried.
  init?(_ frame: [UInt8], _ call: Call, _ outline: FrameOutline) {
    self.frame = frame
    self.outline = outline
    self.call = call
    let constants = call.operation.predicate?.numbers ?? []
    self.constants = constants
    var places: [NumberRole] = []
    let numbers = outline.numbers
    for (index, number) in numbers.enumerated() {
      var probe: Int64 = 481_516_234_207
      while numbers.contains(probe) || constants.contains(where: { $0.magnitude == probe }) {
        probe += 1
      }
      var other = frame
      other.replaceSubrange(outline.place(index), with: String(probe).utf8)
      places.append(Self.place(of: probe, in: other, beside: call, constants) ?? .same(number))
    }
    guard places.contains(.call) else { return nil }
    self.places = places
    variables = places.flatMap { if case .constants(let list, _) = $0 { list } else { [Int]() } }
      .sorted()
  }

  private static func place(
    of probe: Int64,
    in frame: [UInt8],
    beside call: Call,
    _ constants: [Int64]
  ) -> NumberRole? {
    guard case .call(let other)? = try? ClientFrame(frame) else { return nil }
    var same = call
    if other.id != call.id {
      same.id = probe
      return same == other ? .call : nil
    }
    if case .get(var request) = call.operation, case .get(let changed) = other.operation,
      let row = changed.identifiers.firstIndex(of: probe), row < request.identifiers.count
    {
      request.identifiers[row] = probe
      same.operation = .get(request)
      return same == other ? .row(row) : nil
    }
    let numbers = other.operation.predicate?.numbers ?? []
    guard numbers.count == constants.count else { return nil }
    let changed = constants.indices.filter { numbers[$0] != constants[$0] }
    guard let first = changed.first, numbers[first].magnitude == probe,
      changed.allSatisfy({ numbers[$0] == numbers[first] })
    else { return nil }
    same.operation = call.operation.replacing(constants: numbers)
    return same == other ? .constants(changed, isNegative: numbers[first] < 0) : nil
  }

  /// Whether a frame differs from frames of this shape only in numbers.
  func isLike(_ frame: [UInt8], _ outline: FrameOutline) -> Bool {
    outline.isLike(self.outline, frame, self.frame)
  }

  /// Returns the call with these numbers in its frame, or `nil` if it isn't of this shape.
  func call(_ outline: FrameOutline) -> Call? {
    var result = call
    var constants = constants
    for (index, place) in places.enumerated() {
      let number = outline.number(index)
      switch place {
      case .call:
        guard 1..<(1 << 53) ~= number else { return nil }
        result.id = number
      case .row(let row):
        guard case .get(var request) = result.operation else { return nil }
        request.identifiers[row] = number
        result.operation = .get(request)
      case .constants(let positions, let isNegative):
        // The opposite of zero is a fraction in JSON.
        if isNegative, number == 0 { return nil }
        for position in positions { constants[position] = isNegative ? -number : number }
      case .same(let same):
        guard number == same else { return nil }
      }
    }
    if !variables.isEmpty { result.operation = result.operation.replacing(constants: constants) }
    result.form.shape = self
    result.form.constants = constants
    return result
  }

  /// The operation of a call with these constants in its predicate.
  package func operation(constants: [Int64]) -> Operation {
    call.operation.replacing(constants: constants)
  }
}

/// The facts about a call that make it quicker to deal with.
///
/// They say nothing that the call doesn't say, so they make no difference between calls.
package struct CallForm: Hashable, Sendable {
  /// The shape of the call, if ``CallShapes`` recognized it.
  package internal(set) var shape: CallShape?
  /// The whole numbers of the predicate, in their order.
  package internal(set) var constants: [Int64] = []

  /// Creates the form of a call that isn't known to be like another.
  package init() {}

  package static func == (left: CallForm, right: CallForm) -> Bool { true }

  package func hash(into hasher: inout Hasher) {}
}

extension Operation {
  /// Whether calls of the operation are quick, and often differ in a few numbers only.
  var hasShape: Bool {
    switch self {
    case .ping, .get, .fetch, .count, .exists: true
    default: false
    }
  }

  /// Returns the operation with these whole numbers in its predicate.
  fileprivate func replacing(constants: [Int64]) -> Operation {
    switch self {
    case .fetch(var request):
      request.predicate = request.predicate?.replacing(numbers: constants)
      return .fetch(request)
    case .count(var request):
      request.predicate = request.predicate?.replacing(numbers: constants)
      return .count(request)
    case .exists(var request):
      request.predicate = request.predicate?.replacing(numbers: constants)
      return .exists(request)
    default: return self
    }
  }
}

extension QueryExpression {
  /// The constants that are whole numbers, in written order.
  fileprivate var numbers: [Int64] {
    if case .value(.int64(let number)) = self { return [number] }
    return children.flatMap(\.numbers)
  }

  /// Returns the expression with its ``numbers`` replaced.
  fileprivate func replacing(numbers: [Int64]) -> QueryExpression {
    var position = 0
    return replacing(numbers, &position)
  }

  private func replacing(_ numbers: [Int64], _ position: inout Int) -> QueryExpression {
    if case .value(.int64) = self {
      defer { position += 1 }
      return .value(.int64(numbers[position]))
    }
    return map { $0.replacing(numbers, &position) }
  }
}
