internal import CDepotLinux
internal import Glibc
internal import Synchronization

/// A listening socket at a path that only one service at a time can have.
///
/// A lock file beside the socket decides which process may replace it, because a refused connection
/// doesn't prove that a service has ended. The socket gets its name by a rename, so that clients
/// never find it missing or unfinished.
package final class ListeningSocket: Sendable {
  /// The reason why a service can't listen.
  package enum Failure: Error, Sendable {
    case pathTooLong(bytes: Int)
    /// Another service holds the lock; its process number, if it wrote one.
    case inUse(process: String)
    /// The path is something else than a socket of this user.
    case foreignFile
    case system(SystemError)
  }

  /// The number of sockets that this process made.
  private static let made = Atomic(0)

  package let descriptor: Descriptor
  private let path: String
  private let claim: Claim?
  /// The socket's file; `nil` if this service didn't make it, or it didn't exist.
  private let file: KeptFile?

  /// The right to listen at a path, held until the last reference is released.
  package final class Claim: Sendable {
    fileprivate let path: String
    fileprivate let lock: FileLock
    fileprivate let lockFile: KeptFile?

    fileprivate init(path: String, lock: FileLock) {
      self.path = path
      self.lock = lock
      lockFile = KeptFile(ListeningSocket.lockPath(of: path))
    }

    /// Locks the file beside the socket.
    ///
    /// - Throws: ``Failure`` if the path, of at most 107 bytes, can't be used or another service
    ///   holds it.
    package convenience init(path: String) throws(Failure) {
      guard path.utf8.count <= UnixSocket.longestPath else {
        throw .pathTooLong(bytes: path.utf8.count)
      }
      let lock = try ListeningSocket.takeLock(ListeningSocket.lockPath(of: path))
      self.init(path: path, lock: lock)
      try ListeningSocket.refuseForeignFile(path)
    }
  }

  /// Listens at the claimed path, with the permissions `mode`.
  ///
  /// - Throws: ``Failure`` if the kernel refuses.
  package init(_ claim: Claim, mode: UInt32) throws(Failure) {
    self.claim = claim
    let path = claim.path
    self.path = path
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    let number = Self.made.add(1, ordering: .relaxed).newValue
    let name = ".depot-\(getpid())-\(number)"
    let temporary = folder + name
    unlink(temporary)
    do throws(SystemError) {
      // Through the folder's descriptor, the temporary name doesn't lengthen the socket's address.
      let parent = try Descriptor.open(reading: folder)
      descriptor = try UnixSocket.listen(path: "/proc/self/fd/\(parent.number)/\(name)")
      try systemCall("chmod") { chmod(temporary, mode) }
      try systemCall("rename") { rename(temporary, path) }
      file = KeptFile(path)
    } catch {
      unlink(temporary)
      throw .system(error)
    }
    claim.lock.note(Holder.listening)
  }

  /// Listens again at the same path, after the socket's file was removed.
  ///
  /// - Throws: ``Failure`` if the kernel refuses.
  package func renewed(mode: UInt32) throws(Failure) -> ListeningSocket {
    guard let claim else { return self }
    return try ListeningSocket(claim, mode: mode)
  }

  /// The files that must stay at their paths; empty if the service manager made the socket.
  package var keptFiles: [KeptFile] { [file, claim?.lockFile].compactMap(\.self) }

  /// The event that removed the socket from its path; `nil` if it is still there.
  package var loss: KeptFile.Loss? {
    guard claim != nil else { return nil }
    return file.map(\.loss) ?? .removed
  }

  /// The event that removed the lock file, so that others may take the path; `nil` if it is there.
  package var lockLoss: (path: String, loss: KeptFile.Loss)? {
    guard let lock = claim?.lockFile, let loss = lock.loss else { return nil }
    return (lock.path, loss)
  }

  fileprivate static func lockPath(of path: String) -> String { path + ".lock" }

  /// Whether the service manager passed a socket to this process.
  package static var isFromServiceManager: Bool {
    Process.environment("LISTEN_PID") == String(getpid())
      && Process.environment("LISTEN_FDS") == "1"
  }

  /// Uses a socket that the service manager listens on (sd_listen_fds(3)).
  ///
  /// - Returns: `nil` unless exactly one was passed to this process.
  package static func fromServiceManager() -> ListeningSocket? {
    guard isFromServiceManager else { return nil }
    for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
    var listening: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    let code = getsockopt(3, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size)
    guard code == 0, listening == 1 else { return nil }
    depot_set_close_on_exec(3)
    depot_set_nonblocking(3)
    return ListeningSocket(adopting: Descriptor(3))
  }

  private init(adopting descriptor: Descriptor) {
    self.descriptor = descriptor
    path = ""
    claim = nil
    file = nil
  }

  /// Listens on a socket that another service made and passed to this one.
  ///
  /// - Parameters:
  ///   - descriptor: The socket.
  ///   - lock: The lock on its path; `nil` if the service manager made the socket.
  ///   - path: The path of the socket.
  package init(takingOver descriptor: Descriptor, lock: Descriptor?, path: String) {
    self.descriptor = descriptor
    self.path = path
    claim = lock.map { Claim(path: path, lock: FileLock(takingOver: $0)) }
    file = KeptFile(path)
    claim?.lock.note(Holder.listening)
  }

  /// Whether this service owns the socket's path; `false` if the service manager made the socket.
  package var hasPath: Bool { claim != nil }

  /// Returns the descriptors with which another service can take over this socket, and their names.
  package func handOver() -> (names: [String], descriptors: [Descriptor]) {
    guard let claim else { return (["listener"], [descriptor]) }
    return (["listener", "lock"], [descriptor, claim.lock.handOver()])
  }

  /// Gives every user the permission to connect; the service itself then checks access.
  package func admitAll() {
    if claim != nil { chmod(path, 0o666) }
  }

  /// Removes the socket if it is still at its path, and records that the service ends.
  package func unlinkIfOwn() {
    guard let claim else { return }
    claim.lock.note(Holder.ending)
    if loss == nil { unlink(path) }
  }

  /// The service that holds the lock of a path, as recorded in the lock.
  package struct Holder: Sendable {
    package let process: Int32
    /// Whether it recorded that it listens, rather than that it starts or ends.
    package let isListening: Bool

    fileprivate static let listening = "listening"
    fileprivate static let ending = "ending"

    /// Whether its process still exists.
    package var isRunning: Bool { Process.exists(process) }

    /// Reads the record of the last holder beside a socket; `nil` if there is none.
    package init?(besideSocket path: String) {
      let lock = ListeningSocket.lockPath(of: path)
      guard let bytes = FileSystem.contents(of: lock, limit: 1 << 10) else { return nil }
      let lines = bytes.split(separator: UInt8(ascii: "\n"))
      guard let first = lines.first, let process = Int32(String(decoding: first, as: UTF8.self))
      else { return nil }
      self.process = process
      isListening = lines.count > 1 && lines[1].elementsEqual(Self.listening.utf8)
    }
  }

  private static func takeLock(_ path: String) throws(Failure) -> FileLock {
    do throws(FileLock.Failure) {
      return try FileLock(path: path)
    } catch {
      switch error {
      case .held(let process): throw .inUse(process: process.map(String.init) ?? "")
      case .system(let error): throw .system(error)
      }
    }
  }

  private static func refuseForeignFile(_ path: String) throws(Failure) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else {
      throw .foreignFile
    }
    // Another program may listen there without using our lock.
    do throws(SystemError) {
      _ = try UnixSocket.connect(path: path)
      throw SystemError(call: "connect", code: 0)
    } catch {
      if error.code == 0 || error.wouldBlock { throw .inUse(process: "") }
    }
  }
}
