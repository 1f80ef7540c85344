/** The format as it is first written; it does not pass the type check. */
export const firstFormat = `import { stringify } from 'csv-stringify/sync';

const COLUMNS = {
  name: 'name',
  runs: 'runs',
  changePercent: 'change_percent',
  note: 'note',
};

export const csv: Format = {
  label: 'comma-separated values with a header',
  render: (results) => stringify(results, { header: true, columns: COLUMNS }),
};
`;

/** Tests of what the format promises. */
export const csvTests = `import { expect, it } from 'vitest';

const lines = (...results: Parameters<typeof csv.render>[0]) => csv.render(results).split('\\n');

it('begins with the names of the columns', () => {
  expect(lines()[0]).toBe('name,runs,change_percent,note');
});

it('quotes a name with a comma', () => {
  expect(lines({ name: 'a, b', runs: 1 })[1]).toBe('"a, b",1,,');
});

it('doubles a quote', () => {
  expect(lines({ name: 'a', runs: 1, note: 'say "b"' })[1]).toBe('a,1,,"say ""b"""');
});

it('prints numbers as they are', () => {
  expect(lines({ name: 'a', runs: 1, changePercent: -3.25 })[1]).toBe('a,1,-3.25,');
});
`;

/** Tests against formulas in texts. */
export const formulaTests = `import { expect, it } from 'vitest';
import { csv } from '../src/formats/csv.ts';

const FORMULAS = ['=1+1', '+1', '-1+cmd', '@SUM(A1)', '\\t=1', '\\uFF1D1'];

it.each(FORMULAS)('takes the sting out of %j', (note) => {
  const line = csv.render([{ name: 'a', runs: 1, note }]).split('\\n')[1] ?? '';
  expect(line.replaceAll('"', '')).toBe(\`a,1,,'\${note}\`);
});

it('leaves negative numbers alone', () => {
  expect(csv.render([{ name: 'a', runs: 1, changePercent: -3 }])).toContain('a,1,-3,');
});

it('leaves ordinary texts alone', () => {
  expect(csv.render([{ name: 'a=b', runs: 1, note: '1 + 1' }])).toContain('a=b,1,,1 + 1');
});
`;

/** The format for spreadsheets, beside the plain one. */
export const excelFormat = `import { stringify } from 'csv-stringify/sync';
import { COLUMNS } from './csv.ts';
import type { Format } from '../../../../src/simulator/report/report.ts';

/** As spreadsheets of a European locale open it: marked as UTF-8, semicolons, CRLF. */
export const excel: Format = {
  label: 'semicolon-separated values that spreadsheets open as they are',
  render: (results) => {
    const text = stringify([...results], {
      bom: true,
      header: true,
      columns: COLUMNS,
      delimiter: ';',
      record_delimiter: 'windows',
      escape_formulas: true,
      cast: { number: (value) => String(value).replace('.', ',') },
    });
    return text.replace(/\\r\\n$/, '\\n');
  },
};
`;

/** Tests of the format for spreadsheets. */
export const excelTests = `import { expect, it } from 'vitest';
import { excel } from '../src/formats/excel.ts';

const text = excel.render([{ name: 'größte', runs: 5, changePercent: -3.25, note: '=1' }]);

it('begins with the mark of UTF-8', () => {
  expect(text.charCodeAt(0)).toBe(0xfeff);
});

it('separates columns by semicolons', () => {
  expect(text.slice(1).split('\\r\\n')[0]).toBe('name;runs;change_percent;note');
});

it('writes a decimal comma and keeps the sign', () => {
  expect(text).toContain('größte;5;-3,25;');
});

it('takes the sting out of formulas', () => {
  expect(text).toContain(";'=1");
});
`;

/** The command with exit code 2 for wrong use. */
export const strictMain = `import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import { formats } from '../../../../src/simulator/report/formats.ts';
import { type FormatName } from './formats/index.ts';
import { parseResults } from './results.ts';

const WRONG_USE = 2;

const program = new Command('run-report')
  .description('print benchmark results')
  .argument('<file>', 'results as JSON')
  .addOption(
    new Option('-f, --format <name>', 'output format').choices(Object.keys(formats)).default('table'),
  )
  .addHelpText('after', () => \`\\nFormats:\\n\${renderLabels()}\`)
  .exitOverride()
  .action((file: string, options: { format: FormatName }) => {
    const results = parseResults(readFileSync(file, 'utf8'));
    process.stdout.write(formats[options.format].render(results));
  });

function renderLabels(): string {
  return Object.entries(formats)
    .map(([name, format]) => \`  \${name.padEnd(8)}\${format.label}\`)
    .join('\\n');
}

try {
  program.parse();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : WRONG_USE;
}
`;
