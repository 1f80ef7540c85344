import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { familiesOfScenarios } from '../../src/cli/check-gate.ts';
import { EXIT } from '../../src/cli/process/io.ts';
import { sampleText } from '../simulator/scenario/file/sample-scenario.ts';
import { prompt, say, step, transcript } from '../simulator/session/formats/claude-code-lines.ts';
import { callMain, createCommand } from '../support/command.ts';
import { createFolder, writeFile } from '../support/session-files.ts';

describe('families', () => {
  const check = createCommand('check');
  const folder = createFolder();
  const baseline = join(folder, 'baseline');
  const scenarios = join(folder, 'scenarios');
  const SHARDS = 3;
  const COUNTS_ONCE = 'scenarios that replay sessions of one family count once';

  /** A scenario of a session of its own that begins as others of that beginning do. */
  function record(name: string, beginning: string): string {
    const lines = [prompt(`The ${beginning} rings.`), step(beginning, say('Found it.'))];
    const ending = [prompt(`Mend it, ${name}.`), step(name, say('Done.'))];
    writeFile(
      folder,
      `sessions/${name}.jsonl`,
      transcript(...lines, ...ending).replaceAll('"kettle"', JSON.stringify(name)),
    );
    return scenarioOf(name, `sessions/${name}.jsonl`);
  }

  const scenarioOf = (name: string, session: string) =>
    writeFile(
      folder,
      `scenarios/${name}.yaml`,
      sampleText({ session: JSON.stringify({ file: join(folder, session) }) }),
    );

  /** As if some scenarios had once needed less. */
  function lower(names: readonly string[]): void {
    for (const name of names) {
      const file = join(baseline, `${name}.json`);
      const stored = JSON.parse(readFileSync(file, 'utf8'));
      const [run] = stored.runs;
      run.metrics.inputTokens -= 10;
      run.digest = 'another';
      writeFileSync(file, JSON.stringify(stored));
    }
  }

  const configOf = (gate: string) =>
    writeFile(folder, 'gates.yaml', `{ events: ignored, gates: [{ ${gate} }] }`);
  const NONINFERIOR = 'type: noninferior, metric: inputTokens, margin: 1';

  let files: Record<string, string> = {};
  beforeAll(async () => {
    files = {
      alone: record('alone', 'larder'),
      copy: scenarioOf('copy', 'sessions/fork.jsonl'),
      fork: record('fork', 'kitchen'),
      resumed: record('resumed', 'kitchen'),
      scripted: writeFile(folder, 'scenarios/scripted.yaml', sampleText({})),
      likewise: writeFile(folder, 'scenarios/likewise.yaml', sampleText({})),
    };
    await check([scenarios, '--baseline', baseline, '--bless', '--reason', 'it is new']);
    lower(['fork', 'copy', 'resumed']);
  });

  describe('check on forks', () => {
    it('knows scenarios that replay one session or forks, and takes no script for one', () => {
      const broken = writeFile(folder, 'broken.yaml', 'why: nothing');
      const lost = writeFile(folder, 'lost.yaml', sampleText({ session: '{ file: none.jsonl }' }));
      const families = familiesOfScenarios([...Object.values(files), broken, lost]);
      expect([...families].toSorted(([a], [b]) => a.localeCompare(b))).toEqual([
        ['copy', 'copy'],
        ['fork', 'copy'],
        ['resumed', 'copy'],
      ]);
    });

    it('says that they count once where a gate draws on runs, and not where it adds them up', async () => {
      const against = ['--baseline', baseline, '--config'];
      const drawn = await check([scenarios, ...against, configOf(NONINFERIOR), '--details']);
      expect(drawn.code).toBe(EXIT.failed);
      expect(drawn.stdout).toContain(COUNTS_ONCE);
      const added = await check([
        scenarios,
        ...against,
        configOf('type: max, metric: inputTokens, limit: 1'),
      ]);
      expect(added.stdout).toContain('gate max on inputTokens');
      expect(added.stdout).not.toContain(COUNTS_ONCE);
    });

    it('says the same of shards, which name the families of scenarios that others check', async () => {
      const argv = [scenarios, '--baseline', baseline, '--config', configOf(NONINFERIOR)];
      const whole = await check([...argv, '--format', 'json']);
      const parts = Array.from({ length: SHARDS }, (_, index) =>
        join(folder, `part-${index + 1}.json`),
      );
      for (const [index, out] of parts.entries()) {
        await check([
          ...argv,
          '--shard',
          `${index + 1}/${SHARDS}`,
          '--format',
          'json',
          '--out',
          out,
        ]);
      }
      const texts = parts.map((part) => readFileSync(part, 'utf8'));
      expect(texts.filter((text) => text.includes('"family": "copy"')).length).toBeGreaterThan(1);
      const merged = await callMain(['check', 'merge', ...parts, '--format', 'json']);
      expect(merged.stdout).toBe(whole.stdout);
      expect(merged.stdout).toContain(COUNTS_ONCE);
    });

    it('keeps nothing of families in the baseline', () => {
      const texts = readdirSync(baseline).map((name) => readFileSync(join(baseline, name), 'utf8'));
      expect(texts.join('')).not.toContain('family');
    });
  });
});

