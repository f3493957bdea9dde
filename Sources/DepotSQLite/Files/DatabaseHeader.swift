/// The first hundred bytes of a database (sqlite.org/fileformat.html#the_database_header).
package struct DatabaseHeader {
  package static let size = 100

  /// The size in bytes of the pages of a new store.
  ///
  /// A lone write changes a page of each table and index, and logs them all, so small pages make it
  /// cheaper. Stores of earlier programs have pages of 4,096 bytes.
  package static let newPageSize = 2048

  /// The size of a page in bytes.
  package let pageSize: Int
  /// The number of bytes at the end of each page that SQLite leaves unused.
  package let reservedSize: Int
  /// The number of the format, which the application sets (`user_version`).
  package let userVersion: Int64
  /// The number that identifies the application of the file (`application_id`).
  package let applicationIdentifier: Int64

  /// A random number that replaces SQLite's change counter, which a write-ahead log makes useless.
  ///
  /// SQLite trusts the header's count of pages if the counter equals another field of the header.
  package let stamp: UInt32

  private static let counterOffsets = [24, 92]

  /// Reads the header of a database; `nil` if the bytes aren't one.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.size, bytes.starts(with: "SQLite format 3\0".utf8) else { return nil }
    let size = Int(bytes.bigEndian(at: 16, as: UInt16.self))
    pageSize = size == 1 ? 65536 : size
    stamp = bytes.bigEndian(at: Self.counterOffsets[0], as: UInt32.self)
    reservedSize = Int(bytes[20])
    userVersion = Int64(bytes.bigEndian(at: 60, as: UInt32.self))
    applicationIdentifier = Int64(bytes.bigEndian(at: 68, as: UInt32.self))
  }
}

extension DatabaseHeader {
  /// Whether pages end with their checksum.
  package var isSealed: Bool { reservedSize == PageChecksum.size }

  /// Whether a page holds the bytes that SQLite locks, so that it is never written.
  package static func isNeverUsed(_ page: Int, pageSize: Int) -> Bool {
    PageReader.isNeverUsed(UInt32(truncatingIfNeeded: page), size: pageSize)
  }

  /// Whether the first page, which begins with this header, is undamaged.
  package func isIntact(_ page: [UInt8]) -> Bool {
    isSealed && pageSize == page.count
      && page.withUnsafeBytes { PageChecksum.isIntact($0, number: 1) }
  }

  /// Whether a first page would match its checksum if it had another stamp.
  static func isIntact(_ page: [UInt8], with stamp: UInt32) -> Bool {
    guard page.count >= size else { return false }
    var page = page
    return page.withUnsafeMutableBytes { bytes in
      setStamp(stamp, in: bytes)
      return PageChecksum.isIntact(UnsafeRawBufferPointer(bytes), number: 1)
    }
  }

  /// Returns a first page with its stamp and checksum, ready to be written.
  package static func sealing(_ page: [UInt8], stamp: UInt32) -> [UInt8] {
    var page = page
    page.withUnsafeMutableBytes { bytes in
      setStamp(stamp, in: bytes)
      PageChecksum.seal(bytes, number: 1)
    }
    return page
  }

  /// Writes a stamp into a database's header.
  static func setStamp(_ stamp: UInt32, in bytes: UnsafeMutableRawBufferPointer) {
    for offset in counterOffsets {
      bytes.storeBytes(of: stamp.bigEndian, toByteOffset: offset, as: UInt32.self)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Reads a big-endian integer.
  func bigEndian<Integer: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int,
    as type: Integer.Type
  ) -> Integer {
    Integer(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }
}
