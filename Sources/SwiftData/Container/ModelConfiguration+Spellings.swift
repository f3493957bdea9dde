public import Foundation

/// Spellings of early articles.
extension ModelConfiguration {
  /// Creates a configuration whose database in Apple's cloud is named.
  @available(
    *,
    deprecated,
    message: "Use cloudKitDatabase: .private(…), which has no effect here either."
  )
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    isStoredInMemoryOnly: Bool = false,
    allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic,
    cloudKitContainerIdentifier: String?
  ) {
    self.init(
      name,
      schema: schema,
      isStoredInMemoryOnly: isStoredInMemoryOnly,
      allowsSave: allowsSave,
      groupContainer: groupContainer,
      cloudKitDatabase: cloudKitContainerIdentifier.map { .private($0) } ?? .automatic
    )
  }

  /// Creates a configuration whose database in Apple's cloud is named.
  @available(
    *,
    deprecated,
    message: "Use cloudKitDatabase: .private(…), which has no effect here either."
  )
  public init(
    _ name: String? = nil,
    schema: Schema? = nil,
    url: URL,
    allowsSave: Bool = true,
    cloudKitContainerIdentifier: String?
  ) {
    self.init(
      name,
      schema: schema,
      url: url,
      allowsSave: allowsSave,
      cloudKitDatabase: cloudKitContainerIdentifier.map { .private($0) } ?? .automatic
    )
  }
}
