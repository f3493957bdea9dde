import DepotLinux
import Foundation
import TestSupport
import Testing

@Suite struct `Locks on files` {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/lock"
  }

  /// A copy of the descriptor of the file, as a process has it that is just being started.
  private func copyOfDescriptor() throws -> Descriptor {
    let number = (0..<65_536).first { number in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"))
        == path
    }
    return Descriptor(dup(Int32(try #require(number))))
  }

  @Test func `a lock that was let go is free though a process is being started`() throws {
    var lock: FileLock? = try FileLock(path: path)
    let copy = try copyOfDescriptor()
    #expect(throws: FileLock.Failure.self) { try FileLock(path: path) }
    withExtendedLifetime(lock) {}
    lock = nil
    #expect(throws: Never.self) { try FileLock(path: path) }
    withExtendedLifetime(copy) {}
  }

  @Test func `a lock that was handed over is held by who has it`() throws {
    var lock: FileLock? = try FileLock(path: path)
    let copy = try copyOfDescriptor()
    _ = lock?.handOver()
    lock = nil
    #expect(throws: FileLock.Failure.self) { try FileLock(path: path) }
    // Who has taken it over and gives up leaves it to the other.
    let mine = Descriptor(dup(copy.number))
    _ = FileLock(takingOver: mine)
    #expect(throws: FileLock.Failure.self) { try FileLock(path: path) }
    withExtendedLifetime(copy) {}
  }
}
