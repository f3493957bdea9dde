internal import Observation

/// Makes a class a persistent model.
///
/// Each stored variable becomes an attribute or a relationship; the class is observable, and it
/// needs an initializer.
@attached(
  member,
  conformances: Observable,
  PersistentModel,
  Sendable,
  names: named(_$backingData),
  named(_$isJoined),
  named(_$keyPaths),
  named(persistentBackingData),
  named(schemaMetadata),
  named(init),
  named(_$observationRegistrar),
  named(_SwiftDataNoType),
  named(access),
  named(withMutation)
)
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, Sendable)
public macro Model() = #externalMacro(module: "DepotMacroPlugin", type: "PersistentModelMacro")

/// Configures the storage of an attribute.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option...,
  originalName: String? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "DepotMacroPlugin", type: "AttributePropertyMacro")

/// Configures a relationship.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option...,
  deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0,
  maximumModelCount: Int? = 0,
  originalName: String? = nil,
  inverse: AnyKeyPath? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "DepotMacroPlugin", type: "RelationshipPropertyMacro")

/// Leaves a variable out of the store; it needs a default value.
@attached(peer)
public macro Transient() =
  #externalMacro(module: "DepotMacroPlugin", type: "TransientPropertyMacro")

/// Keeps indexes over attributes of a model.
@freestanding(declaration)
public macro Index<T: PersistentModel>(
  _ indices: [PartialKeyPath<T>]...
) = #externalMacro(module: "DepotMacroPlugin", type: "IndexMacro")

/// Keeps indexes of different kinds over attributes of a model.
@freestanding(declaration)
public macro Index<T: PersistentModel>(
  _ indices: Schema.Index<T>.Types<T>...
) = #externalMacro(module: "DepotMacroPlugin", type: "IndexMacro")

/// Keeps combinations of attributes different in all objects of a model.
///
/// An object that is inserted with the combination of another one replaces that.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(
  _ constraints: [PartialKeyPath<T>]...
) = #externalMacro(module: "DepotMacroPlugin", type: "UniqueConstraintsMacro")

/// Reads and writes a stored property through the backing data of its model.
///
/// ``Model()`` adds it to every stored property.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`))
public macro _PersistedProperty() =
  #externalMacro(module: "DepotMacroPlugin", type: "PersistedPropertyMacro")

/// Reads and writes a transformable property through the backing data of its model.
///
/// ``Model()`` adds it to every transformable property.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`))
public macro _TransformablePersistedProperty() =
  #externalMacro(module: "DepotMacroPlugin", type: "TransformablePersistedPropertyMacro")

/// Links both sides of relationships, and inserts the object, at the end of its initializer.
///
/// ``Model()`` adds it to the initializers of a model that may have relationships.
@attached(body)
public macro _LinkingInitializer() =
  #externalMacro(module: "DepotMacroPlugin", type: "LinkingInitializerMacro")

/// Makes an actor work with a context of its own.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() =
  #externalMacro(module: "DepotMacroPlugin", type: "PersistentModelActorMacro")
