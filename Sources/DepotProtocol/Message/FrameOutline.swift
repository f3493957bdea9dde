/// The whole numbers of a frame, and a hash of all other bytes, which is equal for similar frames.
///
/// A number counts if it isn't part of a word, as in `t2`, nor of another form of number, as in
/// `1.5` or `1e3`. A minus sign before it isn't part of it.
struct FrameOutline: Sendable {
  /// The length of the longest frame with an outline, and the most numbers that it may have.
  static let longest = 1024
  static let mostNumbers = 8

  /// The numbers of a frame; those beyond their count are arbitrary.
  typealias Numbers = InlineArray<8, Int64>

  private(set) var count = 0
  private(set) var values = Numbers(repeating: 0)
  private var starts = InlineArray<8, Int>(repeating: 0)
  private var ends = InlineArray<8, Int>(repeating: 0)
  /// A hash of the frame's bytes without the numbers.
  private(set) var hash: UInt64 = 0

  func number(_ index: Int) -> Int64 { values[index] }

  /// The range of a number in the frame.
  func place(_ index: Int) -> Range<Int> { starts[index]..<ends[index] }

  var numbers: [Int64] { (0..<count).map { values[$0] } }

  /// Scans a frame, and returns whether it has an outline.
  mutating func take(_ frame: UnsafeRawBufferPointer) -> Bool {
    guard frame.count <= Self.longest else { return false }
    count = 0
    return scan(frame)
  }

  private mutating func scan(_ frame: UnsafeRawBufferPointer) -> Bool {
    var hash: UInt64 = 0
    var position = 0
    while position < frame.count {
      if position + 8 <= frame.count {
        let word = frame.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        let digits = Self.digits(word)
        if digits == 0 {
          Self.mix(word, into: &hash)
          position += 8
          continue
        }
        let before = digits.trailingZeroBitCount >> 3
        Self.mix(word & (1 << UInt64(before << 3) &- 1), into: &hash)
        position += before
      }
      let byte = frame[position]
      if byte &- 0x30 < 10, position > 0, !Self.isWord(frame[position - 1]),
        let end = Self.numberEnd(frame, position)
      {
        guard count < Self.mostNumbers else { return false }
        var value: Int64 = 0
        for index in position..<end { value = value &* 10 &+ Int64(frame[index] &- 0x30) }
        values[count] = value
        starts[count] = position
        ends[count] = end
        count += 1
        position = end
      } else {
        Self.mix(UInt64(byte), into: &hash)
        position += 1
      }
    }
    self.hash = hash ^ hash >> 32
    return true
  }

  /// Returns the end of the whole number that begins at a digit, or `nil`.
  ///
  /// It is `nil` for other forms of numbers, and for one that may be too large.
  @inline(__always)
  private static func numberEnd(_ frame: UnsafeRawBufferPointer, _ start: Int) -> Int? {
    var end = start + 1
    while end < frame.count, frame[end] &- 0x30 < 10 { end += 1 }
    guard end < frame.count, !isWord(frame[end]), end - start <= 18,
      frame[start] != 0x30 || end == start + 1
    else { return nil }
    return end
  }

  /// Returns a word with the highest bit of each byte set that is a digit.
  @inline(__always)
  private static func digits(_ word: UInt64) -> UInt64 {
    let high: UInt64 = 0x8080_8080_8080_8080
    let values = word ^ 0x3030_3030_3030_3030
    return ~(((values & ~high) &+ 0x7676_7676_7676_7676) | values) & high
  }

  @inline(__always)
  private static func mix(_ word: UInt64, into hash: inout UInt64) {
    hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
    hash ^= hash >> 29
  }

  /// Whether a byte beside a digit makes it part of something other than an integer.
  ///
  /// These are letters, digits, `$`, `.`, `\`, `_`, and bytes beyond ASCII.
  @inline(__always)
  private static func isWord(_ byte: UInt8) -> Bool {
    guard byte < 0x80 else { return true }
    // A bit for each character of ASCII.
    let bits: UInt64 = byte < 64 ? 0x03FF_4010_0000_0000 : 0x07FF_FFFE_97FF_FFFE
    return bits >> UInt64(byte & 63) & 1 != 0
  }

  /// Takes the numbers of a frame if it differs from a frame with an outline only in them; returns
  /// whether it does.
  ///
  /// Their places and the hash aren't taken.
  mutating func takeNumbers(
    _ frame: UnsafeRawBufferPointer,
    like other: FrameOutline,
    _ otherFrame: UnsafeRawBufferPointer
  ) -> Bool {
    var (position, otherPosition) = (0, 0)
    for index in 0..<other.count {
      let length = other.starts[index] - otherPosition
      guard position + length < frame.count,
        Self.isEqual(frame, position, otherFrame, otherPosition, length)
      else { return false }
      let start = position + length
      position = start
      otherPosition = other.ends[index]
      var value: Int64 = 0
      while position < frame.count, position - start < 19, frame[position] &- 0x30 < 10 {
        value = value &* 10 &+ Int64(frame[position] &- 0x30)
        position += 1
      }
      guard 1...18 ~= position - start, frame[start] != 0x30 || position == start + 1 else {
        return false
      }
      values[index] = value
    }
    let rest = frame.count - position
    return rest == otherFrame.count - otherPosition
      && Self.isEqual(frame, position, otherFrame, otherPosition, rest)
  }

  /// Whether a frame with this outline differs from a frame with another outline only in numbers.
  func isLike(
    _ other: FrameOutline,
    _ frame: UnsafeRawBufferPointer,
    _ otherFrame: UnsafeRawBufferPointer
  ) -> Bool {
    guard count == other.count, hash == other.hash else { return false }
    var (position, otherPosition) = (0, 0)
    for index in 0...count {
      let isLast = index == count
      let length = (isLast ? frame.count : starts[index]) - position
      guard (isLast ? otherFrame.count : other.starts[index]) - otherPosition == length,
        Self.isEqual(frame, position, otherFrame, otherPosition, length)
      else { return false }
      if isLast { break }
      (position, otherPosition) = (ends[index], other.ends[index])
    }
    return true
  }

  /// Whether two parts of frames are the same.
  @inline(__always)
  static func isEqual(
    _ left: UnsafeRawBufferPointer,
    _ leftStart: Int,
    _ right: UnsafeRawBufferPointer,
    _ rightStart: Int,
    _ length: Int
  ) -> Bool {
    guard length >= 8 else {
      return (0..<length).allSatisfy { left[leftStart + $0] == right[rightStart + $0] }
    }
    func isSameWord(_ offset: Int) -> Bool {
      left.loadUnaligned(fromByteOffset: leftStart + offset, as: UInt64.self)
        == right.loadUnaligned(fromByteOffset: rightStart + offset, as: UInt64.self)
    }
    // The last bytes are compared with some before them.
    for offset in stride(from: 0, to: length - 8, by: 8) where !isSameWord(offset) { return false }
    return isSameWord(length - 8)
  }
}
