import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { RunMode } from '../../simulator/events.ts';
import { collect } from './collect.ts';

/** Where settings and models come from, and which loop is run, as text from the command line. */
export interface SourceOptions {
  /** `KEY=VALUE` each. */
  readonly set?: readonly string[] | undefined;
  readonly config?: string | undefined;
  readonly catalog?: string | undefined;
  readonly closedLoop?: true | undefined;
}

/** What the runs of one model are made of, as text from the command line. */
export interface SetupOptions extends SourceOptions {
  readonly model: string;
  readonly summarizer: string;
  readonly seed: string;
}

/** What an option means to a command, where that is something of its own. */
export interface OptionWords {
  readonly summarizer?: string;
  readonly set?: string;
  readonly config?: string;
  readonly seed?: string;
}

/** The model whose limits hold where nobody names one. */
export const DEFAULT_MODEL = 'anthropic/claude-sonnet-4-5';
/** The policy that one command runs where nobody names one. */
export const DEFAULT_POLICY = 'opencode-1.2.16';
/** What answers a summary request where nobody says. */
export const DEFAULT_SUMMARIZER = 'extractive';

const DEFAULT_SEED = '1';
const USUAL: Required<OptionWords> = {
  summarizer: 'what writes summaries',
  set: 'change a setting; can be repeated',
  config: 'take settings from an OpenCode configuration',
  seed: 'seed of everything random',
};

/** Which loop is run. */
export function readMode({
  closedLoop = false,
}: {
  readonly closedLoop?: boolean | undefined;
}): RunMode {
  return closedLoop ? 'closed-loop' : 'open-loop';
}

/** Gives a command the options of runs against one model. Its type is written out, for the one that is inferred has no end. */
export function addPlanOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  words: OptionWords = {},
): Command<Args, Options & SetupOptions> {
  const extended: Command<Args> = command;
  extended
    .option('--model <provider/id>', 'model whose limits and prices apply', DEFAULT_MODEL)
    .option('--summarizer <name>', words.summarizer ?? USUAL.summarizer, DEFAULT_SUMMARIZER);
  addSourceOptions(extended, words).option(
    '--seed <number>',
    words.seed ?? USUAL.seed,
    DEFAULT_SEED,
  );
  return command as Command<Args, Options & SetupOptions>;
}

/** The options of these that are the same where models, summarizers or seeds are several. */
export function addSourceOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  words: OptionWords = {},
): Command<Args, Options & SourceOptions> {
  const extended: Command<Args> = command;
  extended
    .option('--set <key=value>', words.set ?? USUAL.set, collect)
    .option('--config <opencode.json>', words.config ?? USUAL.config)
    .option('--catalog <file>', "models.dev's api.json instead of the shipped catalog")
    .option('--closed-loop', 'add the steps that an agent takes to read again what it lost');
  return command;
}
