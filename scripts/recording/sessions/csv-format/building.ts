import { drawBars } from '../../picture.ts';
import {
  act,
  answer,
  bash,
  edit,
  grep,
  list,
  read,
  say,
  think,
  todos,
  turn,
  write,
} from '../../script.ts';
import { csvTests, firstFormat, formulaTests } from './contents.ts';

const STRINGIFY = 'node_modules/csv-stringify';

/** Reading before writing. */
export const planning = turn(
  `Please add CSV as an output format to this command. csv-stringify is installed; read how it works before you write anything (docs, types, and the source where the docs are vague), then tell me your plan. CONTRIBUTING.md applies. No code yet.`,
  [
    act(read('CONTRIBUTING.md'), list('.')),
    act(
      read('src/results.ts'),
      read('src/formats/format.ts'),
      read('src/formats/table.ts'),
      read('src/formats/index.ts'),
      read('src/main.ts'),
      read('test/formats.test.ts'),
    ),
    act(read(`${STRINGIFY}/README.md`), read(`${STRINGIFY}/lib/index.d.ts`)),
    think(
      'render is pure and returns text, so the sync API fits. Two rules to check in the source: does it end with exactly one newline, and what happens with undefined fields and with numbers.',
      read(`${STRINGIFY}/lib/sync.js`),
      read(`${STRINGIFY}/lib/api/index.js`),
    ),
    act(
      bash(`node --input-type=module <<'JS'
import { stringify } from 'csv-stringify/sync';
const options = { header: true, columns: { name: 'name', change: 'change_percent' } };
for (const rows of [[], [{ name: 'a' }], [{ name: 'a, b', change: -3.25 }], [{ name: 'x"y', change: 1e21 }], [{ name: 'two\\nlines', change: NaN }]])
  console.log(JSON.stringify(stringify(rows, options)));
JS`),
      todos({
        'src/formats/csv.ts': 'pending',
        'Line in src/formats/index.ts': 'pending',
        'Tests for each rule': 'pending',
      }),
    ),
    answer(
      'Plan with facts from source. Empty list prints the header: sync.js.',
      `Plan:

1. **src/formats/csv.ts** with the *sync* API: \`render\` is pure and has everything in memory, a stream would gain nothing.
2. \`header: true\` and \`columns\` as a map from our field to the column name, so that the order does not depend on the first record (without it the columns are taken from the keys of the first one, api/index.js:62).
3. One line in src/formats/index.ts, tests per rule.

What I checked because the docs are vague, in lib/api/index.js and by running it: text ends with one record delimiter (\`eof\` is on by default), an empty list still prints the header (sync.js does it when nothing was written), \`undefined\` gives an empty field, and a field is quoted if it holds the delimiter, a quote or a line break.

Open question: a text that begins with \`=\` is written as it is unless \`escape_formulas\` is set. data/results.json has one. Shall the format defuse those? It changes the text.`,
    ),
  ],
);

/** Writing it. */
export const building = turn('Plan is fine. Leave the formulas for now, go ahead with the rest.', [
  act(
    write('src/formats/csv.ts', firstFormat),
    write(
      'src/formats/index.ts',
      `import { csv } from './csv.ts';
import type { Format } from '../../../../src/simulator/report/report.ts';
import { json } from './json.ts';
import { table } from './table.ts';

export const formats = { csv, json, table } satisfies Record<string, Format>;

export type FormatName = keyof typeof formats;
`,
    ),
  ),
  act(bash('tsc', 2)),
  say(
    'The types of csv-stringify want a mutable list; ours is readonly. A copy is cheaper than a cast that lies.',
    grep('type Input|interface Options|columns\\?|cast\\?', `${STRINGIFY}/lib/index.d.ts`),
    edit('src/formats/csv.ts', 'stringify(results, {', 'stringify([...results], {'),
  ),
  act(write('test/csv.test.ts', csvTests), bash('tsc && vitest run', 1)),
  think(
    'Only "knows these formats" fails: it lists the names, and there is a new one. The list is alphabetical by habit. Update the test, it is right to fail.',
    edit('test/formats.test.ts', "toEqual(['json', 'table'])", "toEqual(['csv', 'json', 'table'])"),
    bash('vitest run && node dist/main.js data/results.json --format csv'),
  ),
  act(
    todos({
      'src/formats/csv.ts': 'completed',
      'Line in src/formats/index.ts': 'completed',
      'Tests for each rule': 'completed',
    }),
  ),
  say(
    '`run-report data/results.json --format csv` works, nine tests pass, tsc is clean. One existing test had to learn the new name. The third line of the output still begins a field with `=`, as agreed.',
  ),
]);

