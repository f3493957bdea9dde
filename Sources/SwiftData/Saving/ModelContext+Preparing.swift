extension ModelContext {
  /// Does postponed work, before the stores are asked for something.
  ///
  /// - Throws: An earlier error of a call that couldn't throw.
  final func prepare() throws {
    try errors.throwOfRead()
    try settleSaves()
    mergeRemoteChanges()
    try autosaveIfDue()
  }
}
