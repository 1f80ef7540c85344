import { quoted } from '../../names.ts';
import { type Kind, skippedResult } from './kind.ts';
import { kinds, testedKinds } from './kinds/index.ts';
import type { Vector, VectorResult } from './vector.ts';

/** Evaluates vectors with the engine: a result for each of their profiles. */
export function runVectors(vectors: readonly Vector[]): readonly VectorResult[] {
  return vectors.flatMap((vector) => {
    const kind = findKind(vector.kind);
    return kind === undefined ? [skippedResult(vector, whyUnknown(vector.kind))] : kind(vector);
  });
}

function findKind(name: string): Kind | undefined {
  return Object.hasOwn(kinds, name) ? kinds[name as keyof typeof kinds] : undefined;
}

function whyUnknown(name: string): string {
  if (testedKinds.has(name)) {
    return `Cases of kind ${quoted(name)} are told in fields of their own: each is a test that names its id.`;
  }
  return `Unknown kind ${quoted(name)}. Expected one of: ${Object.keys(kinds).join(', ')}.`;
}
