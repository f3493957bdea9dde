import DepotProtocol
import Foundation
import TestSupport
import Testing

@testable import DepotCommands

/// A schema as interfaces of TypeScript.
@Suite struct TypeScriptCodeTests {
  private static let schema = #"""
    {"version":"2.1.0","entities":[
    {"name":"Person","abstract":true,"attributes":[
      {"name":"name","type":"string","unique":true},
      {"name":"mood","type":"string","cases":["good","\"odd\" */"],"optional":true},
      {"name":"level","type":"int8","cases":[1,-2]},
      {"name":"home","type":"composite","optional":true,"properties":[
        {"name":"city","type":"string"},{"name":"zip","type":"string","optional":true}]}]},
    {"name":"Author","parent":"Person","attributes":[
      {"name":"born","type":"date","optional":true},
      {"name":"tags","type":"string","collection":"set"},
      {"name":"grades","type":"int64","collection":"array","cases":[1,2],"optional":true},
      {"name":"portrait","type":"data","externalStorage":true,"optional":true},
      {"name":"extra","type":"json","optional":true},
      {"name":"cache","type":"string","transient":true,"optional":true},
      {"name":"count","type":"int64","derived":"books.@count"}],
     "relationships":[
      {"name":"books","destination":"Länge","toMany":true,"inverse":"author"}]},
    {"name":"Länge","attributes":[
      {"name":"größe","type":"uint64"},{"name":"key","type":"uuid"},{"name":"price","type":"decimal"},
      {"name":"ratio","type":"float"},{"name":"class","type":"bool"},{"name":"page","type":"url"}],
     "relationships":[
      {"name":"author","destination":"Author","inverse":"books","optional":false},
      {"name":"next","destination":"string","optional":true}]},
    {"name":"string","attributes":[{"name":"a","type":"int64"}]}]}
    """#

  private static let code = #"""
    // The entities of the schema, version 2.1.0. Made by: depot schema --typescript
    import type { DepotDate, Int64 } from "depot-client";

    /** What comes of a large value unless it is selected by its name. */
    export type LargeValue = { $length: number | bigint };

    export interface Person {
      name: string;
      mood: "good" | "\"odd\" */" | null;
      level: 1 | -2;
      /** Whether there is a value. */
      home: boolean;
      "home.city": string | null;
      "home.zip": string | null;
    }

    export interface Author extends Person {
      born: DepotDate | null;
      tags: string[];
      grades: (1 | 2)[] | null;
      portrait: Uint8Array | LargeValue | null;
      extra: any;
      readonly count: Int64;
      /** Länge rows; only if "books" is selected. */
      books?: Int64[];
    }

    export interface Länge {
      "größe": Int64;
      /** A UUID. */
      key: string;
      /** A decimal number. */
      price: string;
      ratio: number;
      class: boolean;
      /** A URL. */
      page: string;
      /** An identifier of Author. */
      author: Int64;
      /** An identifier of string. */
      next: Int64 | null;
    }

    export interface string_ {
      a: Int64;
    }

    """#

  @Test func `each entity is an interface of its columns`() throws {
    let schema = try Schema(parsing: Array(Self.schema.utf8))
    #expect(TypeScriptCode.text(schema) == Self.code)
  }

  @Test func `a schema without entities is a module`() {
    #expect(TypeScriptCode.text(Schema(entities: [])).hasSuffix("\nexport {};\n"))
  }

  @Test func `the option goes without the verb that shows`() throws {
    let invocation = try ArgumentParser.parse(
      ["schema", "--typescript", "--file", "a.json"],
      of: .depot
    )
    #expect(invocation.verb?.name == "schema show")
    #expect(throws: DepotError.self) { try ArgumentParser.parse(["schema", "--form"], of: .depot) }
    #expect(throws: DepotError.self) {
      try ArgumentParser.parse(["--typescript", "schema"], of: .depot)
    }
  }

  @Test(.enabled(if: Programs.isInstalled("tsc"), "needs Debian's node-typescript"))
  func `a program that reads rows by them has its mistakes found`() throws {
    let folder = try TemporaryFolder()
    let schema = try Schema(parsing: Array(Self.schema.utf8))
    _ = try folder.write(TypeScriptCode.text(schema), to: "entities.ts")
    let client = Programs.root + "/proto-docs/clients/js"
    let program = """
      import { open, type Client } from "depot-client";
      import type { Author, Länge } from "./entities";
      declare const client: Client;
      const author = await client.entity<Author>("Author").get(1);
      if (author?.mood === "good" && author.born) console.log(author.born.getTime(), author["home.city"]?.length);
      for await (const event of client.entity<Länge>("Länge").watch({ where: "class" })) console.log(event.kind);
      await client.entity<Author>("Author").insert([{ name: "Ada", tags: [], level: 1, "home.city": "Rom" }]);
      """
    let wrong = [
      "author?.mood === \"bad\"", "author?.naem.length", "author?.tags.length.size",
      "author?.born.getTime()", "author!.count = 2",
    ]
    for (number, mistake) in ([nil] + wrong).enumerated() {
      let text = program + (mistake.map { "\n// @ts-expect-error\n\($0);\n" } ?? "")
      _ = try folder.write(text, to: "program\(number).ts")
    }
    _ = try folder.write(
      """
      {"compilerOptions":{"strict":true,"noEmit":true,"skipLibCheck":true,"target":"es2022","module":"es2022",\
      "moduleResolution":"node","lib":["es2022","dom"],"types":[],"baseUrl":".",\
      "paths":{"depot-client":["\(client)/depot.d.ts"]}},"include":["*.ts"]}
      """,
      to: "tsconfig.json"
    )
    let outcome = try Program.run(["tsc", "-p", folder.path])
    #expect(outcome.status == 0, "\(outcome.output)")
  }
}