describe('gate', () => {
  const COMPACTED = {
    session:
      '{ overhead: 2k, script: [user: 50, { repeat: 9, of: [step: { text: 50, tools: [read 2k] }] }] }',
    model: '{ id: local/test, contextTokens: 20k, outputTokens: 4k }',
    summarizer: 'scripted:tokens=100',
  } as const;

  const check = createCommand('check');

  const original = createFolder();
  const inFolder = (folder: string) => {
    const scenario = join(folder, 'scenarios/one.yaml');
    const baseline = join(folder, 'baseline');
    return { folder, scenario, baseline, argv: [scenario, '--baseline', baseline] };
  };
  const bless = (argv: readonly string[]) => check([...argv, '--bless', '--reason', 'it is new']);

  beforeAll(async () => {
    writeFile(original, 'scenarios/one.yaml', sampleText(COMPACTED));
    await bless(inFolder(original).argv);
  });

  /** A folder with a scenario and the baseline of it. */
  function blessed() {
    const folder = createFolder();
    cpSync(original, folder, { recursive: true });
    return inFolder(folder);
  }

  describe('check with a baseline', () => {
    it('is content with what was blessed, and writes the same bytes again', async () => {
      const { argv, baseline } = blessed();
      const first = readFileSync(join(baseline, 'one.json'), 'utf8');
      const again = await check(argv);
      expect(await bless(argv)).toMatchObject({ code: EXIT.done });
      expect(again).toMatchObject({ code: EXIT.done });
      expect(again.stdout).toContain('1 passed; no difference from the baseline.');
      expect(await bless([...argv, '--quiet'])).toMatchObject({ code: EXIT.done, stderr: '' });
      expect(readFileSync(join(baseline, 'one.json'), 'utf8')).toBe(first);
      expect(readdirSync(baseline).toSorted()).toEqual(['baseline.json', 'one.json']);
    });

    it('tells in context which event differs', async () => {
      const { argv, baseline } = blessed();
      const file = join(baseline, 'one.json');
      const record = JSON.parse(readFileSync(file, 'utf8'));
      const at = record.runs[0].log.findIndex((line: string) => line.includes('overflow'));
      record.runs[0].log[at] = record.runs[0].log[at].replace(/believed [\d,]+/, 'believed 1');
      record.runs[0].digest = 'another';
      writeFileSync(file, JSON.stringify(record));
      const { code, stdout } = await check([...argv, '--details']);
      expect(code).toBe(EXIT.failed);
      expect(stdout).toMatch(
        /✗ one: main: step \d+: overflow rule v[\d.]+: overflow .*, believed \d{2,}/,
      );
      expect(stdout).toMatch(/^ {4}- overflow .*, believed 1 of/m);
    });

    it('ends with 3 where there is no baseline, and says how to write one', async () => {
      const { scenario, folder } = blessed();
      const { code, stdout } = await check([scenario, '--baseline', join(folder, 'none')]);
      expect(code).toBe(EXIT.inconclusive);
      expect(stdout).toMatch(/'--bless --reason TEXT' writes\s+one/);
    });

    it('blesses no part of a baseline that rests on something else', async () => {
      const { argv, baseline, folder } = blessed();
      const header = join(baseline, 'baseline.json');
      writeFileSync(
        header,
        readFileSync(header, 'utf8').replace(/"catalog": "\w+"/, '"catalog": "x"'),
      );
      const { code, stderr } = await bless([...argv, '--only', 'one']);
      expect(code).toBe(EXIT.wrongUse);
      expect(stderr).toMatch(
        /all scenarios to be blessed at once\. The baseline has a different catalog/,
      );
      const [, ...options] = argv;
      const whole = [join(folder, 'scenarios'), ...options];
      expect(await bless(whole)).toMatchObject({ code: EXIT.done });
    });

    it('ends with 3 where the baseline has another schema, and says nothing else of it', async () => {
      const { argv, baseline } = blessed();
      writeFileSync(join(baseline, 'baseline.json'), '{ "schemaVersion": 1 }');
      const { code, stdout } = await check(argv);
      expect(code).toBe(EXIT.inconclusive);
      expect(stdout.match(/^\?.*/gm)).toEqual([
        '? The baseline has a different schema version: 1, now 2.',
      ]);
    });

    it('ends with 3 where two files hold one scenario, and names both', async () => {
      const { argv, baseline } = blessed();
      cpSync(join(baseline, 'one.json'), join(baseline, 'one copy.json'));
      const { code, stdout } = await check(argv);
      expect(code).toBe(EXIT.inconclusive);
      expect(stdout).toContain(
        "? The baseline has scenario 'one' twice: in 'one copy.json' and in",
      );
    });

    it('does not write a baseline of what does not hold', async () => {
      const { folder } = blessed();
      const bad = writeFile(
        folder,
        'bad.yaml',
        sampleText({ expect: '{ metrics: { steps: 99 } }' }),
      );
      const baseline = join(folder, 'other');
      const { code, stderr } = await check([
        bad,
        '--baseline',
        baseline,
        '--bless',
        '--reason',
        'no',
      ]);
      expect(code).toBe(EXIT.failed);
      expect(stderr).toContain('No baseline was written');
      expect(readdirSync(folder)).not.toContain('other');
    });

    it('takes gates from a configuration', async () => {
      const { argv, folder } = blessed();
      const gates = { gates: [{ type: 'max', metric: 'compactions', limit: 0 }] };
      const config = writeFile(folder, 'bench.json', JSON.stringify(gates));
      const { code, stdout } = await check([...argv, '--config', config]);
      expect(code).toBe(EXIT.failed);
      expect(stdout).toMatch(/✗ all runs: gate max on compactions: expected at most 0, got \d/);
    });

    it('holds the gates of a scenario that is called like the prototype', async () => {
      const { folder } = blessed();
      const scenario = writeFile(folder, 'odd/__proto__.yaml', sampleText(COMPACTED));
      const argv = [scenario, '--baseline', join(folder, 'odd/baseline')];
      await bless(argv);
      const gate = { type: 'max', metric: 'compactions', limit: 0 };
      const cases = `{ "cases": { "__proto__": [${JSON.stringify(gate)}] } }`;
      const config = writeFile(folder, 'odd/bench.json', cases);
      const { code, stdout } = await check([...argv, '--config', config]);
      expect(code).toBe(EXIT.failed);
      expect(stdout).toContain('✗ __proto__: main: gate max on compactions: expected at most 0');
    });

    it('takes a configuration in TypeScript', async () => {
      const { argv, folder } = blessed();
      const config = writeFile(
        folder,
        'compaction-bench.config.ts',
        "const limit: number = 0;\nexport default { gates: [{ type: 'max', metric: 'compactions', limit }] };\n",
      );
      expect((await check([...argv, '--config', config])).code).toBe(EXIT.failed);
      const gates = "[{ type: 'exact', metric: 'step' }]";
      const wrong = writeFile(folder, 'wrong.mjs', `export default { gates: ${gates} };\n`);
      expect((await check([...argv, '--config', wrong])).stderr).toMatch(
        /wrong\.mjs' to be a configuration: Unknown metric 'step'/,
      );
    });
  });

  describe('check of a part', () => {
    it('estimates what a tier with real models would cost, and holds nothing against anything', async () => {
      const folder = createFolder();
      const file = writeFile(
        folder,
        'live.yaml',
        sampleText({ ...COMPACTED, summarizer: '"ai:openai/gpt-4o"' }),
      );
      const argv = [file, '--tier', 'live', '--dry-run', '--baseline', join(folder, 'absent')];
      const { code, stdout } = await check(argv, { env: { OPENAI_API_KEY: 'a-key' } });
      expect(code).toBe(EXIT.done);
      expect(stdout).toMatch(/^Dry run: no model was asked\.\nai:openai\/gpt-4o: \d+ requests?, /);
    });

    it('is content with a shard that has none', async () => {
      const folder = createFolder();
      writeFile(folder, 'one.yaml', sampleText());
      const codes = [];
      for (const index of [1, 2, 3])
        codes.push((await check([folder, '--shard', `${index}/3`])).code);
      expect(codes).toEqual([EXIT.done, EXIT.done, EXIT.done]);
    });

    it('takes files that are named one by one for a part, folders and patterns for all', async () => {
      const { folder, argv, baseline } = blessed();
      const [, ...options] = argv;
      const all = [join(folder, 'scenarios'), ...options];
      const two = writeFile(folder, 'scenarios/two.yaml', sampleText(COMPACTED));
      await bless(all);
      expect(await check(argv)).toMatchObject({ code: EXIT.done });
      expect(await bless(argv)).toMatchObject({ code: EXIT.done });
      expect(readdirSync(baseline)).toContain('two.json');
      expect(await check(all)).toMatchObject({ code: EXIT.done });
      rmSync(two);
      for (const whole of [all, [join(folder, 'scenarios/*.yaml'), ...options]]) {
        const { code, stdout } = await check(whole);
        expect(code).toBe(EXIT.inconclusive);
        expect(stdout).toContain("? Scenario 'two' of the baseline was not checked.");
      }
    });

    it('counts what differs from the baseline as a failure', async () => {
      const { folder, argv, baseline } = blessed();
      const [scenario, ...options] = argv;
      for (const name of ['three', 'two']) {
        cpSync(String(scenario), join(folder, `scenarios/${name}.yaml`));
      }
      const all = [join(folder, 'scenarios'), ...options];
      await bless(all);
      for (const name of ['one', 'three']) {
        const file = join(baseline, `${name}.json`);
        const text = readFileSync(file, 'utf8').replace(/"digest": "\w+"/, '"digest": "another"');
        writeFileSync(file, text);
      }
      const counts = ['1', '2', '3'].map(async (most) => {
        const { stdout } = await check([...all, '--max-failures', most]);
        return /^\d+ scenarios?/m.exec(stdout)?.[0];
      });
      expect(await Promise.all(counts)).toEqual(['1 scenario', '2 scenarios', '3 scenarios']);
    });

    it('stops after as many failures as were named', async () => {
      const folder = createFolder();
      for (const name of ['a', 'b', 'c']) {
        writeFile(folder, `${name}.yaml`, sampleText({ expect: '{ metrics: { steps: 99 } }' }));
      }
      const { stdout } = await check([folder, '--max-failures', '2']);
      expect(stdout).toContain('2 scenarios, 2 runs: 0 passed, 2 failed.');
    });
  });
});
