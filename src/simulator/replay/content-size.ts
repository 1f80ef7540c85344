import type { ModelContent } from '../../engine/index.ts';
import { bytesOfContent } from './bytes.ts';
import { countContent, type CountText } from './count.ts';

/** What a piece of a model message takes up. */
export interface ContentSize {
  /** Counted tokens, before calibration. */
  readonly counted: number;
  /** Bytes, data URLs included. */
  readonly bytes: number;
}

/** Gives the size of pieces. */
export type SizeOf = (content: ModelContent) => ContentSize;

interface CallSize extends ContentSize {
  readonly tool: string;
}

/** Measures pieces; a call once for all parts that have its input, whatever has become of its output. */
export function createSizes(count: CountText): SizeOf {
  const calls = new WeakMap<object, CallSize>();
  const measure = (content: ModelContent): ContentSize => ({
    counted: countContent(content, count),
    bytes: bytesOfContent(content),
  });
  return (content) => {
    if (content.type !== 'tool-call') return measure(content);
    const { tool, input } = content;
    if (typeof input !== 'object' || input === null) return measure(content);
    const known = calls.get(input);
    if (known?.tool === tool) return known;
    const { counted, bytes } = measure(content);
    const size = { counted, bytes, tool };
    calls.set(input, size);
    return size;
  };
}
