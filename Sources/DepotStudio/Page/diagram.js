/** Where the boxes and lines of a schema's diagram are. This file knows no elements. */

const LINE = 18;
const HEAD = 28;
const GAP_X = 90;
const GAP_Y = 26;
const MOST_LINES = 14;

/**
 * @typedef {{
 *   name: string, lines: { text: string, note: string, relationship?: any }[], more: number,
 *   width: number, height: number, x: number, y: number, layer: number,
 * }} Box
 * @typedef {{
 *   from: Box, to: Box, fromY: number, toY: number, name: string, inverse?: string, marks: [string, string],
 *   isInheritance: boolean,
 * }} Edge
 */

/**
 * Lays out the entities in layers from left to right, so that most lines lead from one layer to the next.
 *
 * @param {any[]} entities
 * @param {(text: string) => number} [widthOf]
 * @returns {{ boxes: Box[], edges: Edge[], width: number, height: number }}
 */
export function layOut(entities, widthOf = (text) => 6.6 * text.length) {
  const boxes = entities.map((entity) => boxOf(entity, widthOf));
  const byName = new Map(boxes.map((box) => [box.name, box]));
  const links = linksOf(entities).filter(({ from, to }) => byName.has(from) && byName.has(to));
  layer(boxes, links.filter(({ from, to }) => from !== to), byName);
  const layers = [];
  for (const box of boxes) (layers[box.layer] ??= []).push(box);
  order(layers, links, byName);
  let x = 0;
  let height = 0;
  for (const boxesOfLayer of layers) {
    let y = 0;
    for (const box of boxesOfLayer) {
      box.x = x;
      box.y = y;
      y += box.height + GAP_Y;
    }
    height = Math.max(height, y - GAP_Y);
    x += Math.max(...boxesOfLayer.map(({ width }) => width)) + GAP_X;
  }
  // Each layer stands in the middle.
  for (const boxesOfLayer of layers) {
    const last = boxesOfLayer[boxesOfLayer.length - 1];
    const shift = (height - last.y - last.height) / 2;
    for (const box of boxesOfLayer) box.y += shift;
  }
  const edges = links.map((link) => edgeOf(link, byName));
  return { boxes, edges, width: Math.max(0, x - GAP_X), height };
}

function boxOf(entity, widthOf) {
  const lines = [
    ...(entity.attributes ?? []).map(
      (one) => ({ text: one.name, note: one.collection ? `${one.type}[]` : one.type })
    ),
    ...(entity.relationships ?? []).map(
      (one) => ({ text: one.name, note: one.toMany ? `${one.destination} ∗` : one.destination, relationship: one })
    ),
  ];
  // Relationships stay, so that their lines begin beside them.
  const attributes = lines.filter((line) => !line.relationship);
  const relationships = lines.filter((line) => line.relationship);
  const room = Math.max(3, MOST_LINES - relationships.length);
  const shown = [...attributes.slice(0, attributes.length > room ? room - 1 : room), ...relationships];
  const more = lines.length - shown.length;
  const width = Math.max(
    130, widthOf(entity.name) * 1.1 + 24, ...shown.map(({ text, note }) => widthOf(text) + widthOf(note) + 42)
  );
  return {
    name: entity.name, lines: shown, more, width: Math.min(300, Math.round(width)),
    height: HEAD + LINE * (shown.length + (more > 0 ? 1 : 0)) + 6, x: 0, y: 0, layer: 0,
  };
}

/** Each pair of inverse relationships is one line. */
function linksOf(entities) {
  const links = [];
  const done = new Set();
  for (const entity of entities) {
    if (entity.parent) links.push(
      { from: entity.parent, to: entity.name, isInheritance: true, marks: ["", ""], name: "" }
    );
    for (const one of entity.relationships ?? []) {
      if (done.has(`${entity.name}.${one.name}`)) continue;
      const other = entities.find(({ name }) => name === one.destination);
      const back = one.inverse && (other?.relationships ?? []).find(({ name }) => name === one.inverse);
      if (back) done.add(`${one.destination}.${back.name}`);
      links.push({
        from: entity.name, to: one.destination, name: one.name, inverse: back?.name, isInheritance: false,
        marks: [back ? markOf(back) : "", markOf(one)],
      });
    }
  }
  return links;
}

const markOf = ({ toMany, optional }) => (toMany ? "many" : optional ? "optional" : "one");

/** Puts each box into the layer behind the boxes that lead to it. A circle is cut at its last line. */
function layer(boxes, links, byName) {
  const next = new Map(boxes.map(({ name }) => [name, []]));
  for (const { from, to, marks, isInheritance } of links) {
    // The side with many rows is at the right.
    const [left, right] = isInheritance || marks[1] === "many" || marks[0] !== "many" ? [from, to] : [to, from];
    next.get(left).push(right);
  }
  const state = new Map();
  const depth = new Map();
  const visit = (name) => {
    if (state.get(name) === 2) return depth.get(name);
    state.set(name, 1);
    let longest = 0;
    next.set(name, next.get(name).filter((one) => state.get(one) !== 1));
    for (const one of next.get(name)) longest = Math.max(longest, visit(one) + 1);
    state.set(name, 2);
    depth.set(name, longest);
    return longest;
  };
  const deepest = Math.max(0, ...boxes.map(({ name }) => visit(name)));
  // A box that no line leads to stands beside its neighbour.
  for (const box of boxes) box.layer = deepest - depth.get(box.name);
  const isLinked = new Set(links.flatMap(({ from, to }) => [from, to]));
  const used = [
    ...new Set(boxes.filter(({ name }) => isLinked.has(name)).map((box) => box.layer))
  ].sort((one, other) => one - other);
  let alone = 0;
  const columns = Math.max(used.length, 1);
  for (const box of boxes) box.layer = isLinked.has(box.name) ? used.indexOf(box.layer) : used.length
    ? alone++ % columns : alone++ % Math.ceil(Math.sqrt(boxes.length));
  void byName;
}

