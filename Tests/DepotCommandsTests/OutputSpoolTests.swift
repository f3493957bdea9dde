import DepotLinux
import TestSupport
import Testing

@testable import DepotCommands

@Suite struct OutputSpoolTests {
  private let folder: TemporaryFolder
  private let reading: Descriptor
  private let writing: Descriptor
  private let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }

  init() throws {
    folder = try TemporaryFolder()
    (reading, writing) = try Descriptor.pipe()
  }

  private func spool(limit: Int = OutputSpool.limit, isOn: Bool = true) -> OutputSpool {
    let spool = OutputSpool(limit: limit, patience: 0, folder: folder.path)
    if isOn { spool.begin() }
    return spool
  }

  /// Reads as much from the pipe as is there now.
  private func take() throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    let count = try buffer.withUnsafeMutableBytes { try reading.read(into: $0) }
    return Array(buffer.prefix(count))
  }

  /// Reads all from the pipe, on a thread of its own.
  private func takeAll() -> Task<[UInt8], any Error> {
    let reading = reading
    let count = bytes.count
    return Task.detached {
      try await onThread {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer { buffer.deallocate() }
        var read: [UInt8] = []
        while read.count < count {
          let more = try reading.read(into: buffer)
          read.append(contentsOf: buffer[..<more])
        }
        return read
      }
    }
  }

  @Test func `what the reader doesn't take waits, and comes in its order`() throws {
    let spool = spool()
    var read: [UInt8] = []
    for part in stride(from: 0, to: bytes.count, by: 70_000) {
      try spool.write(Array(bytes[part..<min(part + 70_000, bytes.count)]), to: writing)
      if part > bytes.count / 2 { read += try take() }
    }
    #expect(spool.count > 0)
    while spool.count > 0 {
      read += try take()
      try spool.write([], to: writing)
    }
    while read.count < bytes.count { read += try take() }
    #expect(read == bytes)
    #expect(FileSystem.entries(of: folder.path).isEmpty)
  }

  @Test func `beyond the limit the program waits for the reader`() async throws {
    let spool = spool(limit: 100_000)
    let (bytes, writing) = (bytes, writing)
    let all = takeAll()
    for part in stride(from: 0, to: bytes.count, by: 250_000) {
      try spool.write(Array(bytes[part..<part + 250_000]), to: writing)
      #expect(spool.count <= 100_000)
    }
    try spool.finish(to: writing)
    #expect(spool.count == 0)
    #expect(try await all.value == bytes)
  }

  @Test func `without a folder for it nothing is put aside`() async throws {
    let spool = OutputSpool(patience: 0, folder: folder.path + "/missing")
    spool.begin()
    let all = takeAll()
    try spool.write(bytes, to: writing)
    #expect(spool.count == 0)
    #expect(try await all.value == bytes)
  }
}
