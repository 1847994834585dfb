// Words and characters as the server counts them (unsession/domain/text.py): words are runs
// without white space, a character is what a person sees as one.
const BLANKS = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
const SIGNS = globalThis.Intl?.Segmenter ? new Intl.Segmenter("en", { granularity: "grapheme" }) : null;

export function words(text) {
  return text.split(BLANKS).filter(Boolean).length;
}

export function signs(text) {
  const kept = text.normalize("NFC").replace(/\r\n?/g, "\n").trim();
  return SIGNS ? [...SIGNS.segment(kept)].length : [...kept].length;
}
