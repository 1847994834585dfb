// The rule of unsession/domain/forms/conditions.py, for a page that changes while somebody types.
// Both are held to tests/domain/conditions.json and to each other by a property test.
const NUMBER = /^[+-]?[0-9]{1,15}(\.[0-9]{1,9})?$/;
// What Python takes for white space around a text.
const ENDS = /^[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g;
const WRITTEN = new Set(["TXT", "LONG", "EML", "URL", "TEL"]);

/** Ids of the fields that are asked. `fields`: {id, type, when?} in order; `answers` by id. */
export function shownFields(fields, answers) {
  const said = new Map();
  let section = true;
  for (const field of fields) {
    const holds = !field.when || passes(field.when, said);
    if (field.type === "HDR") section = holds;
    if (section && holds) said.set(field.id, { type: field.type, words: words(field, answers[field.id]) });
  }
  return [...said.keys()];
}

function words(field, answer) {
  if (field.type === "CHK") return [answer === true ? "true" : "false"];
  const given = Array.isArray(answer) ? answer : [answer];
  return given.map(word).filter((one) => one !== "");
}

function word(value) {
  if (typeof value === "string") return strip(value.normalize("NFC"));
  if (typeof value === "number") return value.toFixed(9).replace(/\.?0+$/, "");
  return "";
}

function passes(condition, said) {
  const verdict = (test) => {
    const source = said.get(test.field);
    return source !== undefined && passesOne(test, source.type, source.words);
  };
  return condition.any ? condition.tests.some(verdict) : condition.tests.every(verdict);
}

function passesOne({ op = "is", value = "" }, kind, given) {
  if (op === "answered") return given.length > 0;
  if (op === "blank") return given.length === 0;
  if (given.length === 0) return false;
  switch (op) {
    case "is": return given.some((one) => equal(kind, one, value));
    case "is_not": return !given.some((one) => equal(kind, one, value));
    case "contains": return given.some((one) => plain(one).includes(plain(value)));
    case "lacks": return !given.some((one) => plain(one).includes(plain(value)));
    case "more_than": return beyond(kind, given[0], value);
    case "less_than": return beyond(kind, value, given[0]);
    default: return false;
  }
}

function equal(kind, one, value) {
  if (kind === "NUM") return number(one) !== null && number(one) === number(value);
  return WRITTEN.has(kind) ? plain(one) === plain(value) : one === word(value);
}

function beyond(kind, greater, lesser) {
  if (kind === "DATE") return sortsAfter(greater, lesser);
  const one = number(greater);
  const other = number(lesser);
  return one !== null && other !== null && one > other;
}

// As Python compares texts: by code points, where a browser's own ">" goes by UTF-16 units.
function sortsAfter(text, than) {
  const [one, other] = [[...text], [...than]];
  const at = one.findIndex((sign, place) => sign !== other[place]);
  if (at === -1 || at >= other.length) return at !== -1;
  return one[at].codePointAt(0) > other[at].codePointAt(0);
}

function plain(text) {
  return strip(text.normalize("NFC")).toLowerCase().normalize("NFC");
}

function strip(text) {
  return text.replace(ENDS, "");
}

function number(text) {
  const bare = strip(text);
  return NUMBER.test(bare) ? Number(bare) : null;
}
