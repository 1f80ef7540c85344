import type { Environment } from '../../simulator/environment.ts';
import type { ConfigProvenance } from '../../simulator/report/report.ts';
import {
  type OpencodeConfig,
  readOpencodeConfig,
} from '../../simulator/scenario/opencode-config.ts';
import { parseSettings } from '../../simulator/scenario/parse-settings.ts';
import type { SettingValues } from '../../simulator/scenario/settings.ts';

/** Settings in force, and where those came from that were not given on the command line. */
export interface GivenSettings {
  readonly values: SettingValues;
  readonly config?: ConfigProvenance;
  /** Whether that file says nothing of compaction. */
  readonly isConfigSilent?: boolean;
  /** A system prompt of one's own for the summary agent. */
  readonly summaryPrompt?: string | undefined;
}

/** Where settings may be given. */
export interface SettingSources {
  /** `KEY=VALUE` each; they win over the file. */
  readonly set: readonly string[];
  /** An `opencode.json`; without one the environment has no say either. */
  readonly config?: string | undefined;
}

/** The settings from the command line, a configuration file and the environment. */
export function readSettings(
  { set, config: file }: SettingSources,
  environment: Environment,
): GivenSettings {
  const given = parseSettings(set);
  if (file === undefined) return { values: given };
  const config = readOpencodeConfig(file, environment);
  return {
    values: { ...config.settings, ...given },
    config: toProvenance(config, given),
    isConfigSilent: isSilent(config),
    summaryPrompt: config.summaryPrompt,
  };
}

/** The name of the setting in a `KEY=VALUE`. */
export function settingIn(pair: string): string {
  return pair.split('=', 1).join('').trim();
}

function isSilent({ settings, summaryModel, summaryPrompt }: OpencodeConfig): boolean {
  const says = [summaryModel, summaryPrompt, ...Object.values(settings)];
  return says.every((value) => value === undefined);
}

function toProvenance(config: OpencodeConfig, given: SettingValues): ConfigProvenance {
  const { file, summaryModel } = config;
  const origins = Object.entries(config.origins).filter(([name]) => !Object.hasOwn(given, name));
  return {
    file,
    origins: Object.fromEntries(origins),
    ...(summaryModel !== undefined && { summaryModel }),
  };
}
