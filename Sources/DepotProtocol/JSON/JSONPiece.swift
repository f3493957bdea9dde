/// A piece of JSON, such as a row, gathered in memory of its own before a writer gets it.
///
/// An addition to it costs a fraction of an addition to a writer's array.
package struct JSONPiece: ~Copyable {
  /// The most bytes; the writer gets larger values directly.
  package static let capacity = 1024

  private let start: UnsafeMutablePointer<UInt8>
  /// The number of bytes that the writer hasn't yet.
  package private(set) var count = 0

  /// Begins a piece in memory of ``capacity`` bytes, which the caller keeps.
  ///
  /// Memory of that size comes from the stack.
  package init(in memory: UnsafeMutableBufferPointer<UInt8>) {
    guard let first = memory.baseAddress, memory.count >= Self.capacity else {
      preconditionFailure("There must be room for a piece.")
    }
    start = first
  }

  /// Gives all bytes to the writer.
  package mutating func move(to writer: inout JSONWriter) {
    writer.raw(UnsafeBufferPointer(start: start, count: count))
    count = 0
  }

  /// Makes room for some bytes.
  @inline(__always)
  private mutating func reserve(_ size: Int, _ writer: inout JSONWriter) {
    if count + size > Self.capacity { move(to: &writer) }
  }

  // The frequent cases of the following functions call no others, so that they have no registers to
  // save.

  /// Writes an ASCII character.
  package mutating func byte(_ byte: UInt8, to writer: inout JSONWriter) {
    guard count < Self.capacity else { return begin(byte, &writer) }
    start[count] = byte
    count &+= 1
  }

  @inline(never)
  private mutating func begin(_ byte: UInt8, _ writer: inout JSONWriter) {
    move(to: &writer)
    start[0] = byte
    count = 1
  }

  /// Writes short ASCII text as it is.
  package mutating func raw(_ text: StaticString, to writer: inout JSONWriter) {
    let size = text.utf8CodeUnitCount
    reserve(size, &writer)
    (start + count).update(from: text.utf8Start, count: size)
    count += size
  }

  package mutating func integer(_ value: Int64, to writer: inout JSONWriter) {
    reserve(NumberText.longest, &writer)
    count += NumberText.write(value, to: start + count)
  }

  /// Writes a delimiter and a number.
  package mutating func integer(
    _ value: Int64,
    after delimiter: UInt8,
    to writer: inout JSONWriter
  ) {
    let number = UInt64(bitPattern: value)
    guard number <= NumberText.longestShort, count < Self.capacity - NumberText.longest else {
      return add(value, after: delimiter, &writer)
    }
    start[count] = delimiter
    count &+= 1 &+ NumberText.write(short: number, to: start + (count &+ 1))
  }

  @inline(never)
  private mutating func add(
    _ value: Int64,
    after delimiter: UInt8,
    _ writer: inout JSONWriter
  ) {
    byte(delimiter, to: &writer)
    integer(value, to: &writer)
  }

  /// Writes a delimiter, and a number as ``JSONWriter/double(_:)`` does.
  package mutating func double(
    _ value: Double,
    after delimiter: UInt8,
    to writer: inout JSONWriter
  ) {
    reserve(NumberText.longest + 1, &writer)
    start[count] = delimiter
    count += 1
    guard value.isFinite else {
      move(to: &writer)
      return writer.double(value)
    }
    count += NumberText.write(value, to: start + count)
  }

  /// Writes a delimiter, and UTF-8 as a string in quotation marks.
  ///
  /// - Returns: `false` if the text is ill-formed; then nothing was written.
  package mutating func string(
    utf8 text: UnsafeBufferPointer<UInt8>,
    after delimiter: UInt8,
    to writer: inout JSONWriter
  ) -> Bool {
    let size = text.count &+ 3
    guard size <= Self.capacity &- count else { return add(text, after: delimiter, &writer) }
    let target = start + count
    guard let isASCII = PlainBytes.copy(text, to: target + 2) else {
      return write(text, after: delimiter, to: &writer)
    }
    guard isASCII || UTF8Sequence.isValid(text) else { return false }
    target[0] = delimiter
    target[1] = UInt8(ascii: "\"")
    target[size - 1] = UInt8(ascii: "\"")
    count &+= size
    return true
  }

  @inline(never)
  private mutating func add(
    _ text: UnsafeBufferPointer<UInt8>,
    after delimiter: UInt8,
    _ writer: inout JSONWriter
  ) -> Bool {
    move(to: &writer)
    guard text.count + 3 <= Self.capacity else {
      return write(text, after: delimiter, to: &writer)
    }
    return string(utf8: text, after: delimiter, to: &writer)
  }

  /// Writes a string that is large, or has characters to escape, directly.
  private mutating func write(
    _ text: UnsafeBufferPointer<UInt8>,
    after delimiter: UInt8,
    to writer: inout JSONWriter
  ) -> Bool {
    guard UTF8Sequence.isValid(text) else { return false }
    byte(delimiter, to: &writer)
    move(to: &writer)
    writer.string(utf8: text)
    return true
  }
}
