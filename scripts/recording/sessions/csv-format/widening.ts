import {
  act,
  answer,
  bash,
  edit,
  failing,
  grep,
  read,
  say,
  think,
  todos,
  turn,
  write,
} from '../../script.ts';
import { excelFormat, excelTests, strictMain } from './contents.ts';

const COMMANDER = 'node_modules/commander';

/** The first wish. */
export const delimiting = turn(
  'I would rather have --delimiter, people know that from other tools. It should only be accepted together with --format csv, and take exactly one character. Look at how commander validates options, I do not want hand-made parsing in main.ts.',
  [
    act(read(`${COMMANDER}/Readme.md`)),
    act(read(`${COMMANDER}/lib/option.js`)),
    think(
      'Option has conflicts() and implies(), choices(), argParser(). "only together with csv" is a dependency on a value of another option; commander has no such thing. It would have to be checked in the action or a preAction hook. And render(results) takes no options: Format would need a second parameter that three of four formats ignore.',
      grep('conflicts|implies|preAction', `${COMMANDER}/lib/command.js`),
    ),
    answer(
      'Say what is possible and what it costs, before writing.',
      `Half of it commander does, half it does not:

- *One character:* \`new Option(...).argParser(fn)\` with an \`InvalidArgumentError\` (option.js:132), error text and exit come from commander.
- *Only with csv:* there are \`conflicts\` and \`implies\`, both between options, not between an option and a *value* of another. That check would be ours, in the action.

And one cost in our own code: \`render(results)\` has no place for a delimiter. \`Format\` would get a second parameter that three of four formats ignore.

I can do it; I wanted you to see the two costs first. Shall I?`,
    ),
  ],
);

/** The change of mind. */
export const changing = turn(
  'Hm. Forget --delimiter then, you convinced me, and it would not even have helped the colleague. Make it a format: "excel", with all three settings. CSV itself stays as it is.',
  [
    act(
      failing(read('src/formats/excel.ts')),
      edit(
        'src/formats/csv.ts',
        'const COLUMNS = {',
        '/** Column names by field. */\nexport const COLUMNS = {',
      ),
      write('src/formats/excel.ts', excelFormat),
      write('test/excel.test.ts', excelTests),
    ),
    act(
      edit(
        'src/formats/index.ts',
        'import type { Format }',
        "import { excel } from './excel.ts';\nimport type { Format }",
      ),
      edit('src/formats/index.ts', '{ csv, json, table }', '{ csv, excel, json, table }'),
      bash('tsc && vitest run', 1),
    ),
    think(
      'One failure, the list of names again, as it should. Before I touch it: is the very first cell right? A header after a BOM can end up quoted. Look at the raw text.',
      read('src/formats/excel.ts'),
      bash(
        `node --input-type=module -e "import { excel } from './dist/formats/excel.js'; console.log(JSON.stringify(excel.render([{ name: 'a', runs: 1 }])))"`,
      ),
    ),
    act(
      edit('test/formats.test.ts', "['csv', 'json', 'table']", "['csv', 'excel', 'json', 'table']"),
      bash('tsc && vitest run'),
      bash('node dist/main.js data/results.json --format excel | head -c 120 | od -c | head -8'),
    ),
    say(
      `\`--format excel\` is there: mark of UTF-8, semicolons, CRLF, decimal comma, formulas defused; csv is unchanged but for the exported column names, which both share. All tests pass.

One detail: CONTRIBUTING wants one newline at the end, and the rule is tested with \`\\n\`. The records are separated by CRLF, the last one ends with a plain newline. Spreadsheets do not mind.`,
    ),
  ],
  { idleMinutes: 6 },
);

