internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// Answers requests about a store as a whole, each from one snapshot.
@Memberwise("path")
struct StoreAnswers {
  /// The most problems in an answer.
  private static let problemLimit = 1000

  private let path: String
  let connection: Connection
  let catalog: Catalog
  let reply: ReplyWriter

  /// Appends the use of disk space.
  func space(to writer: inout JSONWriter) throws {
    if !connection.isInTransaction { try connection.beginReading() }
    let catalog = try CatalogTables(connection: connection).catalog(orSame: catalog)
    let space = try StoreSpace(catalog, on: connection)
    let log = FileSystem.size(of: path + "-wal") ?? 0
    let copies = StoreCopies(of: path).kept
    reply.object(to: &writer) { space.write(log: log, copies: copies, to: &$0) }
  }

  /// Removes copies of the store by their names, and appends the removed ones.
  func removeCopies(_ names: [String], to writer: inout JSONWriter) throws {
    let removed = try StoreCopies(of: path).remove(names)
    reply.object(to: &writer) { writer in
      writer.member("removed", removed.map(\.name))
      writer.member("bytes", removed.reduce(0) { $0 + $1.bytes })
    }
  }

  /// Appends the problems of the store; `pause` is called between steps.
  func check(_ pause: () throws -> Void, to writer: inout JSONWriter) throws {
    if !connection.isInTransaction { try connection.beginReading() }
    let tables = CatalogTables(connection: connection)
    let token = try SnapshotToken.read(on: connection, store: try tables.storeIdentifier())
    let check = try WholeCheck(
      connection,
      { try tables.catalog(orSame: catalog) },
      isShared: true,
      pause
    )
    reply.object(to: &writer) { writer in
      writer.member("problems", Array(check.problems.prefix(Self.problemLimit)))
      writer.member("pages", check.pageCount)
      if let token { writer.member("token", token) }
    }
  }
}