/** Orders each layer by the middle of its neighbours, six times, in both directions. */
function order(layers, links, byName) {
  const place = new Map();
  const settle = () => layers.forEach((boxes) => boxes.forEach((box, index) => place.set(box.name, index)));
  settle();
  const neighbours = new Map();
  for (const { from, to } of links) {
    if (from === to) continue;
    neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
    neighbours.set(to, [...(neighbours.get(to) ?? []), from]);
  }
  for (let round = 0; round < 6; round++) {
    for (const boxes of round % 2 ? [...layers].reverse() : layers) {
      const middle = (box) => {
        const others = (neighbours.get(box.name) ?? []).filter((name) => byName.get(name).layer !== box.layer);
        return others.length ? others.reduce(
          (sum, name) => sum + place.get(name), 0
        ) / others.length : place.get(box.name);
      };
      const wanted = new Map(boxes.map((box) => [box, middle(box)]));
      boxes.sort((one, other) => wanted.get(one) - wanted.get(other));
      settle();
    }
  }
}

function edgeOf(link, byName) {
  const from = byName.get(link.from);
  const to = byName.get(link.to);
  return {
    ...link, from, to, fromY: lineY(from, link.isInheritance ? undefined : link.name), toY: lineY(to, link.inverse)
  };
}

/** How far below the top of a box a line begins. */
function lineY(box, name) {
  const index = name === undefined ? -1 : box.lines.findIndex((line) => line.relationship?.name === name);
  return index < 0 ? HEAD / 2 : HEAD + LINE * index + LINE / 2;
}

/** The way of a line from box to box. */
export function pathOf({ from, to, fromY, toY }) {
  const y1 = from.y + fromY;
  const y2 = to.y + toY;
  if (from === to || from.layer === to.layer) {
    const x = Math.max(from.x + from.width, to.x + to.width);
    const bend = 34;
    return {
      path: `M${from.x + from.width},${y1} C${x + bend},${y1} ${x + bend},${y2} ${to.x + to.width},${y2}`,
      ends: [[from.x + from.width, y1, 1], [to.x + to.width, y2, 1]],
    };
  }
  const isRight = from.x < to.x;
  const x1 = isRight ? from.x + from.width : from.x;
  const x2 = isRight ? to.x : to.x + to.width;
  const bend = Math.max(40, Math.abs(x2 - x1) / 2) * (isRight ? 1 : -1);
  return {
    path: `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`,
    ends: [[x1, y1, isRight ? 1 : -1], [x2, y2, isRight ? -1 : 1]],
  };
}

export const SIZES = { LINE, HEAD };

/**
 * Returns the differences between two schemas, a sentence for each.
 *
 * @param {any} before
 * @param {any} after
 * @returns {{ kind: "added" | "removed" | "changed", text: string }[]}
 */
export function differences(before, after) {
  const found = [];
  const say = (kind, text) => found.push({ kind, text });
  if (before.version !== after.version) say(
    "changed", `version ${before.version ?? "none"} → ${after.version ?? "none"}`
  );
  const old = new Map((before.entities ?? []).map((entity) => [entity.name, entity]));
  const fresh = new Map((after.entities ?? []).map((entity) => [entity.name, entity]));
  for (const name of old.keys()) if (!fresh.has(name)) say("removed", `entity ${name}`);
  for (const [name, entity] of fresh) {
    const known = old.get(name);
    if (!known) {
      say("added", `entity ${name}`);
      continue;
    }
    for (const list of ["attributes", "relationships"]) {
      const was = new Map((known[list] ?? []).map((one) => [one.name, one]));
      const is = new Map((entity[list] ?? []).map((one) => [one.name, one]));
      const noun = list.slice(0, -1);
      for (const one of was.keys()) if (!is.has(one)) say("removed", `${noun} ${name}.${one}`);
      for (const [one, member] of is) {
        if (!was.has(one)) say("added", `${noun} ${name}.${one}`);
        else for (const text of memberDifferences(was.get(one), member)) say("changed", `${name}.${one}: ${text}`);
      }
    }
    const rest = ({ attributes, relationships, ...others }) => others;
    for (const text of memberDifferences(rest(known), rest(entity))) say("changed", `${name}: ${text}`);
  }
  return found;
}

function memberDifferences(before, after) {
  const text = (value) => (value === undefined ? "none" : typeof value === "string" ? value : JSON.stringify(value));
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .filter((name) => !(isNothing(before[name]) && isNothing(after[name])))
    .map((name) => `${name} ${text(before[name])} → ${text(after[name])}`);
}

const isNothing = (value) => value === undefined || value === false || value === null || (
  Array.isArray(value) && value.length === 0
);
