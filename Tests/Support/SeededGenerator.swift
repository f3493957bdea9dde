import Foundation

/// A generator whose numbers are the same in every run (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns whether something that happens once in `count` times happens.
  package mutating func once(in count: Int) -> Bool {
    Int.random(in: 0..<count, using: &self) == 0
  }

  /// Returns one of `choices`, which aren't empty.
  package mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[Int.random(in: 0..<choices.count, using: &self)]
  }
}

/// The seeds of a random test: `count` from 0.
///
/// `$DEPOT_SEEDS` says otherwise: with `10x` they are ten times as many, with `7` it is 7, with `7-9` 7 to 9.
package func seeds<Seed: FixedWidthInteger>(_ count: Seed) -> Range<Seed> {
  seeds(count, of: count)
}

/// The seeds of a random test that takes long: `count` from 0, or where they are multiplied, a multiple of `whole`.
package func seeds<Seed: FixedWidthInteger>(_ count: Seed, of whole: Seed) -> Range<Seed> {
  guard let text = ProcessInfo.processInfo.environment["DEPOT_SEEDS"] else { return 0..<count }
  if let times = Seed(text.dropLast()), text.hasSuffix("x") { return 0..<whole * times }
  let bounds = text.split(separator: "-").compactMap { Seed($0) }
  guard let first = bounds.first, let last = bounds.last else { fatalError("DEPOT_SEEDS=\(text)") }
  return first..<last + 1
}
