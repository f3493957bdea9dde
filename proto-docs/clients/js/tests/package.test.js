import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { promisify } from "node:util";

import * as browser from "../browser.js";
import * as core from "../depot.js";
import * as node from "../node.js";
import { Service, folder, limited, program } from "./helpers.js";

const run = promisify(execFile);
const has = (command) => spawnSync(command, ["--version"]).status === 0;
const temporary = (name) => fs.mkdtempSync(path.join(os.tmpdir(), `depot-js-${name}-`));

/** The code of README.md by its kind. */
function snippets(kind) {
  const text = fs.readFileSync(path.join(folder, "README.md"), "utf8");
  return [...text.matchAll(/^```(.*)\n([^]*?)^```/gm)].filter((found) => found[1] === kind).map((found) => found[2]);
}

/** What the comments of code say that it prints. */
const printed = (code) => [...code.matchAll(/\/\/ → (.*)$/gm)].map((found) => found[1]);

const needs = (condition, what) => ({ ...limited, skip: condition ? false : what });

const packing = needs(program && has("npm"), "needs DEPOTD and npm");
test("The package is packed and installed, and README's program runs with it", packing, async () => {
  const place = temporary("package");
  const service = await Service.start();
  try {
    const environment = {
      ...process.env, HOME: place, npm_config_offline: "true", npm_config_update_notifier: "false",
    };
    const { stdout } = await run(
      "npm", ["pack", "--silent", "--pack-destination", place], { cwd: folder, env: environment },
    );
    fs.writeFileSync(path.join(place, "package.json"), '{"private":true,"type":"module"}');
    await run(
      "npm",
      ["install", "--silent", "--no-audit", "--no-fund", path.join(place, stdout.trim())],
      { cwd: place, env: environment },
    );
    const installed = fs.readdirSync(path.join(place, "node_modules/depot-client")).sort();
    const modules = fs.readdirSync(folder).filter((name) => name.endsWith(".js") || name.endsWith(".d.ts"));
    for (const name of [...modules, "README.md", "examples", "package.json"]) assert.ok(installed.includes(name), name);
    assert.ok(!installed.includes("tests"));
    const code = snippets("js").join("\n");
    fs.writeFileSync(path.join(place, "readme.js"), code);
    const output = await run(
      process.execPath, ["readme.js"], { cwd: place, env: { ...process.env, DEPOT_SOCKET: service.socket } },
    );
    assert.deepEqual(output.stdout.trim().split("\n"), printed(code));
    assert.equal(output.stderr, "");
    if (has("tsc")) {
      fs.writeFileSync(path.join(place, "readme.ts"), snippets("ts").join("\n"));
      await typed(
        [
          "--skipLibCheck",
          "--strict",
          "--noEmit",
          "--target",
          "es2022",
          "--module",
          "esnext",
          "--moduleResolution",
          "node",
          "readme.ts",
        ],
        place,
      );
    }
  } finally {
    await service.stop();
    fs.rmSync(place, { recursive: true, force: true });
  }
});

async function typed(options, cwd) {
  const outcome = await run("tsc", options, { cwd }).catch((error) => error);
  assert.equal(outcome.stdout, "");
}

const typing = needs(has("tsc"), "needs tsc, as of node-typescript");
test("The types are those of the code, and of a program", typing, async () => {
  await typed(["-p", path.join(folder, "tests/types/tsconfig.json")], folder);
});

test("What the modules export is what the types say", () => {
  const exported = (name) => {
    const text = fs.readFileSync(path.join(folder, name), "utf8");
    return [...text.matchAll(/^export declare (?:function|class) (\w+)/gm)].map((found) => found[1]);
  };
  const all = exported("depot.d.ts");
  assert.deepEqual(Object.keys(core).sort(), all.sort());
  assert.deepEqual(Object.keys(node).sort(), [...Object.keys(core), ...exported("node.d.ts")].sort());
  assert.deepEqual(Object.keys(browser).sort(), [...Object.keys(core), ...exported("browser.d.ts")].sort());
});

test("The example shows what is written while it is written", needs(program, "needs DEPOTD"), async () => {
  const service = await Service.start();
  try {
    const { stdout } = await run(
      process.execPath,
      [path.join(folder, "examples/live.js")],
      { env: { ...process.env, DEPOT_SOCKET: service.socket } },
    );
    const lines = stdout.trim().split("\n");
    assert.equal(lines[0], "snapshot []");
    // Both writes may be one change.
    assert.equal(lines[lines.length - 1], "change [ 'oat milk' ]");
  } finally {
    await service.stop();
  }
});

test("The modules for browsers import nothing of Node", () => {
  const seen = new Set(["browser.js"]);
  for (const name of seen) {
    const text = fs.readFileSync(path.join(folder, name), "utf8");
    for (const [, from] of text.matchAll(/^(?:import|export) [^;]*? from "([^"]+)"/gm)) {
      assert.match(from, /^\.\/\w+\.js$/, `${name} imports ${from}`);
      seen.add(from.slice(2));
    }
  }
  assert.ok(seen.size >= 8 && !seen.has("node.js"));
});
