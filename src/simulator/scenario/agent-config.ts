/** Windows and compaction settings that agents keep in their own configuration on a machine. */

import { join, sep } from 'node:path';
import * as z from 'zod';
import { type Limits, presetOrigins } from '../../engine/index.ts';
import type { Environment } from '../env.ts';
import { known } from '../lib/collections.ts';
import { badOption, HarnessError, unlessWrongInput } from '../lib/errors.ts';
import { readTextFile, statOf } from '../lib/files.ts';
import { isObject } from '../lib/json.ts';
import { examine, usableTokensOf } from './checkup.ts';
import { parseJsonc, readOpencodeConfig } from './opencode-config.ts';
import { compareReleases } from './recording-agents.ts';
import {
  type SettingName,
  settings,
  type SettingTarget,
  type SettingValue,
  type SettingValues,
} from './settings.ts';

interface Met extends Pick<SettingTarget, 'policy' | 'limits'> {
  /** `provider/model`. */
  readonly model: string;
  /** Absent: the newest that the preset claims. */
  readonly release?: readonly number[] | undefined;
}

interface AgentConfig {
  readonly agent: string;
  /** Files, with `~` for the home, and `environment`. */
  readonly from: readonly string[];
  readonly keys: readonly string[];
  /** Absent where none are configured. */
  readonly windowOn: (model: string) => Partial<Limits> | undefined;
  readonly settingsOn: (met: Met) => SettingValues;
}

export interface AgentConfigs {
  readonly configs: ReadonlyMap<string, AgentConfig>;
  readonly unread: readonly string[];
}

interface Source extends Partial<Pick<AgentConfig, 'windowOn' | 'settingsOn'>> {
  readonly keys: Readonly<Record<string, SettingValue | undefined>>;
}

interface Place {
  readonly file?: string;
  readonly read: (file: string) => Source;
}

export type KeyPaths = Readonly<Partial<Record<SettingName, readonly string[]>>>;

const PERCENT = 100;
export const LEAST_CLAUDE_WINDOW = 100_000;
/** Claude Code compacts so far below what an answer leaves of the window. */
export const CLAUDE_BUFFER_TOKENS = 13_000;

export const CLAUDE_WINDOW = 'CLAUDE_CODE_AUTO_COMPACT_WINDOW';
export const CLAUDE_PERCENT = 'CLAUDE_AUTOCOMPACT_PCT_OVERRIDE';
/** Releases that read each variable. Sources: anthropics/claude-code#27036 lists those of 2.1.47; runs of 2.1.197 and 2.1.332 (2026-11). */
const WINDOW_FROM = [2, 1, 50];
const PERCENT_BEFORE = [2, 1, 197];

export const CODEX_LIMIT = 'model_auto_compact_token_limit';
export const CODEX_WINDOW = 'model_context_window';
/** The share of its window that Codex uses, and records. Source: 258,400 of 272,000 and 121,600 of 128,000 in recordings. */
export const CODEX_SHARE = 0.95;
/** The first release of Qwen Code that reads `context.autoCompactThreshold`, and no longer `contextPercentageThreshold`. */
const QWEN_THRESHOLD_FROM = [0, 21];

export const GEMINI_KEYS = { triggerFraction: ['model', 'compressionThreshold'] };
export const PI_KEYS = {
  auto: ['compaction', 'enabled'],
  reserved: ['compaction', 'reserveTokens'],
  keepTokens: ['compaction', 'keepRecentTokens'],
};
const QWEN_KEYS = { triggerFraction: ['context', 'autoCompactThreshold'] };
const EARLIER_QWEN_KEYS = {
  triggerFraction: ['model', 'chatCompression', 'contextPercentageThreshold'],
};

/** Places by agent, of which the later ones win. Sources: peer policies, sections 4, 6 and 7; OpenCode release history; pi's documentation. */
const PLACES: Readonly<Record<string, (home: string, env: Environment) => readonly Place[]>> = {
  'Claude Code': (home, env) => [
    { read: () => claudeSource(env) },
    {
      file: join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'settings.json'),
      read: (file) => claudeSource(checked(ClaudeFile, readJson(file)).env ?? {}),
    },
  ],
  Codex: (home, env) => [
    { file: join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml'), read: codexSource },
  ],
  OpenCode: (home, env) => {
    const folder = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode');
    const files = ['config.json', 'opencode.json', 'opencode.jsonc'];
    return [
      ...files.map((name) => ({ file: join(folder, name), read: opencodeSource })),
      { read: () => opencodeSource(undefined, env) },
    ];
  },
  'Gemini CLI': (home) => [
    { file: join(home, '.gemini', 'settings.json'), read: jsonFile(GEMINI_KEYS) },
  ],
  'Qwen Code': (home) => [{ file: join(home, '.qwen', 'settings.json'), read: qwenSource }],
  pi: (home, env) => [
    {
      file: join(env['PI_CODING_AGENT_DIR'] || join(home, '.pi', 'agent'), 'settings.json'),
      read: jsonFile(PI_KEYS),
    },
  ],
};

