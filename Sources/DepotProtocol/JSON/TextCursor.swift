/// Text that is written byte by byte into memory with room for it.
struct TextCursor: ~Copyable {
  private let room: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  init(_ room: UnsafeMutableBufferPointer<UInt8>) { self.room = room }

  var capacity: Int { room.count }

  var written: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: room[..<count]) }

  mutating func removeAll() { count = 0 }

  @inline(__always)
  mutating func add(_ byte: UInt8) {
    room[count] = byte
    count += 1
  }

  @inline(__always)
  mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
    guard let from = text.baseAddress, let to = room.baseAddress else { return }
    precondition(text.count <= room.count - count)
    (to + count).update(from: from, count: text.count)
    count += text.count
  }

  mutating func add(_ text: StaticString) {
    add(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func add(number: Int64) {
    count += NumberText.write(number, to: end)
  }

  mutating func add(number: UInt64) {
    count += NumberText.write(number, to: end)
  }

  /// Writes the shortest decimal that reads back as a finite number.
  mutating func add(number: Double) {
    count += NumberText.write(number, to: end)
  }

  /// The place of the next number, for which there must be room.
  private var end: UnsafeMutablePointer<UInt8> {
    guard let start = room.baseAddress, room.count - count >= NumberText.longest else {
      preconditionFailure("There must be room for a number.")
    }
    return start + count
  }
}
