#if Embedded
internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol
internal import DepotServer

/// How this process becomes the service of a file.
extension RouteFinder {
  /// Makes this process the service of the file, unless it is already.
  func becomeOwner() throws(Obstacle) -> Route {
    do throws(Obstacle) {
      let key = EmbeddedServices.Key.file(path: file.path)
      let service = try EmbeddedServices.shared.service(key) { () throws(Obstacle) in
        let claim = try claim()
        do throws(DepotError) {
          let store = Server.ProgramStore.file(path: file.path, claim)
          return try EmbeddedService(key, store, socket: file.socket.path)
        } catch {
          throw Obstacle(error: error, patience: error.code == .busy ? 3_000_000_000 : 0)
        }
      }
      return .embedded(service, file.socket)
    } catch {
      guard isReadOnly, [.readOnly, .filePermission].contains(error.error.code) else { throw error }
      return try openFrozen()
    }
  }

  /// Takes the right to listen for the file.
  private func claim() throws(Obstacle) -> ListeningSocket.Claim {
    let path = file.socket.path
    do throws(DepotError) {
      try file.prepareSocketFolder()
    } catch {
      throw Obstacle(error: error, patience: 0)
    }
    do throws(ListeningSocket.Failure) {
      return try ListeningSocket.Claim(path: path)
    } catch {
      switch error {
      case .inUse(let process):
        let error = DepotError(.busy, "Process \(process) is about to serve \(file.path).")
          .hint("It should answer at \(path); end it if it hangs.")
        throw Obstacle(error: error, patience: 30_000_000_000)
      case .foreignFile, .pathTooLong:
        let error = DepotError(.usage, "There is a file at \(path) that isn't a socket of yours.")
          .hint("Move it away; the program that has the store listens there.")
        throw Obstacle(error: error, patience: 0)
      case .system(let error):
        let code = error.isReadOnly ? DepotError.Code.readOnly : .io
        throw Obstacle(error: DepotError(code, "\(path) can't be made (\(error))."), patience: 0)
      }
    }
  }

  /// Opens a file that can't be written to, for this process only.
  private func openFrozen() throws(Obstacle) -> Route {
    let key = EmbeddedServices.Key.frozen(path: file.path)
    do throws(DepotError) {
      let service = try EmbeddedServices.shared.service(key) { () throws(DepotError) in
        try EmbeddedService(key, .frozen(path: file.path))
      }
      return .embedded(service, nil)
    } catch {
      throw Obstacle(error: error, patience: 0)
    }
  }
}
#endif
