internal import CDepotSQLite
internal import Glibc

/// The checksums of the pages in a write-ahead log.
///
/// With them a connection notices a page that has changed since it was written, or since the log
/// was read at the start. SQLite verifies the log's own chain of checksums only when it first reads
/// the log.
// because a frame's entry is written before SQLite announces the frame in the index, and read after
final class FrameSums: @unchecked Sendable {
  struct Entry {
    /// The number of the page; 0 if the frame is unknown.
    var page: UInt32
    var sum: UInt64
  }

  private static let segmentSize = 1024
  private static let segmentCount = 1 << 17
  /// The segments; unused ones aren't allocated.
  private let segments: UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>

  init?() {
    let size = MemoryLayout<UnsafeMutablePointer<Entry>?>.stride
    guard let memory = calloc(Self.segmentCount, size) else { return nil }
    segments = memory.bindMemory(
      to: UnsafeMutablePointer<Entry>?.self,
      capacity: Self.segmentCount
    )
  }

  deinit {
    for segment in 0..<Self.segmentCount {
      // Segments are allocated in order.
      guard let memory = segments[segment] else { break }
      free(memory)
    }
    free(segments)
  }

  private func grow(to segment: Int) {
    for number in 0...segment where segments[number] == nil {
      guard let memory = calloc(Self.segmentSize, MemoryLayout<Entry>.stride) else { return }
      segments[number] = memory.bindMemory(to: Entry.self, capacity: Self.segmentSize)
    }
  }

  /// Forgets all frames.
  ///
  /// Their memory stays allocated, since a search for the owner of a damaged page may be reading
  /// it.
  func forget() {
    for segment in 0..<Self.segmentCount {
      guard let memory = segments[segment] else { break }
      memory.update(repeating: Entry(page: 0, sum: 0), count: Self.segmentSize)
    }
  }

  /// The entry of a frame, counted from 0; `nil` if it is unknown.
  subscript(frame: Int) -> Entry? {
    get {
      let (segment, place) = frame.quotientAndRemainder(dividingBy: Self.segmentSize)
      guard segment < Self.segmentCount, let entries = segments[segment] else { return nil }
      let entry = entries[place]
      return entry.page == 0 ? nil : entry
    }
    set {
      let (segment, place) = frame.quotientAndRemainder(dividingBy: Self.segmentSize)
      guard segment < Self.segmentCount else { return }
      if segments[segment] == nil { grow(to: segment) }
      segments[segment]?[place] = newValue ?? Entry(page: 0, sum: 0)
    }
  }
}

extension FrameSums {
  /// Whether the processor computes CRC-32C.
  private static let isFast = depot_has_crc32c() != 0

  /// Returns the checksum of a page in memory, which covers its number too.
  ///
  /// These sums never leave the process, so machines may compute them differently. A change of at
  /// most 32 adjacent bits of a word is always noticed.
  static func sum(of page: UnsafeRawBufferPointer, number: UInt32) -> UInt64 {
    guard isFast, page.count % 64 == 0,
      let words = page.baseAddress?.assumingMemoryBound(to: UInt64.self)
    else { return PageChecksum.value(of: page, number: number) }
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 4) { sums in
      for lane in 0..<4 { sums[lane] = UInt64(number) &+ UInt64(lane) }
      depot_page_lanes(words, page.count / 8, sums.baseAddress)
      return (sums[0] | sums[1] << 32) &* 0x9E37_79B9_7F4A_7C15 ^ (sums[2] | sums[3] << 32)
    }
  }
}
