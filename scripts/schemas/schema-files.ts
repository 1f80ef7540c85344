import { toJsonSchema as toScenarioSchema } from '../../src/simulator/scenario/file/schema.ts';
import { toJsonSchema as toConfigSchema } from '../../src/simulator/scenario/gate/schema.ts';
import { toJsonSchema as toSessionSchema } from '../../src/simulator/session/canonical/lines.ts';

/** The JSON Schemas that editors read, by their path in the repository. */
export const schemaFiles: ReadonlyMap<string, string> = new Map([
  ['schemas/config.json', toText(toConfigSchema())],
  ['schemas/scenario.json', toText(toScenarioSchema())],
  ['schemas/session.json', toText(toSessionSchema())],
]);

function toText(schema: Record<string, unknown>): string {
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}
