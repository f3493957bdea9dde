internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// The service's files, which must stay at their paths.
extension Server {
  /// Begins to watch the files' names; without that they are checked more often.
  func watchFiles() {
    guard !isInProgram else { return }
    do throws(SystemError) {
      let notices = try FileNotices()
      try loop.add(notices.descriptor, token: Self.filesToken)
      fileNotices = notices
    } catch {
      let message = "files are checked twice a second, without notices of the system"
      log.write(.warning, message, [("error", .text("\(error)"))])
    }
    for file in acceptor.listener?.keptFiles ?? [] { fileNotices?.watch(file) }
    for host in stores.hosts { host.watchFiles(fileNotices) }
  }

  /// Makes the files be checked in this round.
  func takeNotices() {
    fileNotices?.takeAll()
    schedule.tick = now
  }

  /// Checks that all files are at their paths; makes the socket again if only that is gone.
  ///
  /// - Returns: The reason to stop: clients would lose stored data, or reach another store; or
  ///   `nil`.
  func checkFiles() -> DepotError? {
    switch phase {
    case .serving, .draining: break
    default: return nil
    }
    for host in stores.hosts {
      host.watchFiles(fileNotices)
      if let error = host.lookAtFiles() { return error }
    }
    guard isServing, let listener = acceptor.listener else { return nil }
    if let (path, loss) = listener.lockLoss { return DepotError(loss, file: path) }
    switch listener.loss {
    case nil: break
    case .replaced: return DepotError(.replaced, file: configuration.socketPath)
    case .removed: renew(listener)
    }
    return nil
  }

  /// Listens at the path again for new clients; clients of the old socket stay.
  private func renew(_ old: ListeningSocket) {
    acceptAll()
    do throws(DepotError) {
      let fresh = try Self.explaining(configuration.socketPath) {
        () throws(ListeningSocket.Failure) in
        try old.renewed(mode: Self.mode(access))
      }
      acceptor.replace(with: fresh, in: loop)
      for file in fresh.keptFiles { fileNotices?.watch(file) }
      watchListener()
      log.write(.notice, "the socket was gone; listening anew")
    } catch {
      // It is tried again soon.
      guard !acceptor.hasLostSocket else { return }
      acceptor.hasLostSocket = true
      log.write(.error, "the socket is gone", [("error", .text(error.message))])
    }
  }

  /// Ends without carrying out pending calls: memory and disk may differ.
  ///
  /// Clients get the reason, except for failures of the disk, which the next start examines: as the
  /// answer of each call that waits, and as the last frame of each session.
  ///
  /// - Returns: The process's exit status; `nil` if the service is part of a program, which
  ///   continues.
  func failStop(_ error: DepotError) -> Int32? {
    log.write(.error, "the store failed; ending", [("error", .text("\(error)"))])
    // Only a store's cluster, without commits that the store has, ends it as corrupt.
    if [.gone, .readOnly, .corrupt].contains(error.code) {
      for session in sessions.values where !session.state.isClosing {
        session.failAll(error)
        flushNow(session)
      }
    }
    guard isInProgram else { return 70 }
    giveUp()
    return nil
  }
}

extension DepotError {
  /// Creates the error that a file of a service isn't at its path.
  fileprivate init(_ loss: KeptFile.Loss, file path: String) {
    let event = loss == .removed ? "was removed or moved" : "was replaced by another"
    self.init(.gone, "The file \(path) \(event) while the service had it.")
    hint = """
      The service has ended, since nobody would find there what it stores. What it had acknowledged is in its \
      files, if they are in another place now.
      """
    details = .object(["path": .string(path)])
    effect = .unknown
  }
}

extension StoreHost {
  /// Watches the store's files, unless they are watched already.
  func watchFiles(_ notices: FileNotices?) {
    guard let served, !served.isWatchingFiles, let notices else { return }
    served.isWatchingFiles = true
    for file in served.store.keptFiles { notices.watch(file) }
  }

  /// Returns the error if writes to the store would be lost; `nil` if its files are in place.
  func lookAtFiles() -> DepotError? {
    guard isOpen, let store, !store.keptFiles.isEmpty else { return nil }
    for file in store.keptFiles {
      if let loss = file.loss { return DepotError(loss, file: file.path) }
    }
    let path = configuration.path
    return FileSystem.isReadOnly(at: path) ? .unwritableFileSystem(path) : nil
  }
}
