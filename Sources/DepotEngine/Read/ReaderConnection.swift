internal import DepotProtocol
internal import DepotSQLite

extension Connection {
  /// Opens the store at `path` for reading only, with the functions of predicates.
  static func reader(
    path: String,
    isFrozen: Bool,
    cacheKiB: Int
  ) throws(DepotError) -> Connection {
    try reading { () throws(SQLiteError) in
      let connection = try Connection(path: path, access: isFrozen ? .frozen : .reader)
      try connection.execute(
        """
        PRAGMA query_only = ON;
        PRAGMA cache_size = -\(cacheKiB);
        PRAGMA mmap_size = 0;
        PRAGMA temp_store = FILE
        """
      )
      try TextFunctions.register(on: connection)
      return connection
    }
  }
}
