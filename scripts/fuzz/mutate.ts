/** A source of numbers in [0, 1). */
export type Random = () => number;

type Mutate = (bytes: Buffer, random: Random) => Buffer;

const ODD_VALUES =
  'null -7 1e999 1e308 "" [] {} true [[{}]] {"toString":1} "assistant" -1 9007199254740993 0.5'.split(
    ' ',
  );
const PIECES = ['', '{', '}', '"', ']', '\n', '\\', '}{', '\0', '\ud800', ','];
const EXTREMES = [0, 1, 0x7f, 0x80, 0xff, 0xfe];
const DEPTH = 20_000;
const VALUE = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d+(?:\.\d+)?|true|false|null/g;

const ANYTHING: readonly Mutate[] = [
  (bytes, random) => bytes.subarray(0, at(bytes, random)),
  (bytes, random) => {
    const changed = Buffer.from(bytes);
    const count = 1 + at({ length: 8 }, random);
    for (let index = 0; index < count; index++)
      changed[at(bytes, random)] = random() < 0.5 ? pick(EXTREMES, random) : random() * 256;
    return changed;
  },
  (bytes, random) => {
    const start = at(bytes, random);
    const end = start + at({ length: random() < 0.5 ? 16 : 5000 }, random);
    const put = pick(
      [[], bytes.subarray(start, end), Buffer.alloc(end - start, pick(EXTREMES, random))],
      random,
    );
    const behind = random() < 0.5 ? end : start;
    return Buffer.concat([bytes.subarray(0, start), Buffer.from(put), bytes.subarray(behind)]);
  },
];

const BINARY: readonly Mutate[] = [
  ...ANYTHING,
  // A number of two, four or eight bytes, in places where headers and ends have theirs.
  (bytes, random) => {
    const changed = Buffer.from(bytes);
    const size = pick([2, 4, 8], random);
    const near = at({ length: Math.min(bytes.length, 600) }, random);
    const place = pick([near, bytes.length - near, at(bytes, random)], random);
    const fill = random() < 0.5 ? pick(EXTREMES, random) : random() * 256;
    return changed.fill(fill, Math.max(0, place), Math.min(bytes.length, place + size));
  },
  (bytes, random) => {
    const page = 4096;
    const [from, to] = [at(bytes, random), at(bytes, random)].map((one) => one - (one % page));
    const changed = Buffer.from(bytes);
    bytes.copy(changed, to, from, (from ?? 0) + page);
    return changed;
  },
];

const TEXT: readonly Mutate[] = [
  ...ANYTHING,
  (bytes, random) => {
    const text = bytes.toString();
    const start = at(text, random);
    const end = start + at({ length: 80 }, random);
    return Buffer.from(text.slice(0, start) + pick(PIECES, random) + text.slice(end));
  },
  (bytes, random) =>
    withValues(bytes, random, (others) => pick([...ODD_VALUES, ...others], random)),
  (bytes, random) =>
    withValues(bytes, random, () =>
      random() < 0.1 ? '['.repeat(DEPTH) + ']'.repeat(DEPTH) : '1e15',
    ),
  (bytes, random) => {
    const lines = bytes.toString().split('\n');
    const [from, to] = [at(lines, random), at(lines, random)];
    return Buffer.from(lines.toSpliced(to, random() < 0.5 ? 1 : 0, lines[from] ?? '').join('\n'));
  },
];

/** The bytes with one to three changes. */
export function mutate(bytes: Buffer, isBinary: boolean, random: Random): Buffer {
  let changed = bytes;
  for (let count = 1 + at({ length: 3 }, random); count > 0; count--)
    changed = pick(isBinary ? BINARY : TEXT, random)(changed, random);
  return changed;
}

/** One of a list. */
export function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[at(items, random)] as Item;
}

function at({ length }: { readonly length: number }, random: Random): number {
  return Math.floor(random() * length);
}

function withValues(bytes: Buffer, random: Random, valueOf: (others: readonly string[]) => string) {
  const text = bytes.toString();
  const values = [...text.matchAll(VALUE)].filter(([, colon]) => colon === undefined);
  if (values.length === 0) return bytes;
  const [{ 0: value, index }, { 0: other }] = [pick(values, random), pick(values, random)];
  return Buffer.from(text.slice(0, index) + valueOf([other]) + text.slice(index + value.length));
}
