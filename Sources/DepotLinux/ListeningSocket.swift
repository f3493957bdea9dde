internal import CDepotLinux
internal import Glibc
internal import Synchronization

/// A listening socket at a path that only one service at a time can hold.
///
/// A lock file beside the socket decides who may replace it, because a refused connection doesn't
/// prove that a socket is dead. The socket appears under its name by a rename, so that clients never
/// meet a missing or half-made one.
package final class ListeningSocket: Sendable {
  /// Why a service can't listen.
  package enum Failure: Error, Sendable {
    case pathTooLong(bytes: Int)
    /// Another service holds the lock; its process number, if it left one.
    case inUse(process: String)
    /// Something stands at the path that isn't a socket of this user.
    case foreignFile
    case system(SystemError)
  }

  /// How many sockets this process made.
  private static let made = Atomic(0)

  package let descriptor: Descriptor
  private let path: String
  private let claim: Claim?
  private let device: dev_t
  private let inode: ino_t

  /// The right to listen at a path, held until the last reference goes away.
  package final class Claim: Sendable {
    fileprivate let path: String
    fileprivate let lock: FileLock

    fileprivate init(path: String, lock: FileLock) {
      self.path = path
      self.lock = lock
    }

    /// Takes the lock beside the socket.
    ///
    /// - Throws: ``Failure`` if the path, of at most 107 bytes, can't be used or another service
    ///   holds it.
    package init(path: String) throws(Failure) {
      guard path.utf8.count <= UnixSocket.longestPath else {
        throw .pathTooLong(bytes: path.utf8.count)
      }
      self.path = path
      lock = try ListeningSocket.takeLock(path + ".lock")
      try ListeningSocket.refuseForeignFile(path)
    }
  }

  /// Listens at the path that was claimed, with the permissions `mode`.
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
      // Through the folder's descriptor, the temporary name needs no room in the socket's address.
      let parent = try Descriptor.open(reading: folder)
      descriptor = try UnixSocket.listen(path: "/proc/self/fd/\(parent.number)/\(name)")
      try systemCall("chmod") { chmod(temporary, mode) }
      var status = stat()
      try systemCall("lstat") { lstat(temporary, &status) }
      (device, inode) = (status.st_dev, status.st_ino)
      try systemCall("rename") { rename(temporary, path) }
    } catch {
      unlink(temporary)
      throw .system(error)
    }
  }

  /// Whether the service manager passed a socket to this process.
  package static var isFromServiceManager: Bool {
    Process.environment("LISTEN_PID") == String(getpid())
      && Process.environment("LISTEN_FDS") == "1"
  }

  /// Takes over a socket that the service manager listens on (sd_listen_fds(3)).
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
    device = 0
    inode = 0
  }

  /// Listens on a socket that another service made and handed over.
  ///
  /// - Parameters:
  ///   - descriptor: The socket.
  ///   - lock: What keeps others from its path; `nil` if the service manager made the socket.
  ///   - path: Where it is.
  package init(takingOver descriptor: Descriptor, lock: Descriptor?, path: String) {
    self.descriptor = descriptor
    self.path = path
    claim = lock.map { Claim(path: path, lock: FileLock(takingOver: $0)) }
    var status = stat()
    if lstat(path, &status) == 0 {
      (device, inode) = (status.st_dev, status.st_ino)
    } else {
      (device, inode) = (0, 0)
    }
  }

  /// Whether it is at a path of this service's, rather than made by the service manager.
  package var hasPath: Bool { claim != nil }

  /// Returns what another service needs to listen on this socket, with what each of it is.
  package func handOver() -> (names: [String], descriptors: [Descriptor]) {
    guard let claim else { return (["listener"], [descriptor]) }
    return (["listener", "lock"], [descriptor, claim.lock.handOver()])
  }

  /// Lets every user connect, so that the service itself decides who may stay.
  package func admitAll() {
    if claim != nil { chmod(path, 0o666) }
  }

  /// Removes the socket, if what stands at the path is still this one.
  package func unlinkIfOwn() {
    var status = stat()
    guard claim != nil, lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode
    else { return }
    unlink(path)
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
    // Somebody may listen without regard for our lock.
    do throws(SystemError) {
      _ = try UnixSocket.connect(path: path)
      throw SystemError(call: "connect", code: 0)
    } catch {
      if error.code == 0 || error.wouldBlock { throw .inUse(process: "") }
    }
  }
}
