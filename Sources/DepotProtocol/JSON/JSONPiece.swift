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

  /// Writes a number as ``JSONWriter/double(_:)`` does.
  package mutating func double(_ value: Double, to writer: inout JSONWriter) {
    guard value.isFinite else {
      move(to: &writer)
      return writer.double(value)
    }
    reserve(NumberText.longest, &writer)
    end += NumberText.write(value, to: start + end)
  }

  /// Writes well-formed UTF-8 as a string in quotation marks.
  package mutating func string(
    utf8 text: UnsafeBufferPointer<UInt8>,
    to writer: inout JSONWriter
  ) {
    let size = text.count + 2
    guard size <= Self.capacity else { return write(text, to: &writer) }
    reserve(size, &writer)
    start[end] = UInt8(ascii: "\"")
    let target = UnsafeMutableRawPointer(start + end + 1)
    var index = 0
    while index < text.count {
      if index + 8 <= text.count, let base = text.baseAddress {
        let word = UnsafeRawPointer(base).loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if PlainBytes.needNoEscape(word) {
          target.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
          index += 8
          continue
        }
      }
      let byte = text[index]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        return write(text, to: &writer)
      }
      target.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
      index += 1
    }
    end += size
    start[end - 1] = UInt8(ascii: "\"")
  }

  /// Writes a string that is large, or has characters to escape, directly.
  private mutating func write(
    _ text: UnsafeBufferPointer<UInt8>,
    to writer: inout JSONWriter
  ) {
    move(to: &writer)
    writer.string(utf8: text)
  }
}
