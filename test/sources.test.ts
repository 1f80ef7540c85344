import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { policies } from '../src/engine/index.ts';

const ROOT = resolve(import.meta.dirname, '..');
const page = readFileSync(resolve(ROOT, 'docs/reference/sources.md'), 'utf8');
const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading.toLowerCase());
/** Sources that are not public, as they are cited. */
const NAMES =
  /OpenCode release history|OpenCode\s+field reports|design documents?|comparison of peers|users and failures|session statistics(?=,)|evaluation \w+(?=,? section)/g;
/** Published results, formulas, and versions of rules. */
const CODES = /(?<=section 9\.7, )R\d+|(?<=formula )\d|\b(?:[OFS]\d+|P\d)(?=[,`;: )–])/g;
const files = ['src', 'scripts', 'docs'].flatMap((folder) => read(folder, /\.(?:ts|md)$/));
const cited = [
  ...files.map((text) => text.replaceAll(/\n \*/g, '')),
  ...read('workloads', /\.json$/),
  // Where a citation is put together of several strings, it is whole in the preset.
  JSON.stringify(policies),
];
const scenarios = read('scenarios', /\.yaml$/);

function read(folder: string, names: RegExp): readonly string[] {
  return readdirSync(resolve(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => names.test(file) && !file.endsWith('sources.md'))
    .map((file) => readFileSync(resolve(ROOT, folder, file), 'utf8'));
}

/** What a section of the page lists: first cells of its tables, and the bold beginnings of its points. */
function listedUnder(heading: string): readonly string[] {
  const from = page.indexOf(`\n## ${heading}\n`);
  const text = page.slice(from, page.indexOf('\n## ', from + 1) >>> 0);
  const cells = [...text.matchAll(/^\| (.+?) +\|/gm)].map(([, cell = '']) => cell);
  const points = [...text.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, point = '']) => point);
  return [...cells, ...points].flatMap((one) => one.match(/\b[A-J]?\d+(?:\.\d+)*[a-z]?\b/g) ?? []);
}

/** The sections that texts cite of a source, ranges told in full. */
function sectionsIn(texts: readonly string[], source: string): readonly string[] {
  const citation = new RegExp(
    String.raw`${source}[^.;"]{0,40}?,? \(?sections? ((?:[\d.]*\d[a-z]?(?: to |, | and )?)+)`,
    'g',
  );
  const lists = texts.flatMap((text) => [...text.matchAll(citation)].map(([, list = '']) => list));
  return [...new Set(lists.flatMap(expand))];
}

function expand(list: string): readonly string[] {
  return list.split(/, | and /).flatMap((one) => {
    const [, from, to] = /^(\d+) to (\d+)$/.exec(one) ?? [];
    if (from === undefined) return one === '' ? [] : [one];
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) =>
      String(Number(from) + index),
    );
  });
}

function isListed(code: string): boolean {
  const [letter, number] = [code.charAt(0), code.slice(1)];
  if (/\d/.test(letter)) return page.includes(`(${code}) `);
  if (letter === 'R') return page.includes(`${code}, `);
  const [, from, to] = new RegExp(`${letter}(\\d+) – ${letter}(\\d+)`).exec(page) ?? [];
  return Number(number) >= Number(from) && Number(number) <= Number(to);
}

describe('docs/reference/sources.md', () => {
  it('says what each source is that nobody can look up', () => {
    const names = new Set(cited.flatMap((text) => text.match(NAMES) ?? []));
    expect(names.size).toBeGreaterThan(6);
    const unknown = [...names].filter(
      (name) =>
        !headings.some((heading) => heading.startsWith(name.toLowerCase().replaceAll(/\s+/g, ' '))),
    );
    expect(unknown).toEqual([]);
  });

  it.each([
    ['OpenCode release history', 'OpenCode release history', 8],
    ['Comparison of peers', String.raw`comparison of peers(?: \(2026-08\))?`, 11],
    ['Users and failures', 'users and failures', 1],
    ['Evaluation design', String.raw`evaluation design\)?(?:\]\([^)]*\))?`, 7],
  ])('says what is cited of each section: %s', (heading, source, count) => {
    const sections = sectionsIn(cited, source);
    expect(sections.length).toBeGreaterThanOrEqual(count);
    const listed = listedUnder(heading);
    expect(sections.filter((section) => !listed.includes(section))).toEqual([]);
  });

  it.each(['000', '001', '002', '003', '004'])(
    'says what is cited of each section: design document %s',
    (number) => {
      const rows = [...page.matchAll(new RegExp(`^\\| ${number} +\\| (.+?) +\\|`, 'gm'))];
      const listed = rows.flatMap(([, cell = '']) => cell.split(', '));
      const sections = sectionsIn(cited, `design document ${number}`);
      expect(sections.filter((section) => !listed.includes(section))).toEqual([]);
    },
  );

  it.each([
    ['OpenCode field reports', 'opencode-field-reports', 38],
    ['Users and failures', 'users-and-failures', 80],
  ])('lists what scenarios cite, with the scenario: %s', (heading, source, count) => {
    const codes = scenarios.flatMap((text) =>
      [...text.matchAll(new RegExp(`- ${source} (\\S+)`, 'g'))].map(([, code = '']) => code),
    );
    expect(codes.length).toBeGreaterThanOrEqual(count);
    const listed = listedUnder(heading);
    expect(codes.filter((code) => !listed.includes(code))).toEqual([]);
  });

  it('knows every name by which scenarios cite', () => {
    const names = scenarios.flatMap((text) =>
      [...text.matchAll(/^ {2}- ([a-z]+(?:-[a-z]+)+) [A-Z\ds]\S*/gm)].map(([, name = '']) => name),
    );
    expect(new Set(names).size).toBeGreaterThan(2);
    expect(
      names.filter(
        (name) =>
          !page.includes(`cite it as \`${name}\``) && !page.includes(`cite them as \`${name}\``),
      ),
    ).toEqual([]);
  });

  it('names beside a code the scenarios that cite it', () => {
    const rows = [...page.matchAll(/^\| (\S+) +\|.*\(\.\.\/\.\.\/scenarios\/.*$/gm)];
    expect(rows.length).toBeGreaterThan(100);
    const wrong = rows.filter(([row, code = '']) =>
      [...row.matchAll(/\(\.\.\/\.\.\/(scenarios\/[\w-]+\.yaml)\)/g)].some(
        ([, path = '']) =>
          !new RegExp(`- (?:opencode-field-reports|users-and-failures) ${code}$`, 'm').test(
            readFileSync(resolve(ROOT, path), 'utf8'),
          ),
      ),
    );
    expect(wrong.map(([row]) => row)).toEqual([]);
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
