/// A matcher that decides whether a regular expression matches all of a text.
///
/// It reads the text once and keeps the set of all instructions where the program may be, so a
/// scalar takes at most as many steps as the program has instructions, for any pattern. Such sets
/// are the states of a deterministic machine. Its transitions are cached as they are found, up to a
/// limit of memory; beyond it the whole cache is dropped. Nearly all texts then need one table
/// look-up for each scalar.
struct PatternMatcher {
  /// The number of steps between two checks whether to stop.
  static let interval = 4096
  /// The size of the cache of states and transitions, in numbers.
  private static let memory = 1 << 17
  private static let dead = 0
  private static let start = 1
  private static let unknown = Int32(-1)

  private let program: PatternProgram
  private var alphabet: PatternAlphabet
  /// The number of words of a set of instructions; a state has one more word, for its context.
  private let wordCount: Int
  /// The cached states: bits of the instructions after the last scalar, and the scalar's context.
  private var states: [[UInt64]] = []
  private var numbers: [[UInt64]: Int32] = [:]
  /// The next states, by state and kind of scalar.
  private var transitions: [Int32] = []
  /// Whether the text may end in a state; `nil` if unknown yet.
  private var ends: [Bool?] = []
  /// The number of kinds that the transitions have room for.
  private var stride = 16
  /// The number of times that the cache was dropped.
  private var era = 0
  private var visits: [Int32]
  private var visit: Int32 = 0
  private var stack: [Int] = []
  /// The instructions found at a position that consume a scalar or match.
  private var found: [Int] = []
  /// The number of steps in all.
  private(set) var steps = 0

  init(_ program: PatternProgram) {
    self.program = program
    alphabet = PatternAlphabet(program)
    wordCount = (program.instructions.count + 63) / 64
    visits = [Int32](repeating: 0, count: program.instructions.count)
    forget()
  }

  /// Returns whether all of a text in well-formed UTF-8 matches; `nil` if stopped.
  mutating func matches(
    _ text: UnsafeBufferPointer<UInt8>,
    unless mustStop: () -> Bool
  ) -> Bool? {
    let lastLine = program.needsLastLine ? Self.lastLineEnd(text) : text.count
    var position = 0
    var state = Self.start
    var nextQuestion = steps + Self.interval
    while position < text.count {
      if steps >= nextQuestion {
        if mustStop() { return nil }
        nextQuestion = steps + Self.interval
      }
      let room = position + nextQuestion - steps
      let end = min(position < lastLine ? lastLine : text.count, room)
      if position != lastLine {
        let from = position
        run(text, to: end, &position, &state)
        steps += position - from
        if position >= end { continue }
      }
      let (scalar, length) = Self.scalar(text, position)
      state = step(from: state, scalar, isLastLineEnd: position == lastLine)
      if state == Self.dead { return false }
      position += length
    }
    return mayEnd(state)
  }

  /// Follows cached transitions until one is unknown or fails.
  private func run(
    _ text: UnsafeBufferPointer<UInt8>,
    to end: Int,
    _ position: inout Int,
    _ state: inout Int
  ) {
    alphabet.ascii.withUnsafeBufferPointer { ascii in
      transitions.withUnsafeBufferPointer { transitions in
        var place = position
        var current = state
        while place < end {
          let byte = text[place]
          let kind: UInt16
          let length: Int
          if byte < 0x80 {
            (kind, length) = (ascii[Int(byte)], 1)
          } else {
            let (scalar, count) = Self.scalar(text, place)
            (kind, length) = (alphabet.kind(beyondASCII: scalar.value), count)
          }
          guard kind != PatternAlphabet.unknown else { break }
          let next = transitions[current * stride + Int(kind)]
          guard next > 0 else { break }
          current = Int(next)
          place += length
        }
        position = place
        state = current
      }
    }
  }

  /// Returns the offset of the line terminator at the end of a text; its length if there is none.
  private static func lastLineEnd(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    let count = text.count
    func ends(_ bytes: UInt8...) -> Bool {
      count >= bytes.count && text.suffix(bytes.count).elementsEqual(bytes)
    }
    if ends(0xD, 0xA) || ends(0xC2, 0x85) { return count - 2 }
    if ends(0xE2, 0x80, 0xA8) || ends(0xE2, 0x80, 0xA9) { return count - 3 }
    return count > 0 && 0xA...0xD ~= text[count - 1] ? count - 1 : count
  }

