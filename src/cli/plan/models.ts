import type { Environment } from '../../simulator/env.ts';
import { sum } from '../../simulator/lib/collections.ts';
import { badOption } from '../../simulator/lib/errors.ts';
import { badValue, quoted } from '../../simulator/lib/names.ts';
import { listed } from '../../simulator/lib/text.ts';
import { MS_PER_SECOND, NANO_USD_PER_USD } from '../../simulator/lib/units.ts';
import { shownText } from '../../simulator/report/markup.ts';
import { countOf, formatCount, formatUsd } from '../../simulator/report/numbers.ts';
import { fitProse } from '../../simulator/report/layout.ts';
import type { ApiName } from '../../simulator/summarizer/model/model-name.ts';
import { CASSETTE_MODES } from '../../simulator/summarizer/cassette.ts';
import type { Estimate } from '../../simulator/summarizer/model/model-summarizer.ts';
import type { SummarizerRegistry } from '../../simulator/summarizer/open.ts';
import { makesWait } from '../../simulator/summarizer/summarizers.ts';
import { type CliIo, EXIT, printNote, terminalOf } from '../process/io.ts';
import {
  DEFAULT_CONCURRENCY,
  DEFAULT_RETRIES,
  DEFAULT_TIMEOUT_SECONDS,
  modelOptions,
  parseTokens,
  parseWholeIfGiven,
} from './options.ts';
import { type OptionsOf, longFlagOf } from '../command.ts';

interface SpentMoney {
  spentNanoUsd(): number;
  unansweredNanoUsd?(): number;
  readonly spentOn?: string | undefined;
}

const APIS: readonly ApiName[] = ['chat', 'responses'];
const ESTIMATES = ['likelyNanoUsd', 'mostNanoUsd'] as const;
const LONGEST_TIMEOUT_SECONDS = 86_400;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const DECIMAL = /^(?:\d+\.?\d*|\.\d+)$/;

export type ModelOptions = Partial<OptionsOf<typeof modelOptions>>;

export function parseModelOptions(options: ModelOptions, environment: Environment) {
  const mode = oneOf('--cassette-mode', CASSETTE_MODES, options.cassetteMode);
  if (options.cassetteRedact && options.cassette === undefined)
    throw badOption("Expected '--cassette-redact' to come with '--cassette', got it alone.");
  return {
    baseUrl: parseUrl(options.baseUrl),
    apiKeyEnv: parseVariable(options.apiKeyEnv),
    api: oneOf('--api', APIS, options.api),
    streams: options.stream === true,
    outputCapTokens: someTokens('--output-cap', options.outputCap),
    timeoutMs: MS_PER_SECOND * (parseSeconds(options.timeout) ?? DEFAULT_TIMEOUT_SECONDS),
    retries: parseWholeIfGiven('--retries', options.retries, { least: 0 }) ?? DEFAULT_RETRIES,
    concurrency: parseWholeIfGiven('--concurrency', options.concurrency) ?? DEFAULT_CONCURRENCY,
    requestsPerMinute: parseWholeIfGiven('--requests-per-minute', options.requestsPerMinute),
    tokensPerMinute: someTokens('--tokens-per-minute', options.tokensPerMinute),
    budgetUsd: decimal('--budget-usd', options.budgetUsd),
    isDryRun: options.dryRun === true,
    cassette: options.cassette,
    cassetteMode: mode ?? usualMode(environment),
    needsCassette: mode !== undefined && mode !== 'off',
    ...(options.cassetteRedact && { redactsCassette: true }),
  };
}

/** Prints the costs of a dry run by model. Returns the exit code. Throws if no real model was named. */
export function printEstimates(
  io: CliIo,
  { estimates }: Pick<SummarizerRegistry, 'estimates'>,
  named: string,
): number {
  const found = [...estimates()];
  if (found.length === 0) throw noModel(named);
  const lines = found.map(([name, estimate]) => `${shownText(name)}: ${told(estimate)}`);
  if (found.length > 1) {
    const sums = ESTIMATES.map((key) => toUsd(sum(found.map(([, own]) => own[key] ?? 0))));
    const isWhole = found.every(([, { likelyNanoUsd }]) => likelyNanoUsd !== undefined);
    lines.push(
      `In sum: about ${sums.join(', at most ')}${isWhole ? '' : ', and what is unknown'}.`,
    );
  }
  const text = ['Dry run: no model was asked.', ...lines].join('\n');
  io.stdout.write(`${fitProse(text, terminalOf(io))}\n`);
  return EXIT.done;
}

