/// A store as Core Data lays it out, made by Python's sqlite3.
enum AppleFixture {
  /// Makes the store at the first argument; with the second, `model`, it remembers its model, and with `log` the
  /// rows are in its log only.
  static let script = #"""
    import os, plistlib, shutil, sqlite3, sys, uuid, zlib
    path, options = sys.argv[1], sys.argv[2:]
    draft = path + ".draft"
    c = sqlite3.connect(draft)
    c.execute("PRAGMA journal_mode = WAL")
    c.execute("PRAGMA wal_autocheckpoint = 0")
    c.executescript('''
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
    CREATE TABLE ZCOMPANY ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR );
    CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISACTIVE INTEGER,
      ZCOMPANY INTEGER, Z_FOK_COMPANY INTEGER, ZBORNON TIMESTAMP, ZHEIGHT FLOAT, ZFULLNAME VARCHAR,
      ZSALARY DECIMAL, ZKEY BLOB, ZPHOTO BLOB );
    CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR );
    CREATE TABLE Z_3TAGS ( Z_3PEOPLE INTEGER, Z_4TAGS INTEGER, PRIMARY KEY (Z_3PEOPLE, Z_4TAGS) );
    CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER );
    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Company', 0, 2), (2, 'Employee', 3, 3), (3, 'Person', 0, 3),
      (4, 'Tag', 0, 2), (16001, 'CHANGE', 0, 9);
    INSERT INTO Z_METADATA VALUES (1, '8C1D1F5E-0000-4000-8000-000000000001', x'00');
    INSERT INTO ZCOMPANY VALUES (1, 1, 1, 'Acme'), (2, 1, 1, 'Ünited');
    INSERT INTO ZTAG VALUES (1, 4, 1, 'kind'), (2, 4, 1, 'tall');
    ''')
    key = uuid.UUID('12345678-1234-5678-1234-567812345678').bytes
    name = 'AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE'
    rows = [
      (1, 3, 1, 1, None, None, 0.0, 1.75, 'Ada', None, key, b'\x01small'),
      (2, 2, 1, 0, 1, 2048, 86400.5, 1.5, 'Bob', '1234.56', None, b'\x02' + name.encode() + b'\x00'),
      (3, 2, 1, 1, 1, 1024, -1.0, None, 'Cyd', 10, None, None),
    ]
    c.executemany("INSERT INTO ZPERSON VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", rows)
    c.executemany("INSERT INTO Z_3TAGS VALUES (?,?)", [(1, 1), (1, 2), (3, 2), (3, 99)])
    if 'model' in options:
        objects = ['$null']
        def put(value):
            objects.append(value)
            return plistlib.UID(len(objects) - 1)
        def items(values): return put({'NS.objects': values})
        def attribute(name, kind, optional):
            return put({'NSPropertyName': put(name), 'NSAttributeType': kind, **({'NSIsOptional': True} if optional else {})})
        def relationship(name, to, inverse, many):
            return put({'NSPropertyName': put(name), 'NSMaxCount': 0 if many else 1, 'NSDeleteRule': 1,
              'NSIsOptional': True, '_NSDestinationEntityName': put(to), '_NSInverseRelationshipName': put(inverse)})
        def entity(name, properties, uniques=[]):
            put({'NSEntityName': put(name), 'NSProperties': items(properties),
              'NSUniqueTuples': items([items([put(u)]) for u in uniques])})
        person = [attribute('isActive', 800, False), attribute('bornOn', 900, True), attribute('height', 500, True),
          attribute('fullName', 700, False), attribute('key', 1100, True), attribute('photo', 1000, True),
          attribute('cache', 700, True), relationship('company', 'Company', 'people', False),
          relationship('tags', 'Tag', 'people', True)]
        entity('Company', [attribute('title', 700, False), relationship('people', 'Person', 'company', True)], ['title'])
        entity('Person', person)
        entity('Employee', person + [attribute('salary', 400, True)])
        entity('Tag', [attribute('label', 700, False), relationship('people', 'Person', 'tags', True)])
        archive = plistlib.dumps({'$archiver': 'NSKeyedArchiver', '$version': 100000, '$objects': objects,
          '$top': {'root': plistlib.UID(1)}}, fmt=plistlib.FMT_BINARY)
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        c.execute("INSERT INTO Z_MODELCACHE VALUES (?)", (packer.compress(archive) + packer.flush(),))
    c.commit()
    if 'log' not in options: c.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for suffix in ['', '-wal']:
        if os.path.exists(draft + suffix): shutil.copy(draft + suffix, path + suffix)
    c.close()
    folder = os.path.join(os.path.dirname(path), '.default_SUPPORT', '_EXTERNAL_DATA')
    os.makedirs(folder, exist_ok=True)
    open(os.path.join(folder, name), 'wb').write(b'large' * 1000)
    """#
}
