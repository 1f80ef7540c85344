import * as z from 'zod';
import { type Limits, parseOutputCap, parseSwitch } from '../../engine/index.ts';
import type { Environment } from '../env.ts';
import { known } from '../lib/collections.ts';
import { HarnessError, messageOf } from '../lib/errors.ts';
import { readTextFile } from '../lib/files.ts';
import { describeMismatch, isObject, placeOfIssue } from '../lib/json.ts';
import { describeNearest, isMisspelt, quoted, quotedLong } from '../lib/names.ts';
import { type SettingName, settings, type SettingValue, type SettingValues } from './settings.ts';

export interface OpencodeConfig {
  readonly file?: string;
  readonly settings: SettingValues;
  /** Key of the file, or variable of the environment, that each setting came from. */
  readonly origins: Readonly<Partial<Record<SettingName, string>>>;
  /** In place of the models' own, by `provider/model`. */
  readonly limits: Readonly<Record<string, Partial<Limits>>>;
  readonly model?: string;
  readonly summaryModel?: string;
  readonly summaryPrompt?: string;
}

interface Found {
  readonly name: SettingName;
  readonly value: SettingValue;
  readonly origin: string;
}

const SECTION = 'compaction';

/** Keys below `compaction` with the releases that read them; of two for one setting the later wins. Source: OpenCode release history. */
export const OPENCODE_KEYS: readonly {
  readonly path: readonly [key: string, inner?: string];
  readonly setting: SettingName;
  readonly from: readonly number[];
  readonly before?: readonly number[];
}[] = [
  { path: ['auto'], setting: 'auto', from: [1, 0, 204] },
  { path: ['prune'], setting: 'prune', from: [1, 0, 204], before: [2] },
  { path: ['buffer'], setting: 'reserved', from: [2] },
  { path: ['reserved'], setting: 'reserved', from: [1, 1, 57], before: [2] },
  { path: ['tail_turns'], setting: 'tailTurns', from: [1, 14, 19], before: [2] },
  { path: ['preserve_recent_tokens'], setting: 'tailTokens', from: [1, 14, 19], before: [2] },
  { path: ['keep', 'tokens'], setting: 'keepTokens', from: [2] },
];

const Model = z
  .union([z.string(), z.looseObject({ providerID: z.string(), modelID: z.string() })])
  .transform((model) =>
    typeof model === 'string' ? model : `${model.providerID}/${model.modelID}`,
  );

const Agents = z.looseObject({
  compaction: z.looseObject({ model: Model.optional(), prompt: z.string().optional() }).optional(),
});

const Compaction = z.strictObject(
  Object.fromEntries(
    OPENCODE_KEYS.map(({ path: [key, inner], setting }) => {
      const { value } = settings[setting];
      const schema = inner === undefined ? value : z.strictObject({ [inner]: value.optional() });
      return [key, schema.optional()];
    }),
  ),
);

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

const ConfigFile = z.looseObject({
  model: Model.optional(),
  compaction: Compaction.optional(),
  agent: Agents.optional(),
  agents: Agents.optional(),
  provider: Providers.optional(),
});

const STRING_OR_COMMENT = /"(?:\\.|[^"\\\n])*"|\/\/[^\n]*|\/\*[^]*?\*\//g;
const STRING_OR_LAST_COMMA = /"(?:\\.|[^"\\\n])*"|,(?=\s*[\]}])/g;
const BYTE_ORDER_MARK = /^\uFEFF/;

/** Reads `opencode.json` where one is named; the environment overrides it, as it does in OpenCode. */
export function readOpencodeConfig(
  file: string | undefined,
  environment: Environment,
): OpencodeConfig {
  const { compaction, agent, agents, provider, model } = file === undefined ? {} : readFile(file);
  const found = [...findInFile(compaction), ...findInEnvironment(environment)];
  const own = agent?.compaction;
  return {
    settings: Object.fromEntries(found.map(({ name, value }) => [name, value])),
    origins: Object.fromEntries(found.map(({ name, origin }) => [name, origin])),
    limits: limitsIn(provider),
    ...known({
      file,
      model,
      summaryModel: own?.model ?? agents?.compaction?.model,
      summaryPrompt: own?.prompt ?? agents?.compaction?.prompt,
    }),
  };
}

