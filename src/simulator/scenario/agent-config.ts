/** Windows and compaction settings that agents keep in their own configuration on a machine. */

import { join, sep } from 'node:path';
import * as z from 'zod';
import { type Limits, presetOrigins } from '../../engine/index.ts';
import type { Environment } from '../env.ts';
import { badOption, HarnessError, unlessWrongInput } from '../lib/errors.ts';
import { readTextFile, statOf } from '../lib/files.ts';
import { examine, usableTokensOf } from './checkup.ts';
import { parseJsonc, readOpencodeConfig } from './opencode-config.ts';
import { compareReleases } from './recording-agents.ts';
import type { SettingTarget, SettingValues } from './settings.ts';

/** A preset on a model in the window in force. */
interface Met extends Pick<SettingTarget, 'policy' | 'limits'> {
  /** `provider/model`. */
  readonly model: string;
  /** The release in use; absent: the newest that the preset claims. */
  readonly release?: readonly number[] | undefined;
}

/** Limits of a model that stand in the place of its own. */
type ConfiguredLimits = Partial<Limits>;

/** Windows and compaction settings that an agent finds on this machine. */
interface AgentConfig {
  readonly agent: string;
  /** Files, with `~` for the home, and `environment`; those that hold any of the keys. */
  readonly from: readonly string[];
  /** Keys about compaction with their values, and nothing else of the files. */
  readonly keys: readonly string[];
  /** The limits in force on a `provider/model`; `undefined` where none are configured. */
  readonly windowOn: (model: string) => ConfiguredLimits | undefined;
  /** The settings in force on a model besides its limits, as the release in use reads them. */
  readonly settingsOn: (met: Met) => SettingValues;
}

/** Configurations by the agent's name, and files that could not be read. */
export interface AgentConfigs {
  readonly configs: ReadonlyMap<string, AgentConfig>;
  readonly unread: readonly string[];
}

/** Settings of one file or of the environment. */
interface Source extends Partial<Pick<AgentConfig, 'windowOn' | 'settingsOn'>> {
  readonly keys: readonly string[];
}

/** A place of settings: a file to be read, or no file. */
interface Place {
  readonly file?: string;
  readonly read: (file: string) => Source;
}

interface Home {
  readonly home: string;
  readonly env: Environment;
}

const ENVIRONMENT = 'environment';
const PERCENT = 100;
/** The smallest window that Claude Code takes for its own. */
export const LEAST_CLAUDE_WINDOW = 100_000;
/** Claude Code compacts so far below what an answer leaves of the window. */
export const CLAUDE_BUFFER_TOKENS = 13_000;

export const CLAUDE_WINDOW = 'CLAUDE_CODE_AUTO_COMPACT_WINDOW';
export const CLAUDE_PERCENT = 'CLAUDE_AUTOCOMPACT_PCT_OVERRIDE';
/** Releases that read each variable. Sources: anthropics/claude-code#27036 lists those of 2.1.47; runs of 2.1.197 and 2.1.332 (2026-11). */
const WINDOW_FROM = [2, 1, 50];
const PERCENT_BEFORE = [2, 1, 197];

const CODEX_LIMIT = 'model_auto_compact_token_limit';
const CODEX_WINDOW = 'model_context_window';
/** The share of its window that Codex uses, and records. Source: 258,400 of 272,000 and 121,600 of 128,000 in recordings. */
const CODEX_SHARE = 0.95;
const GEMINI_THRESHOLD = 'compressionThreshold';
/** The first release of Qwen Code that reads `context.autoCompactThreshold`, and no longer `contextPercentageThreshold`. */
export const QWEN_THRESHOLD_FROM = [0, 24];

/** Places by agent, of which the later ones win. Sources: peer policies, sections 4, 6 and 7; OpenCode release history; pi's documentation. */
const PLACES: Readonly<Record<string, (home: Home) => readonly Place[]>> = {
  'Claude Code': ({ home, env }) => [
    { read: () => claudeSource(env) },
    {
      file: join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'settings.json'),
      read: (file) => claudeSource(checked(ClaudeFile, readJson(file)).env ?? {}),
    },
  ],
  Codex: ({ home, env }) => [
    { file: join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml'), read: codexSource },
  ],
  OpenCode: ({ home, env }) => {
    const folder = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode');
    const files = ['config.json', 'opencode.json', 'opencode.jsonc'];
    return [
      ...files.map((name) => ({ file: join(folder, name), read: opencodeSource })),
      { read: () => opencodeSource(undefined, env) },
    ];
  },
  'Gemini CLI': ({ home }) => [
    { file: join(home, '.gemini', 'settings.json'), read: geminiSource },
  ],
  'Qwen Code': ({ home }) => [{ file: join(home, '.qwen', 'settings.json'), read: qwenSource }],
  pi: ({ home, env }) => [
    {
      file: join(env['PI_CODING_AGENT_DIR'] || join(home, '.pi', 'agent'), 'settings.json'),
      read: piSource,
    },
  ],
};

