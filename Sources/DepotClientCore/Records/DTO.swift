public import DepotProtocol

/// Binds a structure or final class of stored properties to an entity.
///
/// It becomes a ``Record``: each stored property is an attribute, or a relationship if its type is
/// written `Related` or `Identifier`, also optional or in an array.
///
/// ```swift
/// @DTO("Package") struct PackageRow: Sendable {
///   var id: Identifier<PackageRow>?
///   @Column(isUnique: true) var name: String
///   @Column("installedSize") var size = 0
///   var maintainer: Related<Maintainer>?
/// }
/// ```
///
/// `id`, an optional ``Identifier``, holds the row's identifier, and `rowVersion`, an `Int64`, its
/// version. An initial value that is a literal or the case of an enumeration, as in `var size = 0`, is the
/// attribute's default, which rows have that were stored before there was the attribute; one that is computed, as
/// `Date()`, isn't. A structure keeps its memberwise initializer. The type has to say that it is `Sendable`
/// if it is a class or has `@Column(inverse:)`.
///
/// - Parameter entity: The name of the entity; the type's name if it is left out.
@attached(member, names: named(init(from:)))
@attached(
  extension,
  conformances: Record,
  names: named(entity),
  named(attributes),
  named(init(from:)),
  named(write(to:))
)
public macro DTO(_ entity: String? = nil) =
  #externalMacro(module: "DepotMacroPlugin", type: "DTOMacro")

/// Says which attribute or relationship a property of a type with ``DTO(_:)`` is.
///
/// - Parameters:
///   - name: The name of the attribute or relationship; the property's name if it is left out.
///   - isUnique: Whether no two rows may have the same value of the attribute.
///   - isIndexed: Whether there is an index of the attribute alone.
///   - inverse: The inverse property of the destination.
///   - deleteRule: The effect of a deletion on the rows that the relationship leads to.
///   - isOrdered: Whether the rows that the relationship leads to have an order that is kept.
///   - originalName: The name in the version before.
@attached(peer)
public macro Column(
  _ name: String? = nil,
  isUnique: Bool = false,
  isIndexed: Bool = false,
  inverse: AnyKeyPath? = nil,
  deleteRule: Relationship.DeleteRule = .nullify,
  isOrdered: Bool = false,
  originalName: String? = nil
) = #externalMacro(module: "DepotMacroPlugin", type: "ColumnMacro")