/** The value of a JSON text with comments and trailing commas. Throws `SyntaxError`. */
export function parseJsonc(text: string): unknown {
  const plain = text
    .replace(BYTE_ORDER_MARK, '')
    .replace(STRING_OR_COMMENT, keepStrings)
    .replace(STRING_OR_LAST_COMMA, keepStrings);
  return JSON.parse(plain);
}

function keepStrings(match: string) {
  return match.startsWith('"') ? match : ' ';
}

function readFile(file: string): z.infer<typeof ConfigFile> {
  const text = readTextFile(file, (reason, cause) =>
    badConfig(file, `it cannot be read: ${reason}`, cause),
  );
  let json: unknown;
  try {
    json = parseJsonc(text);
  } catch (error) {
    throw badConfig(file, `it cannot be read: ${quoted(messageOf(error))}`, error);
  }
  const checked = ConfigFile.safeParse(json, { reportInput: true });
  if (!checked.success)
    throw badConfig(file, checked.error.issues.map(describeIssue).join('; '), checked.error);
  // Other keys are none of our business, but with this one every setting of the file would be passed over.
  const slip = Object.keys(checked.data).find((key) => isMisspelt(key, SECTION));
  if (slip === undefined) return checked.data;
  throw badConfig(file, `at the top: unknown key ${quoted(slip)}; nearest: ${SECTION}`);
}

function badConfig(file: string, reason: string, cause?: unknown): HarnessError {
  const path = quotedLong(file);
  return new HarnessError(
    'BAD_CONFIG',
    `Expected ${path} to be an OpenCode configuration, but ${reason}.`,
    { cause },
  );
}

function describeIssue(issue: z.core.$ZodIssue) {
  const names = Object.keys(Compaction.shape);
  const told =
    issue.code === 'unrecognized_keys'
      ? issue.keys
          .map((key) => `unknown key ${quoted(key)}${describeNearest(key, names)}`)
          .join('; ')
      : describeMismatch(issue);
  return `at ${placeOfIssue(issue)}: ${told}`;
}

function findInFile(compaction: unknown): readonly Found[] {
  return OPENCODE_KEYS.flatMap(({ path, setting }) => {
    const found = path.reduce((at, key) => (isObject(at) ? at[key ?? ''] : undefined), compaction);
    const value = settings[setting].value.optional().parse(found);
    const origin = [SECTION, ...path].join('.');
    return value === undefined ? [] : [{ name: setting, value, origin }];
  });
}

function limitsIn(provider: z.infer<typeof Providers> = {}): OpencodeConfig['limits'] {
  const limits = Object.entries(provider).flatMap(([id, { models = {} }]) =>
    Object.entries(models).map(([model, { limit: { context, input, output } = {} }]) => {
      const own = { contextTokens: context, inputTokens: input, outputTokens: output };
      return [`${id}/${model}`, known(own)] as const;
    }),
  );
  return Object.fromEntries(limits.filter(([, own]) => Object.keys(own).length > 0));
}

/** Anything but a switch, or a positive integer as a cap, is ignored, as OpenCode does. */
function findInEnvironment(environment: Environment): readonly Found[] {
  const cap = 'OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX';
  const capTokens = parseOutputCap(environment[cap]);
  const switches = [
    { name: 'auto', value: false, origin: 'OPENCODE_DISABLE_AUTOCOMPACT' },
    { name: 'prune', value: false, origin: 'OPENCODE_DISABLE_PRUNE' },
  ] as const;
  return [
    ...switches.filter(({ origin }) => parseSwitch(environment[origin])),
    ...(capTokens === undefined
      ? []
      : [{ name: 'outputCap' as const, value: capTokens, origin: cap }]),
  ];
}
