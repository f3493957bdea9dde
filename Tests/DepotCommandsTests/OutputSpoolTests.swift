import DepotLinux
import Dispatch
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

  /// Writes with a spool and reads all of it, each on a thread of its own; returns what was read.
  private func read(
    after start: DispatchSemaphore? = nil,
    whileWriting body: @escaping @Sendable ([UInt8], Descriptor) throws -> Void
  ) async throws -> [UInt8] {
    let (bytes, reading, writing) = (bytes, reading, writing)
    async let written: Void = onThread { try body(bytes, writing) }
    let all = try await onThread {
      start?.wait()
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
      defer { buffer.deallocate() }
      var read: [UInt8] = []
      while read.count < bytes.count {
        let more = try reading.read(into: buffer)
        read.append(contentsOf: buffer[..<more])
      }
      return read
    }
    try await written
    return all
  }

  @Test func `what the reader doesn't take waits, and comes in its order`() async throws {
    let folder = folder.path
    let isWritten = DispatchSemaphore(value: 0)
    let all = try await read(after: isWritten) { bytes, writing in
      defer { isWritten.signal() }
      let spool = OutputSpool(patience: 0, folder: folder)
      spool.begin()
      for part in stride(from: 0, to: bytes.count, by: 50_000) {
        try spool.write(Array(bytes[part..<part + 50_000]), to: writing)
      }
      #expect(spool.count > bytes.count / 2)
      #expect(FileSystem.entries(of: folder).isEmpty)
      isWritten.signal()
      try spool.finish(to: writing)
      #expect(spool.count == 0)
    }
    #expect(all == bytes)
  }

  @Test func `beyond the limit the program waits for the reader`() async throws {
    let folder = folder.path
    let all = try await read { bytes, writing in
      let spool = OutputSpool(limit: 100_000, patience: 0, folder: folder)
      spool.begin()
      for part in stride(from: 0, to: bytes.count, by: 250_000) {
        try spool.write(Array(bytes[part..<part + 250_000]), to: writing)
        #expect(spool.count <= 100_000)
      }
      try spool.finish(to: writing)
      #expect(spool.count == 0)
    }
    #expect(all == bytes)
  }

  @Test func `without a folder for it nothing is put aside`() async throws {
    let folder = folder.path + "/missing"
    let all = try await read { bytes, writing in
      let spool = OutputSpool(patience: 0, folder: folder)
      spool.begin()
      try spool.write(bytes, to: writing)
      #expect(spool.count == 0)
    }
    #expect(all == bytes)
  }
}
