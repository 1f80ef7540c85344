import { availableParallelism } from 'node:os';
import { badOption } from '../../simulator/lib/errors.ts';
import { badValue, checkEachOnce, describeNearest, quoted } from '../../simulator/lib/names.ts';
import { splitAtCommas } from '../../simulator/lib/text.ts';
import { parseTypedAmount } from '../../simulator/scenario/file/amounts.ts';
import { CASSETTE_MODES } from '../../simulator/summarizer/cassette.ts';
import { RUN_FORMATS } from '../../simulator/report/run-formats.ts';
import {
  anonymousOption,
  detailsOption,
  flag,
  grouped,
  option,
  repeated,
  reportOptions,
  topOption,
} from '../command.ts';

interface WholeRange {
  readonly least?: number;
  readonly most?: number;
}

type OptionWords = Partial<Record<'summarizer' | 'set' | 'config' | 'seed', string>>;

const MOST_JOBS = 256;
const MOST_REPEATS = 1_000;

export const WITH_TEXT = {
  run: 'keep the texts of this session in its events or page; can be repeated',
  report: 'show the texts of this session, if its run kept them; can be repeated',
} as const;

export const LONGEST_NAME = 200;

/** Seeds beyond this are the same as smaller ones. */
const MAX_SEED = 2 ** 32 - 1;

export const DEFAULT_MODEL = 'anthropic/claude-sonnet-4-5';
export const DEFAULT_POLICY = 'opencode-1.2.16';
/** The summarizer by default: replays ask how long summaries are, and not what they say. */
export const DEFAULT_SUMMARIZER = 'scripted:usual';

export const catalogOption = option(
  '--catalog <file>',
  "models.dev's api.json instead of the shipped catalog",
);
export const MODEL_BY_DEFAULT = `that of '--config', else that of most recordings, else ${DEFAULT_MODEL}`;
export const POLICY_BY_DEFAULT = `newest preset of the agent that recorded most sessions, else ${DEFAULT_POLICY}`;

const modelOption = option(
  '--model <provider/id>',
  `model whose limits and prices apply (default: ${MODEL_BY_DEFAULT})`,
);
export const SESSION_INPUTS =
  'files, folders or patterns (default: sessions of the last 30 days that agents keep on this machine)';
export const chartOption = {
  chart: flag(
    '--chart',
    'draw the size of the context over the steps of each run, below the table',
  ),
};
export const demoOption = flag('--demo', 'take the sessions that come with the program');
export const jobsOption = option('--jobs <number>', 'threads (default: one per core)');

export const adapterOptions = {
  adapter: option(
    '--adapter <command>',
    'your own compaction, a command that answers line by line; see docs/adapter.md',
  ),
  answerTimeout: option(
    '--answer-timeout <seconds>',
    'how long the adapter may take for one answer (default: 60)',
  ),
};

export const DEFAULT_TIMEOUT_SECONDS = 300;
export const DEFAULT_RETRIES = 3;
export const DEFAULT_CONCURRENCY = 4;

export const modelOptions = grouped('Real models:', {
  baseUrl: option(
    '--base-url <url>',
    'address of an OpenAI-compatible server: Ollama, llama.cpp, vLLM, …',
  ),
  apiKeyEnv: option(
    '--api-key-env <name>',
    "environment variable that holds the key (default: the provider's own)",
  ),
  api: option('--api <name>', 'OpenAI API to use: chat or responses'),
  stream: flag('--stream', 'stream the answers'),
  outputCap: option('--output-cap <tokens>', 'longest answer that a model may give'),
  timeout: option(
    '--timeout <seconds>',
    `limit for an answer, retries included (default: ${DEFAULT_TIMEOUT_SECONDS})`,
  ),
  retries: option(
    '--retries <number>',
    `retries after a failed request (default: ${DEFAULT_RETRIES})`,
  ),
  concurrency: option(
    '--concurrency <number>',
    `requests at once (default: ${DEFAULT_CONCURRENCY})`,
  ),
  requestsPerMinute: option('--requests-per-minute <number>', 'most requests per minute'),
  tokensPerMinute: option(
    '--tokens-per-minute <number>',
    'most tokens per minute, input and output cap together',
  ),
  budgetUsd: option('--budget-usd <dollars>', 'stop before the request that could exceed it'),
  dryRun: flag('--dry-run', 'estimate what real models would cost, and call none'),
  cassette: option(
    '--cassette <folder>',
    'record the answers of real models there, and replay them',
  ),
  cassetteMode: option(
    '--cassette-mode <mode>',
    `${CASSETTE_MODES.join(', ')} (default: auto, strict with CI set)`,
  ),
  cassetteRedact: flag(
    '--cassette-redact',
    'record filler of the same size instead of answers, and go on with it',
  ),
});

