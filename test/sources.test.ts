import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const page = readFileSync(resolve(ROOT, 'docs/sources.md'), 'utf8');
const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading.toLowerCase());
/** Sources that are not public, as they are cited. */
const NAMES =
  /OpenCode release history|design documents?|comparison of peers|users and failures|evaluation \w+(?=,? section)/g;
const SECTIONS = /evaluation design\)?(?:\]\([^)]*\))?,? sections? (\d\.\d)(?: and (\d\.\d))?/g;
/** Published results, formulas, and versions of rules. */
const CODES = /(?<=section 9\.7, )R\d+|(?<=formula )\d|\b(?:[OFS]\d+|P\d)(?=[,`;: )–])/g;

const cited = ['src', 'scripts', 'docs'].flatMap((folder) =>
  readdirSync(resolve(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|md)$/.test(file))
    .map((file) => readFileSync(resolve(ROOT, folder, file), 'utf8').replaceAll(/\n \*/g, '')),
);

function isListed(code: string): boolean {
  const [letter, number] = [code.charAt(0), code.slice(1)];
  if (/\d/.test(letter)) return page.includes(`(${code}) `);
  if (letter === 'R') return page.includes(`${code}, `);
  const [, from, to] = new RegExp(`${letter}(\\d+) – ${letter}(\\d+)`).exec(page) ?? [];
  return Number(number) >= Number(from) && Number(number) <= Number(to);
}

describe('docs/sources.md', () => {
  it('says what each source is that nobody can look up', () => {
    const names = new Set(cited.flatMap((text) => text.match(NAMES) ?? []));
    expect(names.size).toBeGreaterThan(4);
    const unknown = [...names].filter(
      (name) => !headings.some((heading) => heading.startsWith(name.toLowerCase())),
    );
    expect(unknown).toEqual([]);
  });

  it('says what is cited of the evaluation design', () => {
    const sections = new Set(
      cited.flatMap((text) =>
        [...text.matchAll(SECTIONS)].flatMap(([, first = '', second = first]) => [first, second]),
      ),
    );
    expect(sections.size).toBeGreaterThan(6);
    const listed = [...page.matchAll(/^- \*\*(.+?)\*\*/gm)].flatMap(
      ([, name = '']) => name.match(/\d\.\d/g) ?? [],
    );
    expect([...sections].filter((section) => !listed.includes(section))).toEqual([]);
  });

  it('lists the codes and formulas that are cited', () => {
    const codes = new Set(cited.flatMap((text) => text.match(CODES) ?? []));
    expect(codes.size).toBeGreaterThan(20);
    expect([...codes].filter((code) => !isListed(code))).toEqual([]);
  });

  it('is what is cited, and no page that the reader does not have', () => {
    expect(cited.filter((text) => /Source: DESIGN|Definitions: DESIGN/.test(text))).toEqual([]);
  });
});
