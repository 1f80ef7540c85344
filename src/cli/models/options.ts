import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { Environment } from '../../simulator/environment.ts';
import { badValue } from '../../simulator/bad-value.ts';
import { badOption } from '../../simulator/errors.ts';
import type { ApiName } from '../../simulator/summarizer/ai-sdk.ts';
import { CASSETTE_MODES, type CassetteMode } from '../../simulator/summarizer/cassette/cassette.ts';
import type { ModelSettings } from '../../simulator/summarizer/open.ts';
import { MS_PER_SECOND } from '../../simulator/units.ts';
import { parseTokens } from '../options/parse-tokens.ts';
import { parseWholeIfGiven } from '../options/parse-whole.ts';

/** How real models are asked, as text from the command line. */
export interface ModelOptions {
  readonly baseUrl?: string | undefined;
  readonly apiKeyEnv?: string | undefined;
  readonly api?: string | undefined;
  readonly stream?: true | undefined;
  readonly outputCap?: string | undefined;
  readonly timeout?: string | undefined;
  readonly retries?: string | undefined;
  readonly concurrency?: string | undefined;
  readonly requestsPerMinute?: string | undefined;
  readonly tokensPerMinute?: string | undefined;
  readonly budgetUsd?: string | undefined;
  readonly dryRun?: true | undefined;
  readonly cassette?: string | undefined;
  readonly cassetteMode?: string | undefined;
}

/** The heading of options that have none of their own. */
const USUAL_OPTIONS = 'Options:';
const APIS: readonly ApiName[] = ['chat', 'responses'];
const DEFAULT_TIMEOUT_SECONDS = 300;
const DEFAULT_RETRIES = 3;
const DEFAULT_CONCURRENCY = 4;
const LONGEST_TIMEOUT_SECONDS = 86_400;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const DECIMAL = /^(?:\d+\.?\d*|\.\d+)$/;
const BEFORE_HOST = /^.*@/s;

/** Gives a command the options of real models. Its type is written out, for the one that is inferred has no end. */
export function addModelOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
): Command<Args, Options & ModelOptions> {
  const extended: Command<Args> = command;
  extended
    .optionsGroup('Real models:')
    .option(
      '--base-url <url>',
      'address of an OpenAI-compatible server: Ollama, llama.cpp, vLLM, …',
    )
    .option(
      '--api-key-env <name>',
      "environment variable that holds the key (default: the provider's own)",
    )
    .option('--api <name>', 'OpenAI API to use: chat or responses')
    .option('--stream', 'stream the answers')
    .option('--output-cap <tokens>', 'longest answer that a model may give')
    .option(
      '--timeout <seconds>',
      `limit for an answer, retries included (default: ${DEFAULT_TIMEOUT_SECONDS})`,
    )
    .option('--retries <number>', `retries after a failed request (default: ${DEFAULT_RETRIES})`)
    .option(
      '--concurrency <number>',
      `requests at once; with a queue, per worker (default: ${DEFAULT_CONCURRENCY})`,
    )
    .option('--requests-per-minute <number>', 'most requests per minute')
    .option('--tokens-per-minute <number>', 'most tokens per minute, input and output cap together')
    .option('--budget-usd <dollars>', 'stop before the request that could exceed it')
    .option('--dry-run', 'estimate what real models would cost, and call none')
    .option('--cassette <folder>', 'record the answers of real models there, and replay them')
    .option(
      '--cassette-mode <mode>',
      `${CASSETTE_MODES.join(', ')} (default: auto, strict with CI set)`,
    )
    .optionsGroup(USUAL_OPTIONS);
  return command;
}

/** The options as settings; `environment` tells whether a CI runs this. */
export function parseModelOptions(options: ModelOptions, environment: Environment): ModelSettings {
  const mode = oneOf('--cassette-mode', CASSETTE_MODES, options.cassetteMode);
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
  };
}

/** A CI never asks a real model by accident. */
function usualMode({ CI }: Environment): CassetteMode {
  return CI === undefined || /^(?:|0|false)$/i.test(CI) ? 'auto' : 'strict';
}

/** Whoever gives the key itself does not find it again in the message. */
function parseVariable(text: string | undefined): string | undefined {
  if (text === undefined || VARIABLE.test(text)) return text;
  throw badOption("Expected '--api-key-env' to be the name of an environment variable, not a key.");
}

/** What a client says of an address that has a password repeats it, and none can be asked there. */
function parseUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/^https?:\/\//.test(text) && URL.canParse(text)) {
    const { username, password } = new URL(text);
    if (`${username}${password}` === '') return text;
    throw badOption(
      "Expected '--base-url' without a user and a password; '--api-key-env' names the variable that holds a key.",
    );
  }
  const shown = text.replace(BEFORE_HOST, '…@');
  throw badValue('--base-url', 'an address that begins with http:// or https://', shown);
}

function someTokens(option: string, text: string | undefined): number | undefined {
  const tokens = text === undefined ? undefined : parseTokens(option, text);
  if (text !== undefined && tokens === 0) throw badValue(option, 'at least one token', text);
  return tokens;
}

function parseSeconds(text: string | undefined): number | undefined {
  const seconds = decimal('--timeout', text);
  if (seconds === undefined || (seconds > 0 && seconds <= LONGEST_TIMEOUT_SECONDS)) return seconds;
  throw badValue('--timeout', `seconds above 0 and at most ${LONGEST_TIMEOUT_SECONDS}`, text ?? '');
}

function decimal(option: string, text: string | undefined): number | undefined {
  if (text === undefined || DECIMAL.test(text))
    return text === undefined ? undefined : Number(text);
  throw badValue(option, 'a number of at least 0', text);
}

function oneOf<Name extends string>(
  option: string,
  names: readonly Name[],
  text: string | undefined,
): Name | undefined {
  const found = names.find((name) => name === text);
  if (text === undefined || found !== undefined) return found;
  throw badValue(option, `one of ${names.join(', ')}`, text);
}