/** Formulas after all. */
export const defusing = turn(
  'I asked around: these files are opened in spreadsheets by people who do not read the names first. So do defuse formulas. But numbers must stay numbers, a change of -3.25 is no formula. Test first, please.',
  [
    act(write('test/formulas.test.ts', formulaTests), bash('vitest run test/formulas.test.ts', 1)),
    think(
      'As expected the six formula tests fail, the two others pass. escape_formulas: look at the source again for the minus, that was the interesting case.',
      read(`${STRINGIFY}/lib/api/index.js`, 176, 100),
    ),
    act(
      edit(
        'src/formats/csv.ts',
        '{ header: true, columns: COLUMNS }',
        '{ header: true, columns: COLUMNS, escape_formulas: true }',
      ),
      bash('tsc && vitest run'),
    ),
    say(
      `Done, seventeen tests pass. \`escape_formulas\` puts an apostrophe before a text that begins with \`=\`, \`+\`, \`-\`, \`@\`, a tab, a carriage return or one of four full-width signs. For \`-\` it looks at the *original* field and leaves numbers alone (api/index.js, the case for "-" asks \`typeof field\`), so -3.25 stays -3.25; the test pins that.

Names are defused too, not only notes: any text column could carry a formula.`,
    ),
  ],
);

/** A spreadsheet. */
export const looking = turn(
  'A colleague in Cologne opened the file by double click. The picture is what he got: umlauts broken and everything in ONE column (the first bar is the width of column A, the others are empty). What do we need so that a double click works there? Do not change anything yet.',
  [
    think(
      'One wide column, three near-empty ones: the locale separates lists by semicolons. Broken umlauts: no BOM. Which options: bom, delimiter, record_delimiter; decimal comma via cast. Check normalisation.',
      read(`${STRINGIFY}/lib/api/normalize_options.js`),
    ),
    act(read(`${STRINGIFY}/lib/api/normalize_columns.js`), grep('bom', `${STRINGIFY}/lib`)),
    act(
      bash(`node --input-type=module <<'JS'
import { stringify } from 'csv-stringify/sync';
const rows = [{ name: 'größte; Datei', change: -3.25 }];
const cast = { number: (value) => String(value).replace('.', ',') };
for (const options of [
  { bom: true },
  { delimiter: ';' },
  { delimiter: ';', cast },
  { record_delimiter: 'windows' },
  { delimiter: ';', bom: true, escape_formulas: true, cast },
])
  console.log(JSON.stringify(stringify(rows, { header: true, ...options })));
JS`),
    ),
    answer(
      'In the run: decimal comma with cast; does escape_formulas still treat -3,25 as number? typeof field is number, so yes.',
      `Three settings, all there in csv-stringify, all different from plain CSV:

| symptom | cause | option |
|---|---|---|
| broken umlauts | without a mark, that spreadsheet reads the local code page | \`bom: true\` |
| one column | the German locale separates lists by \`;\` | \`delimiter: ';'\` |
| (next one you would meet) 3.25 is read as text or a date | decimal comma | \`cast.number\` |

The last run shows them together; -3,25 is not taken for a formula, since the check looks at the field before the cast.

Two ways to offer it: an option \`--delimiter <text>\` for csv, or a format of its own. CONTRIBUTING says that no option may change what another one means, which speaks for the format: with \`--delimiter ';'\` alone the umlauts stay broken and the numbers wrong.`,
    ),
  ],
  { image: drawBars('column-widths.png', [30, 3, 3, 3]), idleMinutes: 12 },
);
