import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import type { SourceFile } from '../format.ts';
import { maybeText } from '../reading/lenient.ts';
import { parseEvent } from './event.ts';

const instanceSchema = z.object({
  instance_id: z.union([z.string(), z.number().transform(String)]),
  instruction: maybeText,
  history: z.array(z.unknown()),
});

/** One task of an evaluation, with everything that happened in it. */
export type Instance = z.infer<typeof instanceSchema>;

/** The instances of a file, with `undefined` for what is none; or `undefined` if it holds no instance. */
export function findInstances(file: SourceFile): readonly (Instance | undefined)[] | undefined {
  const instances = file.lines().records.map((record) => instanceSchema.safeParse(record).data);
  return instances.some(hasEvents) ? instances : undefined;
}

function hasEvents(instance: Instance | undefined): boolean {
  const [first] = instance?.history.flat() ?? [];
  return isObject(first) && parseEvent(first) !== undefined;
}
