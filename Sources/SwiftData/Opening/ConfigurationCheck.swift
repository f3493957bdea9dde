internal import DepotLinux
internal import Foundation
internal import Synchronization

extension ModelConfiguration {
  /// The greatest number of bytes of a file's name; the service appends to it.
  private static let nameLimit = 200

  /// Checks that the store's file can have its name.
  ///
  /// - Throws: ``SwiftDataError/configurationFileNameTooLong``,
  ///   ``SwiftDataError/configurationFileNameContainsInvalidCharacters``.
  public func validate() throws {
    if isStoredInMemoryOnly { return }
    if isDatabase { return try validateAddress() }
    guard !isHomeless else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "There is no folder for the store \"\(name)\": user \(Process.user) has no home.",
        hint: "Set HOME or XDG_DATA_HOME, or say in the configuration where the file is, by url."
      )
    }
    // A name with a slash would be the path of a file in another folder.
    let file = isNamed ? name + ".store" : url.lastPathComponent
    if file.utf8.count > Self.nameLimit {
      throw SwiftDataError(
        .configurationFileNameTooLong,
        "The name of the store's file has \(file.utf8.count) bytes: \(file.prefix(40))….",
        hint: "Use at most \(Self.nameLimit) bytes."
      )
    }
    let isUsable = !file.isEmpty && !file.contains("/") && !file.contains("\0") && file != ".store"
    guard isUsable, url.isFileURL else {
      throw SwiftDataError(
        .configurationFileNameContainsInvalidCharacters,
        "\(url.isFileURL ? file.debugDescription : url.absoluteString) can't be the name of a store's "
          + "file.",
        hint:
          "A name is neither empty nor has a slash or a null character; a URL is that of a file, or "
          + "of a database, as in postgresql://depot@db1/app."
      )
    }
  }

  /// Checks that a database's address can be shown without revealing a secret.
  private func validateAddress() throws {
    guard url.password == nil, url.query?.lowercased().contains("password=") != true else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "The address of the database of the store \"\(name)\" has a password in it.",
        hint: "Others could read it. Put it into ~/.pgpass of the user that the service runs as."
      )
    }
    guard allowsSave else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "The store \"\(name)\" is in a database, which can't be opened for reading only.",
        hint:
          "Leave allowsSave out; the service can refuse writes of a user, with --read-only-user."
      )
    }
  }
}

extension [any DataStoreConfiguration] {
  /// Checks each configuration, and that no two have the same store.
  ///
  /// - Throws: ``SwiftDataError/duplicateConfiguration``, and errors of the configurations'
  ///   `validate()`.
  func check() throws {
    var names: Set<String> = []
    var paths: Set<String> = []
    for configuration in self {
      try configuration.validate()
      let file = (configuration as? ModelConfiguration).flatMap {
        $0.isStoredInMemoryOnly ? nil : $0.path
      }
      let isNew =
        (file.map { paths.insert($0).inserted } ?? true)
        && (configuration.name == ModelConfiguration.defaultName
          || names.insert(configuration.name).inserted)
      guard isNew else {
        let place = file.map { ", or with the file \($0)" } ?? ""
        throw SwiftDataError(
          .duplicateConfiguration,
          "There are two configurations named \"\(configuration.name)\"\(place).",
          hint: "Give each configuration its own name and file."
        )
      }
    }
    IgnoredOptions.report(of: compactMap { $0 as? ModelConfiguration })
  }
}

/// Options that only mean something on Apple's systems.
private enum IgnoredOptions {
  private static let wasReported = Atomic(false)

  /// Says once that they have no effect.
  static func report(of configurations: [ModelConfiguration]) {
    let isUsed = configurations.contains {
      $0.groupAppContainerIdentifier != nil || $0.cloudKitContainerIdentifier != nil
    }
    guard isUsed, !wasReported.exchange(true, ordering: .relaxed) else { return }
    let line = "SwiftData: app groups and CloudKit databases have no effect on this system.\n"
    FileHandle.standardError.write(Data(line.utf8))
  }
}

extension Schema {
  /// Checks that the schema has classes, and one only for each name.
  ///
  /// - Throws: ``SwiftDataError/loadIssueModelContainer``.
  func check() throws {
    if let clash {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "Two classes are named \(clash.0): \(String(reflecting: clash.0)) and "
          + "\(String(reflecting: clash.1)).",
        hint: "An entity has the name of its class; rename one of them, or list one version only."
      )
    }
    guard descriptions.isEmpty, !entities.isEmpty else { return }
    throw SwiftDataError(
      .loadIssueModelContainer,
      "The schema has entities (\(entities.map(\.name).joined(separator: ", "))) but no classes.",
      hint: "Create it from model classes: Schema([Trip.self])."
    )
  }
}
