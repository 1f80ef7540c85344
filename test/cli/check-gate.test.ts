import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