/** Exit codes. */
export const exiting = turn(
  'Next: wrong use must exit with 2, not 1, our scripts tell the two apart (1 = results got worse, that comes later). Where does commander decide that? The Readme section was thin.',
  [
    act(
      bash(
        'node dist/main.js data/results.json --format xml; echo "exit $?"; node dist/main.js; echo "exit $?"; node dist/main.js --help >/dev/null; echo "exit $?"',
      ),
      grep('exitOverride|_exit\\(|exitCode', `${COMMANDER}/lib/command.js`),
    ),
    act(
      read(`${COMMANDER}/lib/command.js`, 495, 130),
      read(`${COMMANDER}/lib/command.js`, 1925, 330),
    ),
    act(
      read(`${COMMANDER}/lib/error.js`),
      grep('new CommanderError|InvalidArgumentError', `${COMMANDER}/lib`),
    ),
    think(
      'exitOverride() throws a CommanderError with exitCode; help and version have 0, all errors 1. So: catch, 0 stays 0, everything else 2. process.exitCode rather than process.exit, so that stdout is flushed.',
      write('src/main.ts', strictMain),
      bash(
        'tsc && for use in "data/results.json --format xml" "" "--help" "data/results.json --format csv" "a b c" "--nope"; do node dist/main.js $use >/dev/null 2>&1; echo "exit $? : $use"; done',
      ),
    ),
    say(
      `All of it goes through \`_exit()\` (command.js:533): with \`exitOverride()\` it throws a \`CommanderError\` instead of ending the process. Errors carry 1 (\`error()\`, 1955), help and version 0. main.ts turns everything but 0 into 2, by \`process.exitCode\`, so that output is written out first.

A missing file still ends with Node's own 1 and a stack; that is a bug of its own, tell me if I should look at it.`,
    ),
  ],
);

/** The help. */
export const helping = turn(
  'Yes, but later. The help lists the formats by name only. I see you added the labels after the help; does commander have a proper place for that? Look at help.js and the types, I want to know the alternatives.',
  [
    act(read(`${COMMANDER}/lib/help.js`)),
    act(read(`${COMMANDER}/typings/index.d.ts`)),
    act(bash('node dist/main.js --help')),
    answer(
      'Alternatives: addHelpText, configureHelp with optionDescription, helpGroup. Choose.',
      `Three places, none made for the values of a choice:

1. \`addHelpText('after', …)\`, as it is now: a block below the options, printed as given.
2. \`configureHelp({ optionDescription })\`: replaces how *every* option is described; help.js puts choices, default and environment there in one parenthesis (\`optionDescription\`). One could print a line for each choice, but must rebuild default and environment by hand.
3. Help groups head a group of *options or commands*, not of values.

I would stay with the first. It has one flaw: the width is not wrapped, and our longest line, for excel, has 71 characters. It fits 80 columns.`,
    ),
  ],
);

