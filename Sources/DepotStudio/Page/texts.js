/** Texts as the service folds and orders them. This file knows no elements. */

/** What only the service can answer. */
export class Unsupported extends Error {}

const isASCII = (text) => !/[^\0-\x7f]/.test(text);

/**
 * Returns a text without differences of case (`c`) or marks (`d`), as the page on queries says.
 *
 * @param {string} text
 * @param {string} options
 * @throws {Unsupported} if this browser and the service may know its signs differently
 */
export function fold(text, options) {
  if (options === "") return text;
  const ignoresCase = options.includes("c");
  if (isASCII(text)) return ignoresCase ? text.toLowerCase() : text;
  if (/(?!\p{Noncharacter_Code_Point})\p{Cn}/u.test(text)) throw new Unsupported("a text has new signs");
  let folded = text.normalize("NFD");
  if (options.includes("d")) folded = folded.replace(/\p{Mn}/gu, "");
  // One by one: the lower case of a whole text has two forms of sigma.
  if (ignoresCase) folded = Array.from(folded, (sign) => (
    sign === "ı" ? sign : sign === "ẞ" ? "ss" : Array.from(sign.toUpperCase(), (upper) => upper.toLowerCase()).join("")
  )).join("");
  return folded.normalize("NFC");
}

const KATAKANA = "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノ"
  + "ハヒフヘホマミムメモヤユヨラリルレロワン\u3099\u309a";

/** Returns a text with the usual forms of wide and narrow signs. */
const narrowed = (text) => text.replace(/[\u3000\uff01-\uff5e\uff61-\uff9f\uffe0-\uffe6]/g, (sign) => {
  const code = sign.charCodeAt(0);
  if (code === 0x3000) return " ";
  if (code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
  return code <= 0xff9f ? KATAKANA[code - 0xff61] : "¢£¬¯¦¥₩"[code - 0xffe0];
});

/** The ranks of ASCII signs that aren't letters, and the first signs of the ranks of other signs. */
const RANKS = new Map([
  [" ", 0x10], ["_-,;:!?.'\"()[]{}@*/\\&#%", 0x12], ["`^+<=>|~", 0x31], ["$", 0x41],
].flatMap(([signs, first]) => [...signs].map((sign, place) => [sign, String.fromCharCode(first + place)])));
const GROUPS = [
  [/[\p{Cc}]/u, "\x01"], [/[\p{Z}]/u, "\x11"], [/[\p{P}]/u, "\x30"],
  [/[\p{Sm}\p{Sk}\p{So}\p{Cf}\p{Me}\p{Variation_Selector}]/u, "\x40"], [/\p{Sc}/u, "\x42"], [/[\p{Nd}\p{No}]/u, "\x51"],
];

/**
 * Returns the key by which a text is sorted as people look it up: its characters are in the order of the keys' code
 * points.
 *
 * @param {string} text
 */
export function localizedKey(text) {
  let zeros = "";
  const count = (number) => (number < 0xff ? String.fromCharCode(number)
    : String.fromCharCode(0xff, ...[24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff)));
  const key = fold(narrowed(text), "cd").replace(/[0-9]+|[^a-z]/gu, (part) => {
    if (/^[0-9]/.test(part)) {
      const digits = part.replace(/^0+/, "");
      zeros += count(part.length - digits.length);
      return `\x50${count(digits.length)}${digits}`;
    }
    const rank = RANKS.get(part);
    if (rank) return rank;
    const group = GROUPS.find(([signs]) => signs.test(part))?.[1] ?? "";
    return part < "\x80" ? group + String.fromCharCode(part.charCodeAt(0) + 1) : group + part;
  });
  return zeros ? `${key}\0${zeros}` : key;
}
