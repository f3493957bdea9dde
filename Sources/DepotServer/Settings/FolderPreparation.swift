internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

extension FileSystem {
  /// Creates the folder of a file, for its owner only, if it is missing.
  ///
  /// - Throws: ``DepotError`` of class `storage` or `permission`.
  static func prepareFolder(of path: String) throws(DepotError) {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
    let folder = String(path[..<slash])
    do throws(SystemError) {
      try createPrivateFolder(folder)
    } catch {
      throw DepotError(error, file: folder)
    }
  }
}

extension DepotError {
  /// Refuses to use a file in a folder that others control.
  ///
  /// - Throws: ``DepotError`` `permission.file`.
  static func refuseDistrust(folderOf path: String) throws(DepotError) {
    guard let distrust = FileSystem.distrust(folderOf: path) else { return }
    throw DepotError(.filePermission, distrust.message).hint(distrust.hint)
  }
}
