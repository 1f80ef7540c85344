import { type Limits, policies } from '../../src/engine/index.ts';
import {
  compileSession,
  findSummarizer,
  foldRun,
  loadTokenizer,
  readSessions,
  runTrace,
  type Trace,
} from '../../src/simulator/index.ts';
import { createProfile } from '../../src/simulator/provider/model-profile.ts';
import { alignRows } from '../../src/simulator/report/prose.ts';

/** What a recorded file holds, and what it lets a policy do. */
export interface Figures {
  readonly name: string;
  readonly bytes: number;
  readonly turns: number;
  readonly steps: number;
  readonly contextTokens: number;
  /** Pivots and prunes in each of the windows. */
  readonly fired: readonly string[];
}

const TOKENIZER = 'o200k_base';
const POLICY = policies['opencode-1.2.16'];
const WINDOWS: readonly Limits[] = [
  { contextTokens: 64_000, outputTokens: 8_000 },
  { contextTokens: 96_000, outputTokens: 8_000 },
  { contextTokens: 128_000, outputTokens: 8_000 },
  { contextTokens: 128_000, outputTokens: 32_000 },
  { contextTokens: 200_000, outputTokens: 32_000 },
];
const THOUSAND = 1_000;
const SEED = 1;

/** Replays a recorded file in several windows, with the engine that the package ships. */
export async function measureFile(name: string, text: string): Promise<Figures> {
  const trace = await compileFile(name, text);
  const { turns, steps, finalContextTokens } = foldRun(events(trace, { contextTokens: 0 }));
  return {
    name,
    bytes: Buffer.byteLength(text),
    turns,
    steps,
    contextTokens: finalContextTokens,
    fired: WINDOWS.map((limits) => renderFired(trace, limits)),
  };
}

/** The figures of all files as a table; `2p 1c` is two pivots and one clearing prune. */
export function renderFigures(all: readonly Figures[]): string {
  const windows = WINDOWS.map(renderWindow);
  const head = ['session', 'turns', 'steps', 'context', 'bytes', ...windows];
  const rows = all.map(({ name, turns, steps, contextTokens, bytes, fired }) =>
    [name, turns, steps, contextTokens, bytes, ...fired].map(String),
  );
  return alignRows([head, ...rows]);
}

async function compileFile(name: string, text: string): Promise<Trace> {
  const tokenizer = await loadTokenizer(TOKENIZER);
  const [session] = readSessions(name, text);
  if (session === undefined) throw new Error(`'${name}' holds no session.`);
  const count = (content: string) => tokenizer.count(content);
  return compileSession(session, { tokenizer: TOKENIZER, tokenizerEvidence: 'measured', count });
}

function renderFired(trace: Trace, limits: Limits): string {
  const { compactions, prunes } = foldRun(events(trace, limits));
  return `${compactions}p ${prunes}c`;
}

function renderWindow({ contextTokens, outputTokens = 0 }: Limits): string {
  return `${contextTokens / THOUSAND}k/${outputTokens / THOUSAND}k`;
}

function events(trace: Trace, limits: Limits) {
  return runTrace(trace, {
    policy: limits.contextTokens === 0 ? policies.none : POLICY,
    model: createProfile('recorded/window', limits),
    summarizer: findSummarizer('extractive'),
    seed: SEED,
  });
}