export function noModel(named: string) {
  return badOption(
    `Expected '--dry-run' with a real model, such as 'ai:openai/gpt-5-mini', got ${quoted(named)}.`,
  );
}

export async function reachModels(
  registry: Pick<SummarizerRegistry, 'reach'> & SpentMoney,
  names: Iterable<string>,
  io: CliIo,
): Promise<void> {
  try {
    await registry.reach(names, io.signal);
  } catch (error) {
    printSpent(io, registry);
    throw error;
  }
}

export async function withSpent<Result>(
  money: SpentMoney | undefined,
  io: CliIo,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act();
  } finally {
    if (money !== undefined) printSpent(io, money);
  }
}

export function describeUnasked(
  options: ModelOptions,
  answerers: readonly string[],
): readonly string[] {
  // Without a real model a dry run is an error.
  const values = new Map(Object.entries({ ...options, dryRun: undefined }));
  const names = Object.entries(modelOptions)
    .filter(([name]) => values.get(name) !== undefined)
    .map(([, spec]) => quoted(longFlagOf(spec)));
  if (names.length === 0 || answerers.some(makesWait)) return [];
  const verb = names.length === 1 ? 'changes' : 'change';
  return [`${listed(names, 'and')} ${verb} nothing: no real model is asked.`];
}

function oneOf<Name extends string>(
  option: string,
  names: readonly Name[],
  text: string | undefined,
) {
  const found = names.find((name) => name === text);
  if (text === undefined || found !== undefined) return found;
  throw badValue(option, `one of ${names.join(', ')}`, text);
}

/** An address with a password cannot be asked, and the client's error would repeat it. */
function parseUrl(text: string | undefined) {
  if (text === undefined) return undefined;
  if (/^https?:\/\//.test(text) && URL.canParse(text)) {
    const { username, password } = new URL(text);
    if (`${username}${password}` === '') return text;
    throw badOption(
      "Expected '--base-url' without a user and a password; '--api-key-env' names the variable that holds a key.",
    );
  }
  const shown = text.replace(/^.*@/s, '…@');
  throw badValue('--base-url', 'an address that begins with http:// or https://', shown);
}

function parseVariable(text: string | undefined) {
  if (text === undefined || VARIABLE.test(text)) return text;
  throw badOption("Expected '--api-key-env' to be the name of an environment variable, not a key.");
}

function someTokens(option: string, text: string | undefined) {
  const tokens = text === undefined ? undefined : parseTokens(option, text);
  if (text !== undefined && tokens === 0) throw badValue(option, 'at least one token', text);
  return tokens;
}

function parseSeconds(text: string | undefined) {
  const seconds = decimal('--timeout', text);
  if (seconds === undefined || (seconds > 0 && seconds <= LONGEST_TIMEOUT_SECONDS)) return seconds;
  throw badValue('--timeout', `seconds above 0 and at most ${LONGEST_TIMEOUT_SECONDS}`, text ?? '');
}

function decimal(option: string, text: string | undefined) {
  if (text !== undefined && !DECIMAL.test(text))
    throw badValue(option, 'a number of at least 0', text);
  return text === undefined ? undefined : Number(text);
}

/** A CI never asks a real model by accident. */
function usualMode({ CI }: Environment) {
  return CI === undefined || /^(?:|0|false)$/i.test(CI) ? 'auto' : 'strict';
}

function told({ requests, inputTokens, outputTokens, likelyNanoUsd, mostNanoUsd }: Estimate) {
  const size = `${countOf(requests, 'request')}, ${formatCount(inputTokens)} tokens in, about ${formatCount(outputTokens)} out`;
  if (likelyNanoUsd === undefined) return `${size}; its price is unknown.`;
  return `${size}: about ${toUsd(likelyNanoUsd)}, at most ${toUsd(mostNanoUsd)}.`;
}

function toUsd(nanoUsd: number | undefined) {
  return formatUsd(nanoUsd === undefined ? null : nanoUsd / NANO_USD_PER_USD);
}

function printSpent(io: CliIo, money: SpentMoney) {
  const spent = money.spentNanoUsd();
  const unanswered = money.unansweredNanoUsd?.() ?? 0;
  if (spent + unanswered === 0) return;
  const more =
    unanswered === 0
      ? ''
      : `, and up to ${toUsd(unanswered)} for requests that were never answered`;
  printNote(io, `Spent on ${money.spentOn ?? 'summaries'}: ${toUsd(spent)}${more}.`);
}
