internal import DepotProtocol
public import Foundation

/// Where a store of a container is, and which entities it holds.
public struct ModelConfiguration: Identifiable, Hashable, Sendable {
  /// The file of the store, or the address of its database; `/dev/null` if it is in memory.
  public let url: URL
  /// The name of the configuration; "default" if the program gives none.
  public let name: String
  /// The group of programs that share files, which has no effect here.
  public let groupContainer: GroupContainer
  /// The database in Apple's cloud, which has no effect here.
  public let cloudKitDatabase: CloudKitDatabase
  /// The entities that the store holds; all that no other configuration has if `nil`.
  public var schema: Schema?
  /// Whether the store may be changed.
  public let allowsSave: Bool
  /// Whether the store is in memory and ends with its container.
  public let isStoredInMemoryOnly: Bool

  /// Whether the file has the name of the configuration.
  let isNamed: Bool
  /// Whether there is no folder for the file, because the user has no home.
  let isHomeless: Bool

  public var id: URL { url }

  /// The group of programs that share files, which has no effect here.
  public struct GroupContainer: Hashable, Sendable {
    let identifier: String?
    let isAutomatic: Bool

    /// The group that the program belongs to.
    public static let automatic = GroupContainer(identifier: nil, isAutomatic: true)
    /// No group.
    public static let none = GroupContainer(identifier: nil, isAutomatic: false)
    /// Returns the group of a name.
    public static func identifier(_ identifier: String) -> GroupContainer {
      GroupContainer(identifier: identifier, isAutomatic: false)
    }
  }

  /// The database in Apple's cloud, which has no effect here.
  public struct CloudKitDatabase: Hashable, Sendable {
    let name: String?
    let isAutomatic: Bool

    /// The database that the program is entitled to.
    public static let automatic = CloudKitDatabase(name: nil, isAutomatic: true)
    /// No database.
    public static let none = CloudKitDatabase(name: nil, isAutomatic: false)
    /// Returns the private database of a name.
    public static func `private`(_ name: String) -> CloudKitDatabase {
      CloudKitDatabase(name: name, isAutomatic: false)
    }
  }

  /// The group of programs, if one was named.
  public var groupAppContainerIdentifier: String? { groupContainer.identifier }

  /// The database in Apple's cloud, if one was named.
  public var cloudKitContainerIdentifier: String? { cloudKitDatabase.name }

  /// Creates the configuration of a store with the default name.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Creates the configuration of a store that holds some classes.
  public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Creates the configuration of a store in the folder of the user's data, or in memory.
  ///
  /// - Parameters:
  ///   - name: The name of the configuration, and of the store's file without ".store".
  ///   - schema: The entities that the store holds; all that no other configuration has if `nil`.
  ///   - isStoredInMemoryOnly: Whether the store is in memory and ends with its container.
  ///   - allowsSave: Whether the store may be changed.
  ///   - groupContainer: It has no effect here.
  ///   - cloudKitDatabase: It has no effect here.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    isStoredInMemoryOnly: Bool = false,
    allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.name = name ?? Self.defaultName
    self.schema = schema
    let folder = StoreFolder.default
    isHomeless = folder == nil
    url =
      isStoredInMemoryOnly
      ? URL(fileURLWithPath: "/dev/null")
      : (folder ?? StoreFolder.none).appendingPathComponent(self.name + ".store")
    self.isStoredInMemoryOnly = isStoredInMemoryOnly
    isNamed = true
    self.allowsSave = allowsSave
    self.groupContainer = groupContainer
    self.cloudKitDatabase = cloudKitDatabase
  }

  /// Creates the configuration of a store in a file, or in a PostgreSQL database that a service uses.
  ///
  /// - Parameters:
  ///   - name: The name of the configuration; if `nil`, the file's name without its extension.
  ///   - schema: The entities that the store holds; all that no other configuration has if `nil`.
  ///   - url: The file, or the database, as in `postgresql://depot@db1/app`.
  ///   - allowsSave: Whether the store may be changed.
  ///   - cloudKitDatabase: It has no effect here.
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    url: URL,
    allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.name = name ?? url.deletingPathExtension().lastPathComponent
    self.schema = schema
    self.url = url
    isStoredInMemoryOnly = url.path == "/dev/null"
    isNamed = false
    isHomeless = false
    self.allowsSave = allowsSave
    groupContainer = .automatic
    self.cloudKitDatabase = cloudKitDatabase
  }

  /// The name of a configuration without a name of its own.
  static let defaultName = "default"

  /// The path of the file, or the address of the database.
  var path: String { isDatabase ? url.absoluteString : url.standardizedFileURL.path }

  /// Whether the store is in a database rather than a file.
  var isDatabase: Bool { ContainerStore.isDatabase(url.absoluteString) }
}

extension ModelConfiguration: CustomDebugStringConvertible {
  public var debugDescription: String {
    "ModelConfiguration \"\(name)\" (\(isStoredInMemoryOnly ? "in memory" : path)"
      + "\(allowsSave ? "" : ", read only")\(schema.map { ", \($0.debugDescription)" } ?? ""))"
  }
}
