/// A changed page in the form sent to copies of the database: the bytes that the commit changed.
///
/// The form is the page's number, the size of the rest in bytes, the checksum of the whole page,
/// and runs of bytes, each with its offset and length; all integers are little-endian. A new page
/// is compared with a page of zeros.
enum PageChange {
  static let headerSize = 16
  /// The number of equal bytes that end a run: as many as the header of the next run takes.
  private static let gap = 4

  /// Sets the bytes that can differ between copies, the checksum and the stamp, to zeros.
  static func normalize(_ page: UnsafeMutableRawBufferPointer, number: UInt32) {
    page.storeBytes(of: 0, toByteOffset: page.count - PageChecksum.size, as: UInt64.self)
    if number == 1 { DatabaseHeader.setStamp(0, in: page) }
  }

  /// Appends the change between two versions of a page, both normalized.
  static func write(
    _ number: UInt32,
    from old: UnsafeRawBufferPointer,
    to new: UnsafeRawBufferPointer,
    into bytes: inout [UInt8]
  ) {
    let start = bytes.count
    append(number, to: &bytes)
    append(UInt32(0), to: &bytes)
    append(PageChecksum.value(of: new, number: number), to: &bytes)
    var place = 0
    while let first = difference(old, new, from: place) {
      var end = first + 1
      var next = difference(old, new, from: end)
      while let other = next, other - end < gap {
        end = other + 1
        next = difference(old, new, from: end)
      }
      append(UInt16(truncatingIfNeeded: first), to: &bytes)
      append(UInt16(truncatingIfNeeded: end - first - 1), to: &bytes)
      bytes.append(contentsOf: new[first..<end])
      place = end
    }
    let count = UInt32(bytes.count - start - headerSize)
    bytes.withUnsafeMutableBytes {
      $0.storeBytes(of: count.littleEndian, toByteOffset: start + 4, as: UInt32.self)
    }
  }

  /// Returns the first offset, from `start` on, where two pages differ.
  private static func difference(
    _ old: UnsafeRawBufferPointer,
    _ new: UnsafeRawBufferPointer,
    from start: Int
  ) -> Int? {
    var place = start
    while place + 8 <= new.count,
      old.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        == new.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    { place += 8 }
    while place < new.count, old[place] == new[place] { place += 1 }
    return place < new.count ? place : nil
  }

  private static func append<Integer: FixedWidthInteger>(_ value: Integer, to bytes: inout [UInt8])
  {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Returns the header of a change at an offset, and the offset of the next change.
  ///
  /// - Returns: `nil` if there is no change there, or not all of it.
  static func head(
    in bytes: UnsafeRawBufferPointer,
    at offset: Int
  ) -> (number: UInt32, sum: UInt64, end: Int)? {
    guard offset + headerSize <= bytes.count else { return nil }
    let word = { (place: Int) in
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + place, as: UInt32.self))
    }
    let sum = UInt64(
      littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
    )
    let end = offset + headerSize + Int(word(4))
    return end <= bytes.count ? (word(0), sum, end) : nil
  }

  /// Applies the runs of a change to a page.
  ///
  /// - Returns: Whether the runs are well-formed.
  static func apply(_ runs: UnsafeRawBufferPointer, to page: UnsafeMutableRawBufferPointer) -> Bool
  {
    var place = 0
    while place + 4 <= runs.count {
      let word = { (place: Int) in
        Int(UInt16(littleEndian: runs.loadUnaligned(fromByteOffset: place, as: UInt16.self)))
      }
      let (offset, count) = (word(place), word(place + 2) + 1)
      guard place + 4 + count <= runs.count, offset + count <= page.count else { return false }
      UnsafeMutableRawBufferPointer(rebasing: page[offset..<offset + count])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: runs[place + 4..<place + 4 + count]))
      place += 4 + count
    }
    return place == runs.count
  }
}
