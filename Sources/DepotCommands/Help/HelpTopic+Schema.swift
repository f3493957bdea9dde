extension HelpTopic {
  /// The schema file.
  static let schema = HelpTopic(
    name: "schema",
    summary: "the schema file",
    parts: [
      .prose(
        """
        A schema is a JSON file: entities with attributes and relationships. depot schema apply gives it
        to the store, depot schema show writes the store's, depot schema diagram draws it.
        """
      ),
      .heading("Example"),
      .code(schemaExample),
      .heading("Entities"),
      .examples([
        ("parent", "an entity whose attributes and relationships it has too"),
        ("abstract", "true if only entities that descend from it have rows"),
        ("uniques", "lists of paths that no two rows have the same values in"),
        ("indexes", "lists of paths; rangeIndexes of numbers and dates"),
      ]),
      .heading("Attributes"),
      .examples([
        ("type", attributeTypes),
        ("collection", "array or set, for several values"),
        ("optional", "true if it may be null; else it needs a value or a default"),
        ("default", "the value of rows that don't name it"),
        ("unique, indexed", "no two rows with one value; an index of it alone"),
        ("min, max", "of numbers and dates"),
        ("minLength, maxLength", "of text, data, and collections; pattern of text"),
        ("cases", "the only values that there may be"),
        ("spotlight", "true if its words can be searched, by MATCHES TEXT"),
        ("derived", "an expression whose value is kept in it, as items.@count"),
        ("properties", "the attributes that a composite consists of"),
      ]),
      .heading("Relationships"),
      .examples([
        ("destination", "the entity that it leads to"),
        ("toMany", "true if it leads to any number of rows; ordered, minCount, maxCount"),
        ("inverse", "the relationship of the destination that leads back"),
        ("optional", "true if a to-one relationship may lead to nothing"),
        (
          "deleteRule",
          "the effect on the rows it leads to: nullify (forget), cascade, deny, or noAction"
        ),
      ]),
      .heading("Versions"),
      .prose(
        """
        Under the same version, entities, optional attributes, indexes, and looser rules can be added by
        depot schema apply. Other changes need a greater version and depot schema migrate; originalName
        says what an entity, attribute, or relationship was called before. depot schema plan tries it and
        changes nothing.
        """
      ),
    ]
  )

  private static let attributeTypes =
    "string int64 double bool date uuid data decimal url json composite; "
    + "int8 int16 int32 uint8 uint16 uint32 uint64 float for numbers of a width"

  /// A schema file that shows most features.
  private static let schemaExample = """
    {"version": "1.0.0", "entities": [
      {"name": "Author",
       "attributes": [
         {"name": "name", "type": "string", "unique": true},
         {"name": "born", "type": "date", "optional": true}],
       "relationships": [
         {"name": "books", "destination": "Book", "toMany": true,
          "inverse": "author", "deleteRule": "cascade"}]},
      {"name": "Book",
       "attributes": [
         {"name": "title", "type": "string", "minLength": 1, "spotlight": true},
         {"name": "year", "type": "int32", "optional": true, "indexed": true},
         {"name": "genre", "type": "string", "cases": ["novel", "essay"],
          "default": "novel"},
         {"name": "isRead", "type": "bool", "default": false},
         {"name": "bought", "type": "date", "optional": true},
         {"name": "keywords", "type": "string", "collection": "set",
          "optional": true}],
       "relationships": [
         {"name": "author", "destination": "Author", "inverse": "books"}]}]}
    """
}