  /// Decodes the scalar at an offset, and its length.
  @inline(__always)
  private static func scalar(
    _ text: UnsafeBufferPointer<UInt8>,
    _ position: Int
  ) -> (Unicode.Scalar, Int) {
    let first = UInt32(text[position])
    if first < 0x80 { return (Unicode.Scalar(UInt8(first)), 1) }
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard position + length <= text.count else { return ("\u{FFFD}", text.count - position) }
    var value = first & (0x7F >> UInt32(length))
    for index in 1..<length { value = value << 6 | UInt32(text[position + index] & 0x3F) }
    return (Unicode.Scalar(value) ?? "\u{FFFD}", length)
  }
}

extension PatternMatcher {
  /// Returns the state after a scalar.
  private mutating func step(
    from state: Int,
    _ scalar: Unicode.Scalar,
    isLastLineEnd: Bool
  ) -> Int {
    var state = state
    steps += 1
    let kind: Int
    if let known = alphabet.kind(of: scalar, isLastLineEnd: isLastLineEnd) {
      kind = known
    } else {
      alphabet.removeAll()
      state = forget(allBut: state)
      kind = alphabet.kind(of: scalar, isLastLineEnd: isLastLineEnd) ?? 0
    }
    if kind >= stride {
      while kind >= stride { stride *= 2 }
      state = forget(allBut: state)
    }
    let known = transitions[state * stride + kind]
    if known != Self.unknown { return Int(known) }
    steps += alphabet.cost
    let context = alphabet.context(kind)
    find(from: state, before: context)
    var next = [UInt64](repeating: 0, count: wordCount + 1)
    var isAlive = false
    for place in found {
      guard case .set(let set) = program.instructions[place], alphabet.has(set, kind) else {
        continue
      }
      next[(place + 1) >> 6] |= 1 << UInt64((place + 1) & 63)
      isAlive = true
    }
    let left = context.subtracting([.lineFeed, .lastLineEnd])
    if isAlive { next[wordCount] = left.rawValue }
    let before = era
    let number = number(of: next)
    if era == before { transitions[state * stride + kind] = Int32(number) }
    return number
  }

  private mutating func mayEnd(_ state: Int) -> Bool {
    if let known = ends[state] { return known }
    find(from: state, before: .edge)
    let result = found.contains {
      if case .match = program.instructions[$0] { true } else { false }
    }
    ends[state] = result
    return result
  }

  /// Finds all instructions that a state reaches without consuming a scalar.
  private mutating func find(from state: Int, before right: PatternContext) {
    let words = states[state]
    let left = PatternContext(rawValue: words[wordCount])
    visit &+= 1
    if visit == 0 {
      for index in visits.indices { visits[index] = 0 }
      visit = 1
    }
    found.removeAll(keepingCapacity: true)
    for index in 0..<wordCount {
      var bits = words[index]
      while bits != 0 {
        stack.append(index << 6 + bits.trailingZeroBitCount)
        bits &= bits - 1
        follow(left, right)
      }
    }
  }

  /// Follows all instructions on the stack.
  private mutating func follow(_ left: PatternContext, _ right: PatternContext) {
    while let place = stack.popLast() {
      if visits[place] == visit { continue }
      visits[place] = visit
      steps += 1
      switch program.instructions[place] {
      case .set, .match: found.append(place)
      case .jump(let target): stack.append(target)
      case .split(let first, let second):
        stack.append(second)
        stack.append(first)
      case .assertion(let assertion):
        if assertion.holds(after: left, before: right) { stack.append(place + 1) }
      }
    }
  }

  /// Returns the number of a state, adding the state if it is new.
  private mutating func number(of state: [UInt64]) -> Int {
    if let number = numbers[state] { return Int(number) }
    if states.count >= max(8, Self.memory / (stride + 2 * wordCount + 16)) { forget() }
    if let number = numbers[state] { return Int(number) }
    return add(state)
  }

  private mutating func add(_ state: [UInt64]) -> Int {
    numbers[state] = Int32(states.count)
    states.append(state)
    ends.append(nil)
    transitions.append(contentsOf: repeatElement(Self.unknown, count: stride))
    return states.count - 1
  }

  /// Drops all cached states but one, and returns its new number.
  private mutating func forget(allBut state: Int) -> Int {
    let words = states[state]
    forget()
    return number(of: words)
  }

  /// Drops all cached states except the permanent ones.
  private mutating func forget() {
    era += 1
    states.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    numbers.removeAll(keepingCapacity: true)
    transitions.removeAll(keepingCapacity: true)
    var words = [UInt64](repeating: 0, count: wordCount + 1)
    _ = add(words)
    words[0] = 1
    if program.needsStart { words[wordCount] = PatternContext.edge.rawValue }
    _ = add(words)
  }
}