const Amount = z.union([z.number(), z.string().transform(Number)]).pipe(z.number().positive());
const ClaudeFile = z.looseObject({ env: z.record(z.string(), z.unknown()).optional() });
const QwenModel = z.looseObject({
  generationConfig: z.looseObject({ contextWindowSize: z.int().positive().optional() }).optional(),
});
const QwenFile = z.looseObject({
  model: QwenModel.optional(),
  modelProviders: z
    .record(z.string(), z.array(QwenModel.extend({ id: z.string().optional() })))
    .optional(),
});

const FIRST_TABLE = /^[ \t]*\[/m;
const WHOLE = /^[\d_]+$/;

/** The settings of the agents on this machine; a broken file is left out. */
export function readAgentConfigs(env: Environment): AgentConfigs {
  const home = env['HOME'] || env['USERPROFILE'];
  const configs = new Map<string, AgentConfig>();
  const unread: string[] = [];
  if (!home) return { configs, unread };
  for (const [agent, placesOf] of Object.entries(PLACES)) {
    const sources = placesOf(home, env).flatMap(({ file, read }) => {
      if (file !== undefined && statOf(file)?.isFile() !== true) return [];
      const source = unlessWrongInput(() => read(file ?? ''));
      const isInHome = file?.startsWith(join(home, sep));
      const from = isInHome ? `~${file?.slice(home.length)}` : (file ?? 'environment');
      if (!(source instanceof HarnessError))
        return keysOf(source).length === 0 ? [] : [{ ...source, from }];
      unread.push(from);
      return [];
    });
    if (sources.length > 0) configs.set(agent, joined(agent, sources));
  }
  return { configs, unread };
}

/** Which variables move the trigger of Claude Code in a release, or the newest of a preset. */
export function claudeReads(
  policyName: string,
  release = newestClaimOf(policyName),
): Readonly<Record<'window' | 'percent', boolean>> {
  return {
    window: release === undefined || compareReleases(release, WINDOW_FROM) >= 0,
    percent: release !== undefined && compareReleases(release, PERCENT_BEFORE) < 0,
  };
}

/** The keys that Qwen Code reads in a release, or in the newest of a preset. */
export function qwenKeys(policyName: string, release = newestClaimOf(policyName)): KeyPaths {
  const isNew = release === undefined || compareReleases(release, QWEN_THRESHOLD_FROM) >= 0;
  return isNew ? QWEN_KEYS : EARLIER_QWEN_KEYS;
}

/** `undefined` where the newest release that a preset claims is the newest of all. */
function newestClaimOf(policyName: string): readonly number[] | undefined {
  const [, origin] = Object.entries(presetOrigins).find(([name]) => name === policyName) ?? [];
  return origin?.to?.split('.').map(Number);
}

function joined(
  agent: string,
  sources: readonly (Source & { readonly from: string })[],
): AgentConfig {
  return {
    agent,
    from: sources.map(({ from }) => from),
    keys: sources.flatMap(keysOf),
    windowOn: (model) => {
      const all = sources.flatMap(({ windowOn }) => windowOn?.(model) ?? []);
      return all.length === 0 ? undefined : Object.assign({}, ...all);
    },
    settingsOn: (met) =>
      Object.assign({}, ...sources.map(({ settingsOn }) => settingsOn?.(met) ?? {})),
  };
}

function keysOf({ keys }: Source) {
  return Object.entries(known(keys)).map(([key, value]) => `${key}=${String(value)}`);
}

/** The given window counts where it is below the model's own, the share of what an answer leaves. */
function claudeSource(variables: Readonly<Record<string, unknown>>): Source {
  // The agent passes by what is no amount.
  const [window, percent] = [CLAUDE_WINDOW, CLAUDE_PERCENT].map(
    (name) => Amount.safeParse(variables[name]).data,
  );
  return {
    keys: { [CLAUDE_WINDOW]: window, [CLAUDE_PERCENT]: percent },
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
  const [limit, window] = [CODEX_LIMIT, CODEX_WINDOW].map((key) => codexKey(top, key));
  return {
    keys: { [CODEX_WINDOW]: window, [CODEX_LIMIT]: limit },
    windowOn: () =>
      window === undefined ? undefined : { contextTokens: Math.floor(window * CODEX_SHARE) },
    settingsOn: (met) => (limit === undefined ? {} : toTrigger(limit, met)),
  };
}

function codexKey(top: string, key: string) {
  const line = new RegExp(String.raw`^[ \t]*${key}[ \t]*=[ \t]*([^#\r\n]*)`, 'm');
  const [, written] = line.exec(top) ?? [];
  if (written === undefined) return undefined;
  if (!WHOLE.test(written.trim())) throw badOption(`Expected '${key}' to be an integer.`);
  return Number(written.replaceAll('_', ''));
}

/** A window for one model, named without its provider, wins over the window for all. */
function qwenSource(file: string): Source {
  const json = readJson(file);
  const { model, modelProviders = {} } = checked(QwenFile, json);
  const [now, earlier] = [QWEN_KEYS, EARLIER_QWEN_KEYS].map((paths) => jsonSource(json, paths));
  const all = model?.generationConfig?.contextWindowSize;
  const named = Object.values(modelProviders).flatMap((models) =>
    models.flatMap(({ id, generationConfig }) => {
      const tokens = generationConfig?.contextWindowSize;
      return id === undefined || tokens === undefined ? [] : [[id, tokens] as const];
    }),
  );
  return {
    keys: {
      ...now?.keys,
      ...earlier?.keys,
      'model.generationConfig.contextWindowSize': all,
      ...Object.fromEntries(named.map(([id, tokens]) => [`${id} contextWindowSize`, tokens])),
    },
    windowOn: (name) => {
      const own = named.find(([id]) => name === id || name.endsWith(`/${id}`))?.[1] ?? all;
      return own === undefined ? undefined : { contextTokens: own };
    },
    settingsOn: (met) => settingsAt(json, qwenKeys(met.policy.name, met.release)),
  };
}

function opencodeSource(file: string | undefined, env: Environment = {}): Source {
  const { settings: own, origins, limits } = readOpencodeConfig(file, env);
  const keys: Record<string, SettingValue | undefined> = {};
  for (const [name, value] of Object.entries(own))
    keys[origins[name as SettingName] ?? name] = value;
  for (const [model, ofModel] of Object.entries(limits)) {
    for (const [name, tokens] of Object.entries(ofModel))
      keys[`${model} limit.${name.replace('Tokens', '')}`] = tokens;
  }
  return {
    keys,
    windowOn: (model) => (Object.hasOwn(limits, model) ? limits[model] : undefined),
    settingsOn: () => own,
  };
}

function jsonFile(paths: KeyPaths) {
  return (file: string) => jsonSource(readJson(file), paths);
}

function jsonSource(json: unknown, paths: KeyPaths) {
  const own = settingsAt(json, paths);
  const names = Object.keys(paths) as SettingName[];
  const keys = names.map((name) => [paths[name]?.join('.'), own[name]]);
  return { keys: Object.fromEntries(keys), settingsOn: () => own };
}

/** Throws where the way to a key, or its value, is of another kind. */
function settingsAt(json: unknown, paths: KeyPaths) {
  const values = Object.entries(paths).map(([name, path]) => {
    const value = path.reduce((at, key) => {
      if (at !== undefined && !isObject(at)) throw badOption('Expected a configuration.');
      return at?.[key];
    }, json);
    return [name, checked(settings[name as SettingName].value.optional(), value)];
  });
  return known(Object.fromEntries(values));
}

/** A trigger at so many tokens; none where that is not before the policy's own. */
function toTrigger(tokens: number, met: Met) {
  const own = usableOf(met);
  if (own === undefined || tokens >= own) return {};
  return { triggerFraction: tokens / met.limits.contextTokens };
}

function usableOf(target: SettingTarget) {
  return usableTokensOf(examine({ base: target, target, given: {}, floorTokens: 0 }));
}

function readJson(file: string) {
  const text = readText(file);
  try {
    return parseJsonc(text);
  } catch (error) {
    throw badOption('Expected a configuration in JSON.', { cause: error });
  }
}

function readText(file: string) {
  return readTextFile(file, (reason, cause) => badOption(reason, { cause }));
}

function checked<Shape extends z.ZodType>(schema: Shape, json: unknown): z.infer<Shape> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw badOption('Expected a configuration.', { cause: parsed.error });
}
