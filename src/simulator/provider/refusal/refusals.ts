import { gatewayRefusals } from './gateways.ts';
import { hostedRefusals } from './hosted.ts';
import { localRefusals } from './local.ts';
import type { RefusalRules } from './refusal.ts';
import { truncate } from './refuse.ts';

/** What Ollama keeps of the beginning beside half of the window. */
const OLLAMA_KEPT_TOKENS = 2;

/** What providers do with a request that is too large, by name. */
export const refusals = {
  ...hostedRefusals,
  ...gatewayRefusals,
  ...localRefusals,
  'ollama-silent': truncate(localRefusals.ollama, {
    describes: 'Silently keeps only about half a window',
    source: 'little-coder#128, ollama#17427',
    keptTokens: ({ windowTokens }) => Math.floor(windowTokens / 2) + OLLAMA_KEPT_TOKENS,
  }),
  'zai-silent': truncate(hostedRefusals.zai, {
    describes: 'Silently accepts everything',
    source: 'pi, overflow patterns',
    keptTokens: ({ requestTokens }) => requestTokens,
  }),
} satisfies Record<string, RefusalRules>;

/** The name of a provider's way with requests that are too large. */
export type RefusalName = keyof typeof refusals;
