import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';

/** The folder of the project, which is that of the action. */
export const ACTION_FOLDER = resolve(import.meta.dirname, '../..');

const Id = z.string().regex(/^[_a-zA-Z][\w-]*$/);
const Condition = z.union([z.boolean(), z.string()]).exactOptional();

const RunStep = z.strictObject({
  id: Id.exactOptional(),
  name: z.string().exactOptional(),
  if: Condition,
  'continue-on-error': z.boolean().exactOptional(),
  'working-directory': z.string().exactOptional(),
  env: z.record(z.string(), z.string()).default({}),
  shell: z.enum(['bash', 'sh', 'pwsh', 'powershell', 'cmd', 'python']),
  run: z.string(),
});

/** A composite action with steps that run commands. Source: GitHub's metadata syntax for actions. */
export const ActionFile = z.strictObject({
  name: z.string(),
  description: z.string(),
  author: z.string().exactOptional(),
  inputs: z.record(
    Id,
    z.strictObject({
      description: z.string(),
      required: z.boolean().exactOptional(),
      default: z.string().exactOptional(),
      deprecationMessage: z.string().exactOptional(),
    }),
  ),
  outputs: z.record(Id, z.strictObject({ description: z.string(), value: z.string() })),
  runs: z.strictObject({ using: z.literal('composite'), steps: z.array(RunStep).min(1) }),
});

const Permissions = z.record(z.string(), z.enum(['read', 'write', 'none']));

/** As far as the project goes. Source: GitHub's workflow syntax. */
export const Workflow = z.strictObject({
  name: z.string(),
  on: z.union([z.string(), z.record(z.string(), z.unknown())]),
  permissions: Permissions,
  concurrency: z
    .strictObject({ group: z.string(), 'cancel-in-progress': z.boolean() })
    .exactOptional(),
  jobs: z.record(
    z.string(),
    z.strictObject({
      needs: z.string().exactOptional(),
      permissions: Permissions.exactOptional(),
      'runs-on': z.string(),
      container: z.string().exactOptional(),
      'timeout-minutes': z.number(),
      strategy: z.object({ matrix: z.record(z.string(), z.array(z.string())) }).exactOptional(),
      steps: z.array(
        z.strictObject({
          uses: z.string().exactOptional(),
          if: Condition,
          with: z
            .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
            .exactOptional(),
          run: z.string().exactOptional(),
          env: z.record(z.string(), z.string()).exactOptional(),
        }),
      ),
    }),
  ),
});

/** A step of an action. */
export type ActionStep = z.infer<typeof RunStep>;

/** What a file of YAML in the project holds. */
export function readYaml(path: string): unknown {
  return parse(readFileSync(resolve(ACTION_FOLDER, path), 'utf8'));
}
