import { badOption } from '../../lib/errors.ts';
import { quoted } from '../../lib/names.ts';

/** A real model as it is named on the command line. */
export interface ModelSpec {
  /** As in `@ai-sdk/PROVIDER`, or any name beside a base URL. */
  readonly provider: string;
  /** As the provider names it; it may have slashes and colons. */
  readonly model: string;
}

const PREFIX = 'ai:';
const SPEC = /^ai:([a-z0-9][a-z0-9-]*)\/(\S+)$/;

/** Whether a summarizer's name means a real model. */
export function isModelName(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** The model that `ai:PROVIDER/MODEL` names. */
export function parseModelName(name: string): ModelSpec {
  const [, provider, model] = SPEC.exec(name) ?? [];
  if (provider !== undefined && model !== undefined) return { provider, model };
  throw badOption(
    `Expected a real model as 'ai:PROVIDER/MODEL', as in 'ai:openai/gpt-5-mini', got ${quoted(name)}.`,
  );
}
