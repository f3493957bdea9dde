internal import DepotLinux
package import DepotProtocol
internal import DepotSQLite

extension Store {
  /// Checks every page and row of a store that no process has open.
  ///
  /// - Returns: Messages about the problems, none if the store is undamaged; `nil` if there is no
  ///   store.
  /// - Throws: ``DepotError`` `unavailable.busy` if a process has the store open, `storage.corrupt`
  ///   if it is too damaged to be checked, and others of class `storage`.
  package static func check(path: String) throws(DepotError) -> [String]? {
    let files = StoreFiles(path)
    // A lock would leave a file in a place that was perhaps meant to be another one.
    if FileSystem.size(of: path) == nil, try files.evidence().finding == .none { return nil }
    let lock = try files.lockForChecking()
    defer { withExtendedLifetime(lock) {} }
    switch try files.evidence().finding {
    case .sound, .unknown: break
    case .none: return nil
    case .firstPageIsInLog:
      return ["The first page of \(path) is damaged; the next start takes it from the log."]
    case .firstPageIsTorn:
      return ["The first page of \(path) is half written; the next start mends it."]
    case .damaged: throw files.firstPageIsDamaged
    case .loss(let loss): throw files.error(loss)
    }
    return try problems(of: path)
  }

  /// Checks every page and row of a store that this process has locked.
  static func problems(of path: String) throws(DepotError) -> [String]? {
    let files = StoreFiles(path)
    do {
      let connection = try Connection(path: path, access: .reader)
      guard try files.checkVersion(connection) else { return nil }
      try TextFunctions.register(on: connection)
      try connection.beginReading()
      let tables = CatalogTables(connection: connection)
      return try WholeCheck(connection, tables.load, isShared: false) {}.problems
    } catch {
      throw files.error(error)
    }
  }
}
