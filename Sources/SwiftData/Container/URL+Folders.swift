public import Foundation

/// The user's folders for stores, under names that Foundation has only on Apple's systems.
extension URL {
  /// The folder of the programs' own data: `$XDG_DATA_HOME`, or `~/.local/share`.
  @_disfavoredOverload
  public static var applicationSupportDirectory: URL { folder(.applicationSupportDirectory) }

  /// The folder of data that programs can make anew: `$XDG_CACHE_HOME`, or `~/.cache`.
  @_disfavoredOverload
  public static var cachesDirectory: URL { folder(.cachesDirectory) }

  /// The user's desktop.
  @_disfavoredOverload
  public static var desktopDirectory: URL { folder(.desktopDirectory) }

  /// The user's documents.
  @_disfavoredOverload
  public static var documentsDirectory: URL { folder(.documentDirectory) }

  /// The user's downloads.
  @_disfavoredOverload
  public static var downloadsDirectory: URL { folder(.downloadsDirectory) }

  /// The user's videos.
  @_disfavoredOverload
  public static var moviesDirectory: URL { folder(.moviesDirectory) }

  /// The user's music.
  @_disfavoredOverload
  public static var musicDirectory: URL { folder(.musicDirectory) }

  /// The user's pictures.
  @_disfavoredOverload
  public static var picturesDirectory: URL { folder(.picturesDirectory) }

  private static func folder(_ directory: FileManager.SearchPathDirectory) -> URL {
    let manager = FileManager.default
    let url = manager.urls(for: directory, in: .userDomainMask).first ?? homeDirectory
    return URL(filePath: url.path, directoryHint: .isDirectory)
  }
}

extension FileManager {
  /// Returns the shared folder of a group of programs: its namesake in the application support
  /// directory.
  @_disfavoredOverload
  public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
    URL.applicationSupportDirectory.appending(path: groupIdentifier, directoryHint: .isDirectory)
  }
}
