import * as z from 'zod';
import { type Limits, parseOutputCap, parseSwitch } from '../../engine/index.ts';
import type { Environment } from '../env.ts';
import { HarnessError, messageOf } from '../lib/errors.ts';
import { readTextFile } from '../lib/files.ts';
import { describeMismatch, placeOfIssue } from '../lib/json.ts';
import { describeNearest, isMisspelt, quoted, quotedLong } from '../lib/names.ts';
import { type SettingName, settings, type SettingValue, type SettingValues } from './settings.ts';

/** Compaction settings of an OpenCode configuration and the environment. */
export interface OpencodeConfig {
  /** Absent where only the environment was asked. */
  readonly file?: string;
  readonly settings: SettingValues;
  /** Key of the file, or variable of the environment, that each setting came from. */
  readonly origins: Readonly<Partial<Record<SettingName, string>>>;
  /** Limits that models are given in place of their own, by `provider/model`. */
  readonly limits: Readonly<Record<string, Partial<Limits>>>;
  /** The model that the agent works with, as `provider/model`. */
  readonly model?: string;
  /** The model that is to write summaries, as `provider/model`. */
  readonly summaryModel?: string;
  /** A system prompt of one's own for the summary agent. */
  readonly summaryPrompt?: string;
}

/** One setting with the place that it came from. */
interface Found {
  readonly name: SettingName;
  readonly value: SettingValue;
  readonly origin: string;
}

type Compaction = z.infer<typeof Compaction>;

type ConfigFile = z.infer<typeof ConfigFile>;

/** The key under which everything about compaction stands. */
const SECTION = 'compaction';

const Model = z
  .union([z.string(), z.looseObject({ providerID: z.string(), modelID: z.string() })])
  .transform((model) =>
    typeof model === 'string' ? model : `${model.providerID}/${model.modelID}`,
  );

const Agents = z.looseObject({
  compaction: z.looseObject({ model: Model.optional(), prompt: z.string().optional() }).optional(),
});

const Compaction = z.strictObject({
  auto: settings.auto.value.optional(),
  prune: settings.prune.value.optional(),
  reserved: settings.reserved.value.optional(),
  tail_turns: settings.tailTurns.value.optional(),
  preserve_recent_tokens: settings.tailTokens.value.optional(),
  /** Of 2.0, as is `keep`. */
  buffer: settings.reserved.value.optional(),
  keep: z.strictObject({ tokens: settings.keepTokens.value.optional() }).optional(),
});

/** Where each setting stands in the file; of two places the later one wins. */
const PLACES: readonly (readonly [
  key: string,
  name: SettingName,
  read: (compaction: Compaction) => SettingValue | undefined,
])[] = [
  ['auto', 'auto', ({ auto }) => auto],
  ['prune', 'prune', ({ prune }) => prune],
  ['buffer', 'reserved', ({ buffer }) => buffer],
  ['reserved', 'reserved', ({ reserved }) => reserved],
  ['tail_turns', 'tailTurns', (compaction) => compaction.tail_turns],
  ['preserve_recent_tokens', 'tailTokens', (compaction) => compaction.preserve_recent_tokens],
  ['keep.tokens', 'keepTokens', ({ keep }) => keep?.tokens],
];

const Tokens = z.int().nonnegative().optional();

const Providers = z.record(
  z.string(),
  z.looseObject({
    models: z
      .record(
        z.string(),
        z.looseObject({
          limit: z.looseObject({ context: Tokens, input: Tokens, output: Tokens }).optional(),
        }),
      )
      .optional(),
  }),
);

/** The keys of `opencode.json` that concern compaction, and the model; all others are left alone. */
const ConfigFile = z.looseObject({
  model: Model.optional(),
  compaction: Compaction.optional(),
  agent: Agents.optional(),
  agents: Agents.optional(),
  provider: Providers.optional(),
});

/** A string, or a comment of either kind. */
const STRING_OR_COMMENT = /"(?:\\.|[^"\\\n])*"|\/\/[^\n]*|\/\*[^]*?\*\//g;

/** A string, or a comma before the end of a list or an object. */
const STRING_OR_LAST_COMMA = /"(?:\\.|[^"\\\n])*"|,(?=\s*[\]}])/g;

const BYTE_ORDER_MARK = /^\uFEFF/;