/** Missing files. */
export const missing = turn(
  'Stay with it. Now the missing file: message without a stack, exit 2. And broken JSON the same way. Test it through the built command, like our scripts use it.',
  [
    act(
      read('src/main.ts'),
      read('src/results.ts'),
      todos({
        'Message for a missing file': 'in_progress',
        'Message for broken JSON': 'pending',
        'Test through the command': 'pending',
      }),
    ),
    act(
      edit(
        'src/main.ts',
        `    const results = parseResults(readFileSync(file, 'utf8'));
    process.stdout.write(formats[options.format].render(results));`,
        `    process.stdout.write(formats[options.format].render(readResults(file)));`,
      ),
      edit(
        'src/main.ts',
        'function renderLabels(): string {',
        `function readResults(file: string): readonly Result[] {
  try {
    return parseResults(readFileSync(file, 'utf8'));
  } catch (error) {
    return program.error(\`error: cannot read '\${file}': \${error.message}\`);
  }
}

function renderLabels(): string {`,
      ),
      bash('tsc', 2),
    ),
    say(
      'Two mistakes of mine: the type is not imported, and what is caught is unknown.',
      edit(
        'src/main.ts',
        "import { parseResults } from './results.ts';",
        "import { parseResults, type Result } from './results.ts';",
      ),
      edit('src/main.ts', '${error.message}`', '${reasonOf(error)}`'),
      edit(
        'src/main.ts',
        'function renderLabels(): string {',
        `function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && error.code === 'ENOENT' ? 'no such file' : 'no list of results';
}

function renderLabels(): string {`,
      ),
    ),
    act(
      write(
        'test/command.test.ts',
        `import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/main.js', ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

it('prints a table by default', () => {
  expect(run('data/results.json')).toMatchObject({ status: 0, stderr: '' });
});

it.each([
  ['an unknown format', ['data/results.json', '--format', 'xml'], /Allowed choices/],
  ['no file', [], /missing required argument 'file'/],
  ['a missing file', ['nowhere.json'], /cannot read 'nowhere.json': no such file/],
  ['a file that is no list', ['package.json'], /no list of results/],
])('ends with 2 and a line for %s', (_, args, message) => {
  const result = run(...args);
  expect(result).toMatchObject({ status: 2, stdout: '' });
  expect(result.stderr).toMatch(message);
  expect(result.stderr.trim().split('\\n')).toHaveLength(1);
});

it('ends with 2 for broken JSON', () => {
  writeFileSync('broken.json', '[{');
  expect(run('broken.json').stderr).toBe("error: cannot read 'broken.json': no list of results\\n");
});
`,
      ),
      bash('tsc && vitest run; rm -f broken.json'),
    ),
    say(
      'All pass. A missing file, broken JSON and a file that is no list each give one line on stderr and exit 2; `program.error()` takes them through the same door as the errors of commander. The tests need a build first: they run dist/main.js.',
    ),
  ],
  { idleMinutes: 34 },
);

/** Streams. */
export const streaming = turn(
  'Somebody will ask for a million rows. How far does the sync way carry, and what would the stream API change? Sizes only, no timings.',
  [
    act(read('node_modules/csv-stringify/lib/index.js'), read('src/formats/csv.ts')),
    act(
      bash(`node --input-type=module <<'JS'
import { csv } from './dist/formats/csv.js';
const row = { name: 'parse, large', runs: 20, changePercent: -3.25, note: '=1' };
for (const count of [1, 10, 1_000, 100_000]) {
  const text = csv.render(Array.from({ length: count }, () => row));
  console.log(String(count).padStart(7), 'rows', String(text.length).padStart(9), 'characters', text.split('\\n').length - 2, 'records');
}
JS`),
    ),
    say(
      `About 30 characters a row, so a million rows make a string of 30 MB; a string may have about 500 MB in Node. The sync way carries far beyond what a benchmark produces.

The stream (lib/index.js) uses the same stringifier record by record and would bound memory, but only if the *input* came as a stream too. Ours is one JSON list that is parsed whole, so nothing is gained. And \`render\` would no longer be pure text, against CONTRIBUTING. I would leave it.`,
    ),
  ],
);

/** The end. */
export const closing = turn(
  'Agreed. Write the changelog entry (CHANGELOG.md, new file, version 0.4.0), and run everything from a clean build.',
  [
    act(
      write(
        'CHANGELOG.md',
        `# Changelog

## 0.4.0

- New format \`csv\`: header, quoted where needed, texts that begin like a formula are defused.
- New format \`excel\`: the same for a double click in a European locale (UTF-8 mark, semicolons, decimal comma).
- Wrong use, a missing file and a file that is no list of results end with exit code 2 and one line on stderr.
- \`--help\` says what each format is.
`,
      ),
      edit('package.json', '"version": "0.3.0"', '"version": "0.4.0"'),
      bash('rm -r dist && tsc && vitest run --reporter=verbose'),
    ),
    act(
      bash(
        'for format in csv excel json table; do echo "--- $format"; node dist/main.js data/results.json -f $format; done',
      ),
    ),
    say(
      `Clean build, all tests pass. In 0.4.0: formats \`csv\` and \`excel\`, exit code 2 for wrong use and unreadable input, labels in the help.

Decided on the way: no \`--delimiter\` (a format instead), no stream, formulas are defused, numbers never. Not done: results that got worse do not give exit code 1 yet; you said that comes later.`,
    ),
  ],
);
