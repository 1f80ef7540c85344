/** Compaction settings that agents keep in their own configuration on a machine. */

import { join, sep } from 'node:path';
import * as z from 'zod';
import type { Environment } from '../env.ts';
import { badOption, HarnessError, unlessWrongInput } from '../lib/errors.ts';
import { readTextFile, statOf } from '../lib/files.ts';
import { examine, usableTokensOf } from './checkup.ts';
import { parseJsonc, readOpencodeConfig } from './opencode-config.ts';
import { applySettings, type SettingTarget, type SettingValues } from './settings.ts';

/** A preset on its model. */
interface Met extends Pick<SettingTarget, 'policy' | 'limits'> {
  /** `provider/model`. */
  readonly model: string;
}

/** The compaction settings that an agent finds on this machine. */
interface AgentConfig {
  readonly agent: string;
  /** Files, with `~` for the home, and `environment`; those that hold any of the keys. */
  readonly from: readonly string[];
  /** Keys about compaction with their values, and nothing else of the files. */
  readonly keys: readonly string[];
  /** The settings in force on a model. */
  readonly settingsOn: (met: Met) => SettingValues;
}

/** Configurations by the agent's name, and files that could not be read. */
export interface AgentConfigs {
  readonly configs: ReadonlyMap<string, AgentConfig>;
  readonly unread: readonly string[];
}

/** Settings of one file or of the environment. */
interface Source {
  readonly keys: readonly string[];
  readonly settingsOn: AgentConfig['settingsOn'];
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
/** Claude Code keeps at most so much of the window for an answer. */
const MOST_CLAUDE_ANSWER = 20_000;

export const CLAUDE_WINDOW = 'CLAUDE_CODE_AUTO_COMPACT_WINDOW';
const CLAUDE_PERCENT = 'CLAUDE_AUTOCOMPACT_PCT_OVERRIDE';
const CODEX_LIMIT = 'model_auto_compact_token_limit';
const GEMINI_THRESHOLD = 'compressionThreshold';

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
const PiFile = z.looseObject({
  compaction: z
    .looseObject({
      enabled: z.boolean().optional(),
      reserveTokens: z.int().nonnegative().optional(),
      keepRecentTokens: z.int().nonnegative().optional(),
    })
    .optional(),
});

/** A key of Codex outside of any table, with its value. */
const CODEX_KEY = new RegExp(String.raw`^[ \t]*${CODEX_LIMIT}[ \t]*=[ \t]*([^#\r\n]*)`, 'm');
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

function joined(
  agent: string,
  sources: readonly { readonly from: string; readonly source: Source }[],
): AgentConfig {
  return {
    agent,
    from: sources.map(({ from }) => from),
    keys: sources.flatMap(({ source: { keys } }) => keys),
    settingsOn: (met) =>
      Object.assign({}, ...sources.map(({ source }) => source.settingsOn(met))) as SettingValues,
  };
}

/** Claude Code compacts so far below the window that it is given as below the model's own, or at a share of what an answer leaves. */
function claudeSource(variables: Readonly<Record<string, unknown>>): Source {
  const window = amountOf(variables[CLAUDE_WINDOW]);
  const percent = amountOf(variables[CLAUDE_PERCENT]);
  return {
    keys: [
      ...(window === undefined ? [] : [`${CLAUDE_WINDOW}=${window}`]),
      ...(percent === undefined ? [] : [`${CLAUDE_PERCENT}=${percent}`]),
    ],
    settingsOn: (met) => {
      const { contextTokens, outputTokens } = met.limits;
      const own = usableOf(met);
      if (own === undefined) return {};
      const windowTokens = Math.min(
        contextTokens,
        Math.max(window ?? Infinity, LEAST_CLAUDE_WINDOW),
      );
      const usable = windowTokens - (contextTokens - own);
      const answer = Math.min(outputTokens ?? MOST_CLAUDE_ANSWER, MOST_CLAUDE_ANSWER);
      const share = Math.floor(((windowTokens - answer) * (percent ?? PERCENT)) / PERCENT);
      return toTrigger(Math.min(usable, share), met);
    },
  };
}

function codexSource(file: string): Source {
  const text = readText(file);
  const [top = ''] = text.split(FIRST_TABLE, 1);
  const [, written] = CODEX_KEY.exec(top) ?? [];
  if (written === undefined) return { keys: [], settingsOn: () => ({}) };
  if (!WHOLE.test(written.trim())) throw badOption(`Expected '${CODEX_LIMIT}' to be an integer.`);
  const limit = Number(written.replaceAll('_', ''));
  return { keys: [`${CODEX_LIMIT}=${limit}`], settingsOn: (met) => toTrigger(limit, met) };
}

function geminiSource(file: string): Source {
  const threshold = checked(GeminiFile, readJson(file)).model?.[GEMINI_THRESHOLD];
  if (threshold === undefined) return { keys: [], settingsOn: () => ({}) };
  return {
    keys: [`model.${GEMINI_THRESHOLD}=${threshold}`],
    settingsOn: () => ({ triggerFraction: threshold }),
  };
}

function piSource(file: string): Source {
  const { enabled, reserveTokens, keepRecentTokens } =
    checked(PiFile, readJson(file)).compaction ?? {};
  const given = Object.entries({ enabled, reserveTokens, keepRecentTokens }).filter(
    ([, value]) => value !== undefined,
  );
  return {
    keys: given.map(([key, value]) => `compaction.${key}=${String(value)}`),
    settingsOn: () => ({
      ...(enabled !== undefined && { auto: enabled }),
      ...(reserveTokens !== undefined && { reserved: reserveTokens }),
      ...(keepRecentTokens !== undefined && { keepTokens: keepRecentTokens }),
    }),
  };
}

/** A smaller window of OpenCode is an earlier trigger: the model itself still has its own. */
function opencodeSource(file: string | undefined, env: Environment = {}): Source {
  const { settings, origins, windows } = readOpencodeConfig(file, env);
  return {
    keys: [
      ...Object.entries(settings).map(
        ([name, value]) => `${origins[name as keyof typeof origins] ?? name}=${String(value)}`,
      ),
      ...Object.entries(windows).map(([model, tokens]) => `${model} limit.context=${tokens}`),
    ],
    settingsOn: (met) => {
      const contextTokens = windows[met.model];
      if (contextTokens === undefined) return settings;
      const { policy, limits } = applySettings(met, settings);
      const usable = usableOf({ policy, limits: { ...limits, contextTokens } });
      return { ...settings, ...(usable !== undefined && toTrigger(usable, met)) };
    },
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