export function summarizerOption(describe = 'what writes summaries') {
  return option('--summarizer <name>', describe, DEFAULT_SUMMARIZER);
}

export function setOption(describe = 'change a setting; can be repeated') {
  return repeated('--set <key=value>', describe);
}

export function seedOption(describe = 'seed of everything random') {
  return option('--seed <number>', describe, '1');
}

export function settingOptions({
  set,
  config = 'take settings from an OpenCode configuration',
}: OptionWords = {}) {
  return {
    set: setOption(set),
    config: option('--config <opencode.json>', config),
    catalog: catalogOption,
  };
}

export function sourceOptions(words: OptionWords = {}) {
  return {
    ...settingOptions(words),
    closedLoop: flag(
      '--closed-loop',
      'add the steps that an agent takes to read again what it lost',
    ),
  };
}

export function planOptions(words: OptionWords = {}) {
  return {
    model: modelOption,
    summarizer: summarizerOption(words.summarizer),
    ...sourceOptions(words),
    seed: seedOption(words.seed),
  };
}

export function runOptions() {
  return {
    demo: demoOption,
    policy: repeated(
      '--policy <name,...>',
      `presets to compare; recorded is what really happened (default: none, and the ${POLICY_BY_DEFAULT})`,
    ),
    ...planOptions({ summarizer: 'what writes summaries; ai:PROVIDER/MODEL is a real model' }),
    ...adapterOptions,
    ...chartOption,
    ...detailsOption,
    ...reportOptions(RUN_FORMATS),
    ...anonymousOption,
    ...topOption,
    events: option(
      '--events <file>',
      "write the events of every run, for 'report' and 'report serve'",
    ),
    withText: repeated('--with-text <session>', WITH_TEXT.run),
    ...modelOptions,
  };
}

export function parseWhole(
  option: string,
  text: string,
  { least = 1, most = Number.MAX_SAFE_INTEGER }: WholeRange = {},
) {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  const range =
    most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw badValue(option, `a whole number ${range}`, text);
}

export function parseWholeIfGiven(
  option: string,
  text: string | undefined,
  range?: WholeRange,
): number | undefined {
  return text === undefined ? undefined : parseWhole(option, text, range);
}

/** A number of threads, one per core without a text. Throws at anything else. */
export function parseJobs(text: string | undefined): number {
  if (text === undefined) return availableParallelism();
  return parseWhole('--jobs', text, { most: MOST_JOBS });
}

export function parseNames(
  option: string,
  values: readonly string[],
  what: string,
): readonly string[] {
  const names = splitAtCommas(values);
  if (names.includes('')) throw badValue(option, `${what} separated by commas`, values.join(','));
  checkEachOnce(option, names, names);
  return names;
}

export function parseSeed(text: string): number {
  return parseWhole('--seed', text, { least: 0, most: MAX_SEED });
}

export function parseRepeats(option: string, text: string, least: number = 1): number {
  return parseWhole(option, text, { least, most: MOST_REPEATS });
}

/** A number of tokens from the command line: `16000`, `16k` or `1M`. */
export function parseTokens(option: string, text: string): number {
  const tokens = parseTypedAmount(text.trim());
  if (tokens !== undefined && Number.isSafeInteger(tokens)) return tokens;
  throw badValue(option, 'a whole number of tokens, such as 16000, 16k or 1M', text);
}

/** Which sessions texts are kept of. Throws where there is no place for them. */
export function chooseTexts(
  names: readonly string[] = [],
  { isKept }: { isKept: boolean },
): (session: string) => boolean {
  if (names.length > 0 && !isKept) {
    throw badOption(
      "Expected '--with-text' to come with '--events' or '--format html', got neither.",
    );
  }
  const wanted = new Set(names);
  return (session) => wanted.has(session);
}

/** Throws at texts in an anonymous report: they hold names, too. */
export function checkNoTexts(names: readonly string[] = []): void {
  if (names.length === 0) return;
  throw badOption("Expected either '--anonymous' or '--with-text', got both.");
}

export function describeUnnamed(
  names: readonly string[] = [],
  runs: readonly { readonly session: string }[],
): readonly string[] {
  const sessions = [...new Set(runs.map(({ session }) => session))];
  return names
    .filter((name) => !sessions.includes(name))
    .map((name) => {
      const got = `${quoted(name, LONGEST_NAME)}${describeNearest(name, sessions)}`;
      return `Expected '--with-text' to name a session, got ${got}.`;
    });
}
