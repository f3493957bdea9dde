/// A piece of JSON, such as a row, gathered in memory of its own before a writer gets it.
///
/// An addition to it costs a fraction of an addition to a writer's array.
package struct JSONPiece: ~Copyable {
  /// The most bytes; the writer gets larger values directly.
  package static let capacity = 1024

  private let start: UnsafeMutablePointer<UInt8>
  private var end = 0

  /// Begins a piece in memory of ``capacity`` bytes, which the caller keeps.
  ///
  /// Memory of that size comes from the stack.
  package init(in memory: UnsafeMutableBufferPointer<UInt8>) {
    guard let first = memory.baseAddress, memory.count >= Self.capacity else {
      preconditionFailure("There must be room for a piece.")
    }
    start = first
  }

  /// The number of bytes that the writer hasn't yet.
  package var count: Int { end }

  /// Gives all bytes to the writer.
  package mutating func move(to writer: inout JSONWriter) {
    writer.raw(UnsafeBufferPointer(start: start, count: end))
    end = 0
  }

  /// Makes room for some bytes.
  @inline(__always)
  private mutating func reserve(_ size: Int, _ writer: inout JSONWriter) {
    if end + size > Self.capacity { move(to: &writer) }
  }

  /// Writes an ASCII character.
  package mutating func byte(_ byte: UInt8, to writer: inout JSONWriter) {
    reserve(1, &writer)
    start[end] = byte
    end += 1
  }

  /// Writes short ASCII text as it is.
  package mutating func raw(_ text: StaticString, to writer: inout JSONWriter) {
    let size = text.utf8CodeUnitCount
    reserve(size, &writer)
    (start + end).update(from: text.utf8Start, count: size)
    end += size
  }

  package mutating func integer(_ value: Int64, to writer: inout JSONWriter) {
    reserve(NumberText.longest, &writer)
    end += NumberText.write(value, to: start + end)
  }

  /// Writes a delimiter and a number.
  package mutating func integer(
    _ value: Int64,
    after delimiter: UInt8,
    to writer: inout JSONWriter
  ) {
    reserve(NumberText.longest + 1, &writer)
    start[end] = delimiter
    end += 1 + NumberText.write(value, to: start + end + 1)
  }

  /// Writes a delimiter, and a number as ``JSONWriter/double(_:)`` does.
  package mutating func double(
    _ value: Double,
    after delimiter: UInt8,
    to writer: inout JSONWriter
  ) {
    reserve(NumberText.longest + 1, &writer)
    start[end] = delimiter
    end += 1
    guard value.isFinite else {
      move(to: &writer)
      return writer.double(value)
    }
    end += NumberText.write(value, to: start + end)
  }

  /// Writes a delimiter, and UTF-8 as a string in quotation marks.
  ///
  /// - Returns: `false` if the text is ill-formed; then nothing was written.
  package mutating func string(
    utf8 text: UnsafeBufferPointer<UInt8>,
    after delimiter: UInt8,
    to writer: inout JSONWriter
  ) -> Bool {
    let size = text.count + 3
    guard size <= Self.capacity else { return write(text, after: delimiter, to: &writer) }
    reserve(size, &writer)
    let target = start + end
    guard let isASCII = PlainBytes.copy(text, to: target + 2) else {
      return write(text, after: delimiter, to: &writer)
    }
    guard isASCII || UTF8Sequence.isValid(text) else { return false }
    target[0] = delimiter
    target[1] = UInt8(ascii: "\"")
    target[size - 1] = UInt8(ascii: "\"")
    end += size
    return true
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