/** Reads `opencode.json` where one is named; the environment overrides it, as it does in OpenCode. */
export function readOpencodeConfig(
  file: string | undefined,
  environment: Environment,
): OpencodeConfig {
  const config = file === undefined ? {} : checkConfig(file, parseFile(file));
  const found = [...findInFile(config), ...findInEnvironment(environment)];
  const summaryModel = config.agent?.compaction?.model ?? config.agents?.compaction?.model;
  const summaryPrompt = config.agent?.compaction?.prompt ?? config.agents?.compaction?.prompt;
  return {
    ...(file !== undefined && { file }),
    settings: Object.fromEntries(found.map(({ name, value }) => [name, value])),
    origins: Object.fromEntries(found.map(({ name, origin }) => [name, origin])),
    limits: limitsIn(config),
    ...(config.model !== undefined && { model: config.model }),
    ...(summaryModel !== undefined && { summaryModel }),
    ...(summaryPrompt !== undefined && { summaryPrompt }),
  };
}

/** The value of a JSON text that may have comments and trailing commas. Throws `SyntaxError` as `JSON.parse` does. */
export function parseJsonc(text: string): unknown {
  const plain = text
    .replace(BYTE_ORDER_MARK, '')
    .replace(STRING_OR_COMMENT, keepStrings)
    .replace(STRING_OR_LAST_COMMA, keepStrings);
  return JSON.parse(plain);
}

function checkConfig(file: string, json: unknown): ConfigFile {
  const checked = ConfigFile.safeParse(json, { reportInput: true });
  if (!checked.success) {
    throw badConfig(file, checked.error.issues.map(describeIssue).join('; '), checked.error);
  }
  // Other keys are none of our business, but with this one every setting of the file would be passed over.
  const slip = Object.keys(checked.data).find((key) => isMisspelt(key, SECTION));
  if (slip === undefined) return checked.data;
  throw badConfig(file, `at the top: unknown key ${quoted(slip)}; nearest: ${SECTION}`);
}

function badConfig(file: string, reason: string, cause?: unknown): HarnessError {
  const path = quotedLong(file);
  const message = `Expected ${path} to be an OpenCode configuration, but ${reason}.`;
  return new HarnessError('BAD_CONFIG', message, { cause });
}

/** Where, what was expected, and what came. */
function describeIssue(issue: z.core.$ZodIssue): string {
  const place = placeOfIssue(issue);
  if (issue.code === 'unrecognized_keys') return `at ${place}: ${describeKeys(issue.keys)}`;
  return `at ${place}: ${describeMismatch(issue)}`;
}

function describeKeys(keys: readonly string[]): string {
  const known = Object.keys(Compaction.shape);
  return keys.map((key) => `unknown key ${quoted(key)}${describeNearest(key, known)}`).join('; ');
}

function parseFile(file: string): unknown {
  const text = readText(file);
  try {
    return parseJsonc(text);
  } catch (error) {
    const reason = messageOf(error);
    throw badConfig(file, `it cannot be read: ${quoted(reason)}`, error);
  }
}

function readText(file: string): string {
  return readTextFile(file, (reason, cause) =>
    badConfig(file, `it cannot be read: ${reason}`, cause),
  );
}

function findInFile({ compaction }: ConfigFile): readonly Found[] {
  if (compaction === undefined) return [];
  return PLACES.flatMap(([key, name, read]) => {
    const value = read(compaction);
    return value === undefined ? [] : [{ name, value, origin: `compaction.${key}` }];
  });
}

function limitsIn({ provider = {} }: ConfigFile): OpencodeConfig['limits'] {
  const limits = Object.entries(provider).flatMap(([id, { models = {} }]) =>
    Object.entries(models).map(([model, { limit: { context, input, output } = {} }]) => {
      const own = { contextTokens: context, inputTokens: input, outputTokens: output };
      const told = Object.entries(own).flatMap(([name, tokens]) =>
        tokens === undefined ? [] : [[name, tokens] as const],
      );
      return [`${id}/${model}`, Object.fromEntries(told)] as const;
    }),
  );
  return Object.fromEntries(limits.filter(([, own]) => Object.keys(own).length > 0));
}

function findInEnvironment(environment: Environment): readonly Found[] {
  return [
    ...findDisabled(environment, 'auto', 'OPENCODE_DISABLE_AUTOCOMPACT'),
    ...findDisabled(environment, 'prune', 'OPENCODE_DISABLE_PRUNE'),
    ...findOutputCap(environment, 'OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX'),
  ];
}

function findDisabled(
  environment: Environment,
  name: SettingName,
  origin: string,
): readonly Found[] {
  return parseSwitch(environment[origin]) ? [{ name, value: false, origin }] : [];
}

/** Anything but a positive integer is ignored, as OpenCode does. */
function findOutputCap(environment: Environment, origin: string): readonly Found[] {
  const value = parseOutputCap(environment[origin]);
  return value === undefined ? [] : [{ name: 'outputCap', value, origin }];
}

function keepStrings(match: string): string {
  return match.startsWith('"') ? match : ' ';
}
