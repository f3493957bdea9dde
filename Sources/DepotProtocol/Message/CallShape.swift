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
  /// The sources of the whole numbers of the predicate, in their order.
  private let sources: [NumberSource]
  /// The sources of the identifiers of a `get`.
  private let rows: [NumberSource]
  /// The indexes of the constants that differ between calls.
  package let variables: [Int]

  /// The meaning of a number in a frame.
  private enum NumberRole: Hashable, Sendable {
    case call
    /// An identifier of a `get`, by its position.
    case row(Int)
    /// Constants of the predicate, or their opposites.
    case constants(isNegative: Bool)
    /// Another number, which must be the same in every call of this shape.
    case same(Int64)
  }

  /// The source of a constant or an identifier.
  private struct NumberSource: Sendable {
    /// The number in the frame; `nil` if it is the same in all calls.
    var place: Int?
    var isNegative = false
    /// The value in the first call.
    let first: Int64

    func value(_ numbers: FrameOutline.Numbers) -> Int64 {
      guard let place else { return first }
      return isNegative ? -numbers[place] : numbers[place]
    }
  }

  /// Finds out which numbers of a frame can differ; `nil` if that can't be determined.
  ///
  /// A number is free if replacing it changes the call in exactly one place, which is tried.
  init?(_ frame: [UInt8], _ call: Call, _ outline: FrameOutline) {
    self.frame = frame
    self.outline = outline
    self.call = call
    let constants = call.operation.predicate?.numbers ?? []
    var places: [NumberRole] = []
    var sources = constants.map { NumberSource(first: $0) }
    let identifiers =
      if case .get(let request) = call.operation { request.identifiers } else { [] as [Int64] }
    var rows = identifiers.map { NumberSource(first: $0) }
    let numbers = outline.numbers
    for (index, number) in numbers.enumerated() {
      var probe: Int64 = 481_516_234_207
      while numbers.contains(probe) || constants.contains(where: { $0.magnitude == probe }) {
        probe += 1
      }
      var other = frame
      other.replaceSubrange(outline.place(index), with: String(probe).utf8)
      let found = Self.place(of: probe, in: other, beside: call, constants)
      places.append(found?.role ?? .same(number))
      if case .row(let row)? = found?.role { rows[row].place = index }
      guard case .constants(let isNegative)? = found?.role else { continue }
      for constant in found?.constants ?? [] {
        (sources[constant].place, sources[constant].isNegative) = (index, isNegative)
      }
    }
    guard places.contains(.call), rows.count <= FrameOutline.mostNumbers else { return nil }
    self.places = places
    self.rows = rows
    self.sources = sources
    variables = sources.indices.filter { sources[$0].place != nil }
  }

  private static func place(
    of probe: Int64,
    in frame: [UInt8],
    beside call: Call,
    _ constants: [Int64]
  ) -> (role: NumberRole, constants: [Int])? {
    guard case .call(let other)? = try? ClientFrame(frame) else { return nil }
    var same = call
    if other.id != call.id {
      same.id = probe
      return same == other ? (.call, []) : nil
    }
    if case .get(var request) = call.operation, case .get(let changed) = other.operation,
      let row = changed.identifiers.firstIndex(of: probe), row < request.identifiers.count
    {
      request.identifiers[row] = probe
      same.operation = .get(request)
      return same == other ? (.row(row), []) : nil
    }
    let numbers = other.operation.predicate?.numbers ?? []
    guard numbers.count == constants.count else { return nil }
    let changed = constants.indices.filter { numbers[$0] != constants[$0] }
    guard let first = changed.first, numbers[first].magnitude == probe,
      changed.allSatisfy({ numbers[$0] == numbers[first] })
    else { return nil }
    same.operation = call.operation.replacing(constants: numbers)
    return same == other ? (.constants(isNegative: numbers[first] < 0), changed) : nil
  }

  /// Whether a frame differs from frames of this shape only in numbers.
  func isLike(_ frame: UnsafeRawBufferPointer, _ outline: FrameOutline) -> Bool {
    self.frame.withUnsafeBytes { outline.isLike(self.outline, frame, $0) }
  }

  /// Takes the numbers of a frame if that differs from frames of this shape only in them.
  func takeNumbers(_ frame: UnsafeRawBufferPointer, _ outline: inout FrameOutline) -> Bool {
    self.frame.withUnsafeBytes { outline.takeNumbers(frame, like: self.outline, $0) }
  }

  /// Returns the call with these numbers in its frame, or `nil` if it isn't of this shape.
  func call(_ outline: FrameOutline) -> Call? {
    var id = call.id
    for index in places.indices {
      let number = outline.number(index)
      switch places[index] {
      case .call:
        guard 1..<(1 << 53) ~= number else { return nil }
        id = number
      case .row: break
      case .constants(let isNegative):
        // The opposite of zero is a fraction in JSON.
        if isNegative, number == 0 { return nil }
      case .same(let same):
        guard number == same else { return nil }
      }
    }
    return call.with(id: id, CallForm(shape: self, numbers: outline.values))
  }

  /// The operation of a call with these numbers in its frame.
  fileprivate func operation(_ numbers: FrameOutline.Numbers) -> Operation {
    if case .get(var request) = call.operation {
      request.identifiers = rows.map { $0.value(numbers) }
      return .get(request)
    }
    return variables.isEmpty ? call.operation : operation(constants: constants(numbers))
  }

  /// The operation of a call with these constants in its predicate.
  package func operation(constants: [Int64]) -> Operation {
    call.operation.replacing(constants: constants)
  }

  fileprivate func constants(_ numbers: FrameOutline.Numbers) -> [Int64] {
    sources.map { $0.value(numbers) }
  }

  fileprivate func constant(_ index: Int, _ numbers: FrameOutline.Numbers) -> Int64 {
    sources[index].value(numbers)
  }

  fileprivate func withIdentifiers(
    _ numbers: FrameOutline.Numbers,
    _ body: (Span<Int64>) throws -> Void
  ) rethrows {
    var values = FrameOutline.Numbers(repeating: 0)
    for index in rows.indices { values[index] = rows[index].value(numbers) }
    try body(values.span.extracting(first: rows.count))
  }
}

/// The shape of a call with its own numbers, which make it quicker to deal with.
package struct CallForm: Sendable {
  /// The shape of the call, if ``CallShapes`` recognized it.
  package let shape: CallShape?
  /// The numbers of its frame.
  private let numbers: FrameOutline.Numbers

  /// Creates the form of a call that isn't known to be like another.
  package init() { (shape, numbers) = (nil, FrameOutline.Numbers(repeating: 0)) }

  fileprivate init(shape: CallShape, numbers: FrameOutline.Numbers) {
    (self.shape, self.numbers) = (shape, numbers)
  }

  /// The whole numbers of the predicate, in their order.
  package var constants: [Int64] { shape?.constants(numbers) ?? [] }

  /// Returns one of the ``constants``.
  package func constant(_ index: Int) -> Int64 { shape?.constant(index, numbers) ?? 0 }

  /// Calls `body` with the rows of a `get`, which are those of `request` if the call has no shape.
  package func withIdentifiers(
    of request: GetRequest,
    _ body: (Span<Int64>) throws -> Void
  ) rethrows {
    guard let shape else { return try body(request.identifiers.span) }
    try shape.withIdentifiers(numbers, body)
  }

  /// The operation; `nil` if the call has no shape.
  package var operation: Operation? { shape?.operation(numbers) }
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
