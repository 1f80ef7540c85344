import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/process/io.ts';
import { AnswerSchema, type AnswerVerdict } from '../../src/simulator/report/answer-schema.ts';
import type { ArmVerdict } from '../../src/simulator/report/verdict.ts';
import { callMain } from '../support/command.ts';
import { homes } from '../support/homes.ts';
import { createFolder } from '../support/session-files.ts';

const CACHE = createFolder();

/** Where the sessions of each agent lie in a home. */
const FILES: Readonly<Record<string, string>> = {
  'Claude Code': '.claude/projects',
  Codex: '.codex/sessions',
  OpenCode: '.local/share/opencode/opencode.db',
};

/** What a command says of an arm beside today's, in the same words for all. */
interface Said {
  readonly spent: { readonly from: number | null; readonly to: number | null };
  readonly losses: { readonly from: number | null; readonly to: number | null } | null;
  readonly state: string;
  readonly sessions: number;
  readonly needed: number | null;
}

const run = async (home: string, ...argv: readonly string[]) => {
  const ended = await callMain(argv, { env: { HOME: home, COMPACTION_BENCH_CACHE: CACHE } });
  expect(ended).toMatchObject({ code: EXIT.done });
  return ended.stdout;
};

const json = async (home: string, ...argv: readonly string[]) =>
  JSON.parse(await run(home, ...argv, '--quiet', '--format', 'json'));
/** Amounts, counts, changes and per cents, as they are printed. */
const FIGURES = /\$\d[\d,]*(?:\.\d+)?|\d{1,3}(?:,\d{3})+|[+−]\d+(?:\.\d+)? %|\d+ → \d+/g;
const armOf = ({ policy, setting, value }: AnswerVerdict) => `${policy} ${setting}=${value}`;

const saidInVerdict = ({
  costUsd,
  tokens,
  losses,
  state,
  sessions,
  ...one
}: Omit<ArmVerdict, 'baseline'>): Said => {
  const { from, to } = tokens ?? costUsd;
  return { spent: { from, to }, losses, state, sessions, needed: one.sessionsNeeded ?? null };
};

describe.each(Object.entries(homes).filter(([name]) => name !== 'no sessions'))(
  'the sessions of %s',
  (_, makeHome) => {
    const home = makeHome();
    const answer = json(home).then((document) => AnswerSchema.parse(document));

    it('cost and lose the same in the answer, run and compare, with one verdict', async () => {
      const { verdict, found } = await answer;
      expect(verdict.length).toBeGreaterThan(0);
      for (const { agent } of found) {
        const own = verdict.filter((one) => one.agent === agent && one.isRead);
        const [first] = own;
        const files = join(home, FILES[agent] ?? '');
        const arms = [first?.policy ?? '', ...own.map(armOf)];
        const told: ArmVerdict[] = (await json(home, 'run', files, '--policy', arms.join(',')))
          .verdict;
        expect(told.map(saidInVerdict)).toEqual(own.map(saidInVerdict));
        const arm = armOf(own.find(({ differing }) => differing > 0) ?? own[0]!);
        const compared: ArmVerdict[] = (
          await json(home, 'compare', first?.policy ?? '', arm, files)
        ).verdict;
        expect(compared.map(saidInVerdict)).toEqual(
          own.filter((one) => armOf(one) === arm).map(saidInVerdict),
        );
      }
    });

    it('are tuned over the arms of the answer, at the same cost', async () => {
      const { verdict, found } = await answer;
      for (const { agent } of found) {
        const files = join(home, FILES[agent] ?? '');
        const tuned = await json(home, 'tune', files);
        const own = verdict.filter((one) => one.agent === agent && one.differing > 0);
        for (const { setting, value } of own) {
          const points = [...tuned.cells.feasible, ...tuned.cells.infeasible];
          const values = points.map(({ settings }) => settings[setting]);
          expect([setting, value, values.includes(value)]).toEqual([setting, value, true]);
        }
        const told = [tuned.verdict, ...tuned.others];
        for (const one of own) {
          const change = `${one.setting},${one.value}`;
          const same = told.find(({ change: its }) => Object.entries(its).join(';') === change);
          expect(saidInVerdict(same)).toEqual(saidInVerdict(one));
        }
      }
    });

    it('stand on pages as on screens', async () => {
      const { verdict, found } = await answer;
      const commands = found.flatMap(({ agent }) => {
        const own = verdict.filter((one) => one.agent === agent && one.differing > 0);
        const files = join(home, FILES[agent] ?? '');
        const [base = '', arm = ''] = [own[0]?.policy, own[0] && armOf(own[0])];
        return [
          ['run', files, '--policy', `${base},${arm}`],
          ['compare', base, arm, files],
          ['tune', files],
        ];
      });
      for (const argv of [['answer'], ...commands]) {
        const out = join(createFolder(), 'page.html');
        const printed = await run(home, ...argv, '--out', out);
        const page = readFileSync(out, 'utf8');
        const figures = [...printed.matchAll(FIGURES)].map(([figure]) => figure);
        expect(figures.length).toBeGreaterThan(0);
        expect(figures.filter((figure) => !page.includes(figure))).toEqual([]);
      }
    });

    it('are explained as they are run', async () => {
      const { verdict, found } = await answer;
      for (const { agent } of found) {
        const one = verdict.find((row) => row.agent === agent && row.isRead && row.differing > 0);
        if (one === undefined) continue;
        const files = join(home, FILES[agent] ?? '');
        const { runs } = await json(home, 'run', files, '--policy', armOf(one));
        for (const { session, policy, state, metrics } of runs) {
          if (policy !== armOf(one)) continue;
          const told = await json(home, 'explain', session, '--policy', armOf(one));
          const happened: string[] = told.steps.flatMap(
            (step: { happened: string[] }) => step.happened,
          );
          const compactions = happened.filter((words) => words.startsWith('compaction'));
          expect([told.end.state, told.end.finalContextTokens, compactions.length]).toEqual([
            state,
            metrics.finalContextTokens,
            metrics.compactions,
          ]);
        }
      }
    });
  },
);

it('is tuned for the agent of most sessions alone, where there are two', async () => {
  const home = homes['two agents']?.() ?? '';
  const [all, own] = [
    await json(home, 'tune'),
    await json(home, 'tune', join(home, FILES['Claude Code'] ?? '')),
  ];
  expect([all.policy, all.verdict, all.others]).toEqual([own.policy, own.verdict, own.others]);
});
