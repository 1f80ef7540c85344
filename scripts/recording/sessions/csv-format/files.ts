/** The project of the session: a command that prints benchmark results. */
export const files = {
  'package.json': `{
  "name": "run-report",
  "version": "0.3.0",
  "private": true,
  "type": "module",
  "bin": { "run-report": "dist/main.js" },
  "scripts": { "build": "tsc -p tsconfig.json", "test": "vitest run" },
  "dependencies": { "commander": "^14.0.0", "csv-stringify": "^6.0.0" }
}
`,
  'tsconfig.json': `{
  "compilerOptions": {
    "target": "es2023",
    "module": "nodenext",
    "strict": true,
    "skipLibCheck": true,
    "rootDir": "src",
    "outDir": "dist",
    "rewriteRelativeImportExtensions": true,
    "types": ["node"]
  },
  "include": ["src"]
}
`,
  'vitest.config.ts': `import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    cache: false,
    fileParallelism: false,
    slowTestThreshold: 60_000,
    testTimeout: 60_000,
  },
});
`,
  'CONTRIBUTING.md': `# Contributing

- One output format a file in src/formats, one line in src/formats/index.ts. A format is \`{ label, render }\`;
  \`render\` is pure: results in, text out. It never writes to a stream.
- Every format ends its text with one newline and prints numbers as they are; the table is the only one
  that rounds.
- Names of options are long words. No option may change what another one means.
- A test for each rule, named as a sentence. \`tsc\` must be clean before tests are run.
`,
  'src/results.ts': `/** One benchmark, measured several times. */
export interface Result {
  readonly name: string;
  readonly runs: number;
  /** Change against the baseline, in percent; negative is faster. Absent without a baseline. */
  readonly changePercent?: number;
  readonly note?: string;
}

export function parseResults(text: string): readonly Result[] {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) throw new TypeError('Expected a list of results.');
  return value as readonly Result[];
}
`,
  'src/formats/format.ts': `import type { Result } from '../results.ts';

export interface Format {
  readonly label: string;
  render(results: readonly Result[]): string;
}
`,
  'src/formats/json.ts': `import type { Format } from './format.ts';

export const json: Format = {
  label: 'JSON, as it was read',
  render: (results) => \`\${JSON.stringify(results, null, 2)}\\n\`,
};
`,
  'src/formats/table.ts': `import type { Result } from '../results.ts';
import type { Format } from '../../../../src/simulator/report/report.ts';

export const table: Format = {
  label: 'aligned columns',
  render: (results) => {
    const width = Math.max(...results.map((result) => result.name.length), 'name'.length);
    return results.map((result) => \`\${renderRow(result, width)}\\n\`).join('');
  },
};

function renderRow(result: Result, width: number): string {
  const change = result.changePercent?.toFixed(1) ?? '-';
  return \`\${result.name.padEnd(width)}  \${String(result.runs).padStart(5)}  \${change.padStart(7)}\`;
}
`,
  'src/formats/index.ts': `import type { Format } from './format.ts';
import { json } from './json.ts';
import { table } from './table.ts';

export const formats = { json, table } satisfies Record<string, Format>;

export type FormatName = keyof typeof formats;
`,
  'src/main.ts': `import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { type FormatName } from './formats/index.ts';
import { parseResults } from './results.ts';

const program = new Command('run-report')
  .description('print benchmark results')
  .argument('<file>', 'results as JSON')
  .addOption(
    new Option('-f, --format <name>', 'output format').choices(Object.keys(formats)).default('table'),
  )
  .action((file: string, options: { format: FormatName }) => {
    const results = parseResults(readFileSync(file, 'utf8'));
    process.stdout.write(formats[options.format].render(results));
  });

program.parse();
`,
  'data/results.json': `[
  { "name": "parse small", "runs": 200, "changePercent": -3.25 },
  { "name": "parse, large", "runs": 20, "changePercent": 1.5, "note": "uses the \\"wide\\" file" },
  { "name": "größte Datei", "runs": 5, "note": "=1+1" }
]
`,
  'test/formats.test.ts': `import { expect, it } from 'vitest';
import { formats } from '../../../../src/simulator/report/formats.ts';

const results = [
  { name: 'parse', runs: 200, changePercent: -3.25 },
  { name: 'print', runs: 20 },
];

it('knows these formats', () => {
  expect(Object.keys(formats)).toEqual(['json', 'table']);
});

it.each(Object.entries(formats))('ends with one newline: %s', (_, format) => {
  expect(format.render(results)).toMatch(/[^\\n]\\n$/);
});

it('aligns the table', () => {
  expect(formats.table.render(results)).toBe('parse    200     -3.3\\nprint     20        -\\n');
});
`,
} satisfies Record<string, string>;
