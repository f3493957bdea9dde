/// A regular expression as instructions of a machine that can be at several of them at once.
struct PatternProgram {
  /// The maximal number of instructions, since each may run for each scalar of a text.
  static let limit = 10_000

  enum Instruction {
    /// Consumes one scalar of a set, and continues at the next instruction.
    case set(Int)
    /// Continues at both instructions.
    case split(Int, Int)
    case jump(Int)
    /// Continues at the next instruction if an assertion holds.
    case assertion(PatternAssertion)
    case match
  }

  private(set) var instructions: [Instruction] = []
  private(set) var sets: [ScalarSet] = []
  /// Whether assertions about words are used.
  private(set) var needsWords = false
  /// Whether assertions about lines are used.
  private(set) var needsLines = false
  /// Whether the assertion about the line terminator at the end is used.
  private(set) var needsLastLine = false
  /// Whether the assertion about the start of the text is used.
  private(set) var needsStart = false
  private var numbers: [ScalarSet: Int] = [:]

  /// - Throws: ``PatternFailure`` if the program becomes too long.
  init(_ node: PatternNode) throws(PatternFailure) {
    guard try Self.size(node) < Self.limit else { throw Self.tooLong(at: 0) }
    emit(node)
    instructions.append(.match)
  }

  private static func tooLong(at offset: Int) -> PatternFailure {
    PatternFailure("There are over \(limit) steps, with all repetitions written out", at: offset)
      .hint("Repeat less, as in [a-z]* for [a-z]{0,9999}, and check lengths on their own.")
  }

  /// Returns the number of instructions for a node.
  private static func size(_ node: PatternNode) throws(PatternFailure) -> Int {
    switch node {
    case .set, .assertion: return 1
    case .sequence(let parts): return try parts.map(size).reduce(0, +)
    case .alternation(let branches):
      return try branches.map(size).reduce(2 * (branches.count - 1), +)
    case .repetition(let part, let least, let most, let offset):
      let size = try size(part)
      if size == 0 { return 0 }
      let result =
        if let most { size * least + (size + 1) * (most - least) } else {
          size * max(least, 1) + 2
        }
      guard result < limit else { throw tooLong(at: offset) }
      return result
    }
  }

  private mutating func emit(_ node: PatternNode) {
    switch node {
    case .set(let set): instructions.append(.set(number(of: set)))
    case .assertion(let assertion): emit(assertion)
    case .sequence(let parts): for part in parts { emit(part) }
    case .alternation(let branches):
      var jumps: [Int] = []
      for branch in branches.dropLast() {
        let split = reserve()
        emit(branch)
        jumps.append(reserve())
        instructions[split] = .split(split + 1, instructions.count)
      }
      if let last = branches.last { emit(last) }
      for jump in jumps { instructions[jump] = .jump(instructions.count) }
    case .repetition(let part, let least, let most, _):
      let start = instructions.count
      for _ in 0..<least {
        emit(part)
        if instructions.count == start { return }
      }
      if let most {
        emitOptional(part, most - least)
      } else if least > 0 {
        // The last copy is the repeated one.
        let length = (instructions.count - start) / least
        instructions.append(.split(instructions.count - length, instructions.count + 1))
      } else {
        let split = reserve()
        emit(part)
        instructions.append(.jump(split))
        instructions[split] = .split(split + 1, instructions.count)
      }
    }
  }

  private mutating func emitOptional(_ part: PatternNode, _ count: Int) {
    var splits: [Int] = []
    for _ in 0..<count {
      splits.append(reserve())
      emit(part)
      if splits.count == 1, instructions.count == splits[0] + 1 { break }
    }
    for split in splits { instructions[split] = .split(split + 1, instructions.count) }
  }

  /// Reserves an instruction whose target isn't known yet.
  private mutating func reserve() -> Int {
    instructions.append(.match)
    return instructions.count - 1
  }

  private mutating func emit(_ assertion: PatternAssertion) {
    switch assertion {
    case .textStart: needsStart = true
    case .textEnd: break
    case .lastLineEnd: needsLastLine = true
    case .lineStart: (needsStart, needsLines) = (true, true)
    case .lineEnd: needsLines = true
    case .wordBoundary, .noWordBoundary: needsWords = true
    }
    instructions.append(.assertion(assertion))
  }

  private mutating func number(of set: ScalarSet) -> Int {
    if let number = numbers[set] { return number }
    numbers[set] = sets.count
    sets.append(set)
    return sets.count - 1
  }
}
