internal import CDepotSQLite
internal import Synchronization

/// Writes the bytes of a write-ahead log's index for commits that SQLite doesn't write.
///
/// The format is sqlite.org/walformat.html#walindex. Only the thread of the writing connection may
/// change the index, while that connection is idle and the write lock is held.
struct WALIndex {
  private static let regionSize = 32768
  /// The number of frames in a region of the index; the first one is smaller by its header.
  private static let frames = 4096
  private static let firstFrames = 4096 - headerSize / 4
  private static let slots = 8192
  private static let headerSize = 136
  private static let copySize = 48

  private let index: SharedIndex

  /// Accesses an index; `nil` if no connection has read from the database yet.
  init?(_ index: SharedIndex) {
    guard index.region(0, size: Self.regionSize, extends: false) != nil else { return nil }
    self.index = index
  }

  private func region(_ number: Int) -> UnsafeMutableRawPointer? {
    index.region(number, size: Self.regionSize, extends: true)
  }

  // MARK: Header

  /// The extent of the log, as the header of the index says.
  struct Header {
    var change: UInt32
    var isBigEndian: Bool
    /// The size of a page in bytes.
    var pageSize: Int
    var frameCount: Int
    /// The number of pages in the database.
    var pageCount: UInt32
    /// The checksum of the last frame, and the random numbers (salts) of the log.
    var sum: LogChecksum
    var salts: (UInt32, UInt32)
  }

  private static func size(_ stored: UInt16) -> Int {
    Int(stored & 0xFE00) | Int(stored & 1) << 16
  }

  func header() -> Header? {
    guard let bytes = region(0) else { return nil }
    let word = { (offset: Int) in bytes.load(fromByteOffset: offset, as: UInt32.self) }
    guard bytes.load(fromByteOffset: 12, as: UInt8.self) != 0 else { return nil }
    return Header(
      change: word(8),
      isBigEndian: bytes.load(fromByteOffset: 13, as: UInt8.self) != 0,
      pageSize: Self.size(bytes.load(fromByteOffset: 14, as: UInt16.self)),
      frameCount: Int(word(16)),
      pageCount: word(20),
      sum: LogChecksum(word(24), word(28)),
      salts: (word(32), word(36))
    )
  }

