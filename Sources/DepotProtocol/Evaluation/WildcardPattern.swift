/// The matching of `like` patterns: `*` stands for any characters, `?` for one, `\` makes the next
/// one plain.
///
/// One character is a scalar with the marks that follow it. The time is at most the product of both
/// lengths.
enum WildcardPattern {
  /// The number of steps between two checks whether to stop.
  private static let interval = 1 << 16

  /// Whether a text matches; `nil` if stopped.
  static func matches(
    _ text: UnsafeBufferPointer<UInt8>,
    _ pattern: UnsafeBufferPointer<UInt8>,
    unless mustStop: () -> Bool
  ) -> Bool? {
    var steps = 0
    var position = 0
    var place = 0
    // The state to retry from after a mismatch: after the last `*`, one character later in the
    // text.
    var retry: (position: Int, place: Int)?
    while true {
      steps += 1
      if steps == interval {
        if mustStop() { return nil }
        steps = 0
      }
      if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
        place += 1
        retry = (position, place)
        continue
      }
      if position == text.count, place == pattern.count { return true }
      if let next = step(text, position, pattern, place) {
        (position, place) = next
      } else if let (start, behindStar) = retry, start < text.count {
        position = start + length(text, start)
        place = behindStar
        retry = (position, place)
      } else {
        return false
      }
    }
  }

  private static func step(
    _ text: UnsafeBufferPointer<UInt8>,
    _ position: Int,
    _ pattern: UnsafeBufferPointer<UInt8>,
    _ place: Int
  ) -> (Int, Int)? {
    guard position < text.count, place < pattern.count else { return nil }
    if pattern[place] == UInt8(ascii: "?") { return (characterEnd(text, position), place + 1) }
    let isEscape = pattern[place] == UInt8(ascii: "\\") && place + 1 < pattern.count
    let plain = isEscape ? place + 1 : place
    return text[position] == pattern[plain] ? (position + 1, plain + 1) : nil
  }

  private static func characterEnd(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
    var end = start + length(text, start)
    // No mark begins with a byte below 0xCC.
    while end < text.count, text[end] >= 0xCC {
      let count = length(text, end)
      let bytes = UnsafeBufferPointer(rebasing: text[end..<end + count])
      guard let scalar = String(decoding: bytes, as: UTF8.self).unicodeScalars.first,
        TextFolding.isMark(scalar)
      else { break }
      end += count
    }
    return end
  }

  private static func length(_ text: UnsafeBufferPointer<UInt8>, _ position: Int) -> Int {
    let count =
      switch text[position] {
      case 0xF0...: 4
      case 0xE0...: 3
      case 0xC0...: 2
      default: 1
      }
    return min(count, text.count - position)
  }
}