const Amount = z.union([z.number(), z.string().transform(Number)]).pipe(z.number().positive());
const ClaudeFile = z.looseObject({ env: z.record(z.string(), z.unknown()).optional() });
const GeminiFile = z.looseObject({
  model: z.looseObject({ [GEMINI_THRESHOLD]: z.number().positive().max(1).optional() }).optional(),
});
const Share = z.number().positive().max(1).optional();
const QwenModel = z.looseObject({
  generationConfig: z.looseObject({ contextWindowSize: z.int().positive().optional() }).optional(),
});
const QwenFile = z.looseObject({
  context: z.looseObject({ autoCompactThreshold: Share }).optional(),
  model: QwenModel.extend({
    chatCompression: z.looseObject({ contextPercentageThreshold: Share }).optional(),
  }).optional(),
  modelProviders: z
    .record(z.string(), z.array(QwenModel.extend({ id: z.string().optional() })))
    .optional(),
});
const PiFile = z.looseObject({
  compaction: z
    .looseObject({
      enabled: z.boolean().optional(),
      reserveTokens: z.int().nonnegative().optional(),
      keepRecentTokens: z.int().nonnegative().optional(),
    })
    .optional(),
});

const FIRST_TABLE = /^[ \t]*\[/m;
const WHOLE = /^[\d_]+$/;

/** Reads what agents are set to on this machine; a broken file is left out, and its content is told to nobody. */
export function readAgentConfigs(env: Environment): AgentConfigs {
  const home = env['HOME'] || env['USERPROFILE'];
  if (!home) return { configs: new Map(), unread: [] };
  const unread: string[] = [];
  const configs = Object.entries(PLACES).flatMap(([agent, placesOf]) => {
    const sources = placesOf({ home, env }).flatMap(({ file, read }) => {
      if (file !== undefined && statOf(file)?.isFile() !== true) return [];
      const source = unlessWrongInput(() => read(file ?? ''));
      const from = file === undefined ? ENVIRONMENT : shown(file, home);
      if (source instanceof HarnessError) unread.push(from);
      return source instanceof HarnessError || source.keys.length === 0 ? [] : [{ from, source }];
    });
    return sources.length === 0 ? [] : [[agent, joined(agent, sources)] as const];
  });
  return { configs: new Map(configs), unread };
}

/** Which variables move the trigger of Claude Code in a release, or in the newest one that a preset claims. */
export function claudeReads(
  policyName: string,
  release = newestClaimOf(policyName),
): Readonly<Record<'window' | 'percent', boolean>> {
  return {
    window: release === undefined || compareReleases(release, WINDOW_FROM) >= 0,
    percent: release !== undefined && compareReleases(release, PERCENT_BEFORE) < 0,
  };
}

/** The newest release that a preset claims; `undefined` where that is the newest of all. */
export function newestClaimOf(policyName: string): readonly number[] | undefined {
  const [, origin] = Object.entries(presetOrigins).find(([name]) => name === policyName) ?? [];
  return origin?.to?.split('.').map(Number);
}

function joined(
  agent: string,
  sources: readonly { readonly from: string; readonly source: Source }[],
): AgentConfig {
  return {
    agent,
    from: sources.map(({ from }) => from),
    keys: sources.flatMap(({ source: { keys } }) => keys),
    windowOn: (model) => {
      const all = sources.flatMap(({ source }) => source.windowOn?.(model) ?? []);
      return all.length === 0 ? undefined : all.reduce((own, later) => ({ ...own, ...later }));
    },
    settingsOn: (met) =>
      sources
        .map(({ source }) => source.settingsOn?.(met) ?? {})
        .reduce((own, later) => ({ ...own, ...later }), {}),
  };
}

/** Claude Code compacts so far below the window that it is given as below the model's own, or at a share of what an answer leaves. */
function claudeSource(variables: Readonly<Record<string, unknown>>): Source {
  const window = amountOf(variables[CLAUDE_WINDOW]);
  const percent = amountOf(variables[CLAUDE_PERCENT]);
  return {
    keys: toKeys({ [CLAUDE_WINDOW]: window, [CLAUDE_PERCENT]: percent }),
    settingsOn: (met) => {
      const { contextTokens } = met.limits;
      const own = usableOf(met);
      if (own === undefined) return {};
      const reads = claudeReads(met.policy.name, met.release);
      const given = (reads.window ? window : undefined) ?? Infinity;
      const windowTokens = Math.min(contextTokens, Math.max(given, LEAST_CLAUDE_WINDOW));
      const usable = windowTokens - (contextTokens - own);
      const share = reads.percent && percent !== undefined ? percent / PERCENT : Infinity;
      return toTrigger(Math.min(usable, Math.floor((usable + CLAUDE_BUFFER_TOKENS) * share)), met);
    },
  };
}

function codexSource(file: string): Source {
  const [top = ''] = readText(file).split(FIRST_TABLE, 1);
  const [limit, window] = [codexKey(top, CODEX_LIMIT), codexKey(top, CODEX_WINDOW)];
  return {
    keys: toKeys({ [CODEX_WINDOW]: window, [CODEX_LIMIT]: limit }),
    windowOn: () =>
      window === undefined ? undefined : { contextTokens: Math.floor(window * CODEX_SHARE) },
    settingsOn: (met) => (limit === undefined ? {} : toTrigger(limit, met)),
  };
}

/** A whole number outside of any table. */
function codexKey(top: string, key: string): number | undefined {
  const line = new RegExp(String.raw`^[ \t]*${key}[ \t]*=[ \t]*([^#\r\n]*)`, 'm');
  const [, written] = line.exec(top) ?? [];
  if (written === undefined) return undefined;
  if (!WHOLE.test(written.trim())) throw badOption(`Expected '${key}' to be an integer.`);
  return Number(written.replaceAll('_', ''));
}

function geminiSource(file: string): Source {
  const threshold = checked(GeminiFile, readJson(file)).model?.[GEMINI_THRESHOLD];
  return {
    keys: toKeys({ [`model.${GEMINI_THRESHOLD}`]: threshold }),
    settingsOn: () => (threshold === undefined ? {} : { triggerFraction: threshold }),
  };
}

function piSource(file: string): Source {
  const { enabled, reserveTokens, keepRecentTokens } =
    checked(PiFile, readJson(file)).compaction ?? {};
  return {
    keys: toKeys({
      'compaction.enabled': enabled,
      'compaction.reserveTokens': reserveTokens,
      'compaction.keepRecentTokens': keepRecentTokens,
    }),
    settingsOn: () => ({
      ...(enabled !== undefined && { auto: enabled }),
      ...(reserveTokens !== undefined && { reserved: reserveTokens }),
      ...(keepRecentTokens !== undefined && { keepTokens: keepRecentTokens }),
    }),
  };
}

/** Models are named without their provider; one that is named for itself wins over the window for all. */
function qwenSource(file: string): Source {
  const { context, model, modelProviders = {} } = checked(QwenFile, readJson(file));
  const share = context?.autoCompactThreshold;
  const earlierShare = model?.chatCompression?.contextPercentageThreshold;
  const all = model?.generationConfig?.contextWindowSize;
  const named = Object.values(modelProviders).flatMap((models) =>
    models.flatMap(({ id, generationConfig }) => {
      const tokens = generationConfig?.contextWindowSize;
      return id === undefined || tokens === undefined ? [] : [[id, tokens] as const];
    }),
  );
  return {
    keys: toKeys({
      'context.autoCompactThreshold': share,
      'model.chatCompression.contextPercentageThreshold': earlierShare,
      'model.generationConfig.contextWindowSize': all,
      ...Object.fromEntries(named.map(([id, tokens]) => [`${id} contextWindowSize`, tokens])),
    }),
    windowOn: (name) => {
      const own = named.find(([id]) => name === id || name.endsWith(`/${id}`))?.[1] ?? all;
      return own === undefined ? undefined : { contextTokens: own };
    },
    settingsOn: ({ policy, release = newestClaimOf(policy.name) }) => {
      const isNew = release === undefined || compareReleases(release, QWEN_THRESHOLD_FROM) >= 0;
      const threshold = isNew ? share : earlierShare;
      return threshold === undefined ? {} : { triggerFraction: threshold };
    },
  };
}

function opencodeSource(file: string | undefined, env: Environment = {}): Source {
  const { settings, origins, limits } = readOpencodeConfig(file, env);
  return {
    keys: [
      ...Object.entries(settings).map(
        ([name, value]) => `${origins[name as keyof typeof origins] ?? name}=${String(value)}`,
      ),
      ...Object.entries(limits).flatMap(([model, own]) =>
        Object.entries(own).map(
          ([name, tokens]) => `${model} limit.${name.replace('Tokens', '')}=${tokens}`,
        ),
      ),
    ],
    windowOn: (model) => (Object.hasOwn(limits, model) ? limits[model] : undefined),
    settingsOn: () => settings,
  };
}

/** A trigger at so many tokens; none where that is not before the policy's own. */
function toTrigger(tokens: number, met: Met): SettingValues {
  const own = usableOf(met);
  if (own === undefined || tokens >= own) return {};
  return { triggerFraction: tokens / met.limits.contextTokens };
}

function usableOf(target: Pick<SettingTarget, 'policy' | 'limits'>): number | undefined {
  return usableTokensOf(examine({ base: target, target, given: {}, floorTokens: 0 }));
}

function toKeys(values: Readonly<Record<string, number | boolean | undefined>>): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${String(value)}`],
  );
}

/** An agent passes by what is no amount. */
function amountOf(value: unknown): number | undefined {
  return Amount.safeParse(value).data;
}

function readJson(file: string): unknown {
  const text = readText(file);
  try {
    return parseJsonc(text);
  } catch (error) {
    throw badOption('Expected a configuration in JSON.', { cause: error });
  }
}

function readText(file: string): string {
  return readTextFile(file, (reason, cause) => badOption(reason, { cause }));
}

function checked<Shape extends z.ZodType>(schema: Shape, json: unknown): z.infer<Shape> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw badOption('Expected a configuration.', { cause: parsed.error });
}

function shown(file: string, home: string): string {
  return file.startsWith(join(home, sep)) ? `~${file.slice(home.length)}` : file;
}
