internal import DepotLinux
package import DepotProtocol
internal import DepotSQLite

extension Store {
  /// Looks at every page and every row of a store that nobody has open.
  ///
  /// - Returns: What is wrong, in words; nothing if the store is sound, `nil` if there is none.
  /// - Throws: ``DepotError`` `unavailable.busy` if a process has the store open, `storage.corrupt`
  ///   if it is too damaged to be looked at, and others of class `storage`.
  package static func check(path: String) throws(DepotError) -> [String]? {
    let files = StoreFiles(path)
    let lock = try files.lock()
    defer { withExtendedLifetime(lock) {} }
    guard try files.prove() else { return nil }
    do {
      let connection = try Connection(path: path, access: .reader)
      guard try files.checkVersion(connection) else { return nil }
      try TextFunctions.register(on: connection)
      var problems = try connection.texts("PRAGMA integrity_check").filter { $0 != "ok" }
      let catalog = try CatalogTables(connection: connection).load()
      for layout in catalog.allLayouts { try check(layout, connection, &problems) }
      return problems
    } catch let error as DepotError {
      throw error
    } catch let error as SQLiteError {
      throw files.error(error)
    } catch {
      throw DepotError(.bug, "\(error)")
    }
  }

  private static func check(
    _ layout: EntityLayout,
    _ connection: Connection,
    _ problems: inout [String]
  ) throws {
    let statement = try connection.statement("SELECT \(layout.fullRow) FROM \(layout.table)")
    defer { statement.reset() }
    do {
      while try statement.step() {
        do {
          try layout.verify(statement.row)
        } catch {
          problems.append(error.message)
        }
      }
    } catch {
      problems.append("The rows of \(layout.name) can't all be read: \(error.message).")
    }
  }
}
