internal import CDepotLinux
internal import Glibc

extension Terminal {
  /// The settings of a terminal, to be restored later.
  package struct Mode {
    fileprivate var settings: termios
  }

  /// Makes a terminal deliver each byte as it is typed, without showing it.
  ///
  /// Output isn't affected. The corresponding C functions are `tcgetattr` and `tcsetattr`.
  ///
  /// - Returns: The previous settings, or `nil` if the descriptor is no terminal.
  package static func enterRawMode(_ number: Int32) -> Mode? {
    var settings = termios()
    guard tcgetattr(number, &settings) == 0 else { return nil }
    let before = Mode(settings: settings)
    settings.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON)
    settings.c_cflag |= tcflag_t(CS8)
    settings.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
    // A read returns as soon as there is one byte.
    withUnsafeMutableBytes(of: &settings.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    return tcsetattr(number, TCSADRAIN, &settings) == 0 ? before : nil
  }

  /// Restores settings.
  package static func leaveRawMode(_ number: Int32, _ mode: Mode) {
    var settings = mode.settings
    tcsetattr(number, TCSADRAIN, &settings)
  }
}

extension FileSystem {
  /// Returns the names in a folder, sorted, with `/` after names of folders.
  ///
  /// It is empty if the folder can't be read. The corresponding C function is `readdir`.
  package static func names(in folder: String) -> [String] {
    entries(of: folder).map { name in
      var status = stat()
      let isFolder = stat(folder + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      return isFolder ? name + "/" : name
    }.sorted()
  }
}

extension Descriptor {
  /// Opens a file for appending; if missing, it is created with access for its owner only.
  ///
  /// The corresponding C function is `open`.
  package static func open(appending path: String) throws(SystemError) -> Descriptor {
    Descriptor(
      try systemCall("open") {
        PathText.withBytes(path) { depot_open($0, O_WRONLY | O_CREAT | O_APPEND, 0o600) }
      }
    )
  }
}