  /// Makes the log's committed frames visible to all transactions that begin later.
  func publish(_ header: Header) {
    guard let bytes = region(0) else { return }
    var copy = [UInt8](repeating: 0, count: Self.copySize)
    copy.withUnsafeMutableBytes { copy in
      copy.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: Self.copySize))
      let put = { (value: UInt32, offset: Int) in
        copy.storeBytes(of: value, toByteOffset: offset, as: UInt32.self)
      }
      put(header.change, 8)
      copy[13] = header.isBigEndian ? 1 : 0
      // A size of 65536 is stored as 1.
      let size = UInt16(truncatingIfNeeded: header.pageSize & 0xFF00 | header.pageSize >> 16)
      copy.storeBytes(of: size, toByteOffset: 14, as: UInt16.self)
      put(UInt32(header.frameCount), 16)
      put(header.pageCount, 20)
      put(header.sum.first, 24)
      put(header.sum.second, 28)
      put(header.salts.0, 32)
      put(header.salts.1, 36)
      var sum = LogChecksum(0, 0)
      let isBigEndian = UInt32(1).bigEndian == 1
      sum.add(UnsafeRawBufferPointer(rebasing: copy[..<40]), isBigEndian: isBigEndian)
      put(sum.first, 40)
      put(sum.second, 44)
      // Readers accept the header only if both of its copies are equal.
      for place in [bytes + Self.copySize, bytes] {
        UnsafeMutableRawBufferPointer(start: place, count: Self.copySize)
          .copyMemory(from: UnsafeRawBufferPointer(copy))
        atomicMemoryFence(ordering: .sequentiallyConsistent)
      }
    }
  }

  /// The number of frames that are already copied to the database file.
  var copiedFrames: Int {
    Int(region(0)?.load(fromByteOffset: 2 * Self.copySize, as: UInt32.self) ?? 0)
  }

  /// Resets the marks of readers and the count of copied frames, when a log is restarted.
  ///
  /// There must be no readers of the log.
  func forgetReaders() {
    guard let bytes = region(0) else { return }
    let info = bytes + 2 * Self.copySize
    info.storeBytes(of: 0, as: UInt32.self)
    // Readers that use only the database file have the first mark, which stays 0.
    info.storeBytes(of: 0, toByteOffset: 8, as: UInt32.self)
    for offset in [12, 16, 20] { info.storeBytes(of: .max, toByteOffset: offset, as: UInt32.self) }
    info.storeBytes(of: 0, toByteOffset: 32, as: UInt32.self)
  }

  // MARK: Frames

  /// The region of a frame, counted from 1, and the number of frames in the regions before.
  private static func place(_ frame: Int) -> (region: Int, zero: Int) {
    let region = (frame + frames - firstFrames - 1) / frames
    return (region, region == 0 ? 0 : firstFrames + (region - 1) * frames)
  }

  private struct Table {
    let pages: UnsafeMutablePointer<UInt32>
    let slots: UnsafeMutablePointer<UInt16>
    let count: Int

    init(_ region: UnsafeMutableRawPointer, _ number: Int) {
      let start = number == 0 ? WALIndex.headerSize : 0
      pages = (region + start).assumingMemoryBound(to: UInt32.self)
      slots = (region + WALIndex.frames * 4).assumingMemoryBound(to: UInt16.self)
      count = number == 0 ? WALIndex.firstFrames : WALIndex.frames
    }

    static func slot(_ page: UInt32) -> Int { Int((page &* 383) & UInt32(WALIndex.slots - 1)) }
  }

  /// Adds a frame, counted from 1, and the number of its page.
  ///
  /// - Returns: Whether memory for it was available.
  func add(_ frame: Int, page: UInt32) -> Bool {
    let (number, zero) = Self.place(frame)
    guard let region = region(number) else { return false }
    let table = Table(region, number)
    let place = frame - zero
    if place == 1 {
      table.pages.update(repeating: 0, count: table.count)
      table.slots.update(repeating: 0, count: Self.slots)
    } else if table.pages[place - 1] != 0 {
      // They belong to a transaction that was rolled back.
      for slot in 0..<Self.slots where Int(table.slots[slot]) >= place { table.slots[slot] = 0 }
      (table.pages + place - 1).update(repeating: 0, count: table.count - place + 1)
    }
    var slot = Table.slot(page)
    while table.slots[slot] != 0 { slot = (slot + 1) & (Self.slots - 1) }
    table.pages[place - 1] = page
    table.slots[slot] = UInt16(place)
    return true
  }

  /// Returns the last frame with a page among the first `count` frames, counted from 1, or `nil`.
  func frame(of page: UInt32, among count: Int) -> Int? {
    guard count > 0 else { return nil }
    for number in stride(from: Self.place(count).region, through: 0, by: -1) {
      guard let region = region(number) else { return nil }
      let table = Table(region, number)
      let zero = number == 0 ? 0 : Self.firstFrames + (number - 1) * Self.frames
      var found: Int?
      var slot = Table.slot(page)
      while table.slots[slot] != 0 {
        let place = Int(table.slots[slot])
        if table.pages[place - 1] == page, zero + place <= count {
          found = max(found ?? 0, zero + place)
        }
        slot = (slot + 1) & (Self.slots - 1)
      }
      if let found { return found }
    }
    return nil
  }
}

/// The checksum of a write-ahead log (sqlite.org/walformat.html#checksum_algorithm).
///
/// It continues from frame to frame.
package struct LogChecksum {
  package private(set) var first: UInt32
  package private(set) var second: UInt32

  package init(_ first: UInt32, _ second: UInt32) {
    (self.first, self.second) = (first, second)
  }

  /// Adds bytes, whose number is a multiple of eight.
  package mutating func add(_ bytes: UnsafeRawBufferPointer, isBigEndian: Bool) {
    for offset in stride(from: 0, to: bytes.count, by: 8) {
      let a = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      let b = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
      first &+= (isBigEndian ? a.bigEndian : a.littleEndian) &+ second
      second &+= (isBigEndian ? b.bigEndian : b.littleEndian) &+ first
    }
  }
}
