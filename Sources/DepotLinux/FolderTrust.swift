internal import CDepotLinux
internal import Glibc

/// The reason why a folder isn't as safe as the user's own.
package enum FolderDistrust: Hashable, Sendable {
  /// The folder, or a symbolic link on the way to it, belongs to another user.
  case foreign(path: String, user: UInt32)
  /// Others may add, remove, and rename files in the folder.
  case open(path: String)

  /// The reason as text for the user.
  package var message: String {
    switch self {
    case .foreign(let path, let user):
      "\(path) belongs to user \(user), not to \(Process.user) or root."
    case .open(let path): "Others than user \(Process.user) may write to the folder \(path)."
    }
  }

  /// The remedy as text for the user.
  package var hint: String {
    switch self {
    case .foreign: "Use a folder of your own."
    case .open(let path): "Take that right away with \"chmod go-w \(path)\", or use a folder in it."
    }
  }
}

extension FileSystem {
  /// Checks that the folder of a file belongs to this user or root, and only they may write to it.
  ///
  /// The user's private group, whose number equals the user's, may write to it too. In a sticky
  /// folder, such as /tmp, all users may make files, but none can remove the files of others.
  ///
  /// - Parameters:
  ///   - file: The path, which may contain symbolic links.
  ///   - users: Further users who may own the folder.
  /// - Returns: `nil` if the check succeeds, or the folder doesn't exist.
  package static func distrust(
    folderOf file: String,
    besides users: Set<UInt32> = []
  ) -> FolderDistrust? {
    let trusted = users.union([0, geteuid()])
    var status = stat()
    var rest = file.split(separator: "/").dropLast().reversed().map(String.init)
    var place = file.hasPrefix("/") ? "" : destination(of: ".") ?? ""
    // The kernel's limit of links to follow.
    var links = 40
    while let name = rest.popLast() {
      if name == "." { continue }
      if name == ".." {
        place = place.lastIndex(of: "/").map { String(place[..<$0]) } ?? ""
        continue
      }
      let path = place + "/" + name
      guard lstat(path, &status) == 0 else { return nil }
      guard status.st_mode & S_IFMT == S_IFLNK else {
        place = path
        continue
      }
      guard trusted.contains(status.st_uid) else {
        return .foreign(path: path, user: status.st_uid)
      }
      guard links > 0, let target = linkTarget(path) else { return nil }
      links -= 1
      if target.hasPrefix("/") { place = "" }
      rest += target.split(separator: "/").reversed().map(String.init)
    }
    let path = place.isEmpty ? "/" : place
    guard lstat(path, &status) == 0 else { return nil }
    guard trusted.contains(status.st_uid) else { return .foreign(path: path, user: status.st_uid) }
    let isGroupPrivate = status.st_gid == geteuid()
    let writers: mode_t = isGroupPrivate ? S_IWOTH : S_IWOTH | S_IWGRP
    return status.st_mode & writers == 0 || status.st_mode & S_ISVTX != 0 ? nil : .open(path: path)
  }

  /// Returns the target of a symbolic link.
  ///
  /// The corresponding C function is `readlink`.
  private static func linkTarget(_ path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = readlink(path, start, buffer.count)
      guard count > 0 else { return nil }
      return String(decoding: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self)
    }
  }
}
