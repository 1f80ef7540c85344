import { isRecord } from '../read-field.ts';
import { type CompactingAnswer, type Hooks, type Tools } from '../state.ts';
import {
  being,
  both,
  callable,
  expectForm,
  fields,
  finite,
  flag,
  having,
  id,
  listOf,
  optional,
  text,
} from './check.ts';

const toolsForm = having<Tools>({
  now: finite,
  newId: callable,
  hooks: optional(
    fields<Hooks>({ compacting: optional(callable), autoContinue: optional(callable) }),
  ),
});

/** Who waits for something is easily told apart from who says nothing; the engine waits for nobody. */
const answerForm = both(
  being('no promise', (value) => !(isRecord(value) && 'then' in value)),
  optional(fields<CompactingAnswer>({ context: optional(listOf(text)), prompt: optional(text) })),
);

/** Tools that are held to their types: a `TypeError` tells where a host does not keep to them. */
export function checkedTools(tools: Tools): Tools {
  const { newId, hooks } = expectForm('tools', tools, toolsForm);
  return {
    ...tools,
    newId: (prefix) => expectForm('tools.newId()', newId(prefix), id),
    ...(hooks && { hooks: checkedHooks(hooks) }),
  };
}

function checkedHooks({ compacting, autoContinue }: Hooks): Hooks {
  return {
    ...(compacting && {
      compacting: (request) =>
        expectForm('tools.hooks.compacting()', compacting(request), answerForm),
    }),
    ...(autoContinue && {
      autoContinue: () => expectForm('tools.hooks.autoContinue()', autoContinue(), flag),
    }),
  };
}
