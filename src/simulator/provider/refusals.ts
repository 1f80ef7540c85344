import type { ProviderError } from '../../engine/index.ts';
import { known } from '../lib/collections.ts';
import FORMS from './refusals.json' with { type: 'json' };

/** The name of a provider's way with requests that are too large. */
export type RefusalName = keyof typeof refusals;

/** The sizes that a refusal reports. */
export interface RefusedSize {
  readonly requestTokens: number;
  readonly windowTokens: number;
}

/** A provider's rules for a request that exceeds the window. */
export interface RefusalRules {
  readonly describes: string;
  readonly source: string;
  /** It refuses, or it cuts the request without a word. */
  readonly kind: 'refuses' | 'truncates';
  /** The error as its client reports it; for `refuses`. */
  readonly errorFor: (size: RefusedSize) => ProviderError;
  /** Tokens that are kept after a cut; for `truncates`. */
  readonly keptTokens: (size: RefusedSize) => number;
}

interface RefusalForm extends Pick<RefusalRules, 'describes' | 'source'> {
  readonly statusCode?: number;
  readonly text: string;
  /** The response with `{text}`, or a size, as a value; absent where it is empty. A string is sent unchanged, else JSON. */
  readonly body?: unknown;
  /** The status line's words, which the client passes on where it cannot read the body; absent where it can. */
  readonly phrase?: string;
}

const forms: Readonly<Record<keyof typeof FORMS, RefusalForm>> = FORMS;
const refusing = Object.fromEntries(
  Object.entries(forms).map(([name, form]) => [name, refusal(form)]),
) as Readonly<Record<keyof typeof FORMS, RefusalRules>>;

const OLLAMA_KEPT_TOKENS = 2;

/** Providers' rules for requests that exceed the window, by name. */
export const refusals = {
  ...refusing,
  'ollama-silent': truncate(refusing.ollama, {
    describes: 'Silently keeps only about half a window',
    source: 'little-coder#128, ollama#17427',
    keptTokens: ({ windowTokens }) => Math.floor(windowTokens / 2) + OLLAMA_KEPT_TOKENS,
  }),
  'zai-silent': truncate(refusing.zai, {
    describes: 'Silently accepts everything',
    source: 'pi, overflow patterns',
    keptTokens: ({ requestTokens }) => requestTokens,
  }),
} satisfies Record<string, RefusalRules>;

function truncate(
  rules: RefusalRules,
  changes: Pick<RefusalRules, 'describes' | 'source' | 'keptTokens'>,
): RefusalRules {
  return { ...rules, ...changes, kind: 'truncates' };
}

function refusal({ describes, source, statusCode = 400, ...form }: RefusalForm): RefusalRules {
  const errorFor = ({ requestTokens, windowTokens }: RefusedSize): ProviderError => {
    const text = form.text
      .replaceAll('{request}', `${requestTokens}`)
      .replaceAll('{window}', `${windowTokens}`)
      .replaceAll('{excess}', `${requestTokens - windowTokens}`);
    const body = typeof form.body === 'string' ? form.body : JSON.stringify(form.body);
    const sent = body
      ?.replaceAll('"{request}"', `${requestTokens}`)
      .replaceAll('"{window}"', `${windowTokens}`)
      .replaceAll('"{text}"', () => JSON.stringify(text))
      .replaceAll('{text}', () => text);
    return { message: form.phrase ?? text, statusCode, ...known({ body: sent }) };
  };
  return { describes, source, kind: 'refuses', errorFor, keptTokens: () => 0 };
}
