import { factsAt } from '../../../../src/simulator/metrics/quality/retention.ts';
import { generateSession } from '../../../../src/simulator/scenario/workload/generate-session.ts';
import { findWorkload } from '../../../../src/simulator/scenario/workload/workload.ts';
import type {
  FileOperation,
  PlantedFact,
  TodoState,
} from '../../../../src/simulator/session/facts.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';

/** Languages in which facts are said. */
export const LANGUAGES = ['english', 'chinese', 'japanese'] as const;
export type Language = (typeof LANGUAGES)[number];

const BOXES: Readonly<Record<TodoState, string>> = {
  pending: '[ ]',
  in_progress: '[~]',
  done: '[x]',
  cancelled: '[-]',
};
const OPERATIONS: Readonly<Record<Language, Readonly<Record<FileOperation, string>>>> = {
  english: {
    read: 'Read',
    edit: 'Edited',
    create: 'Created',
    delete: 'Deleted',
    rename: 'Renamed',
  },
  chinese: {
    read: '查看了',
    edit: '修改了',
    create: '新建了',
    delete: '删除了',
    rename: '重命名了',
  },
  japanese: {
    read: '参照：',
    edit: '編集：',
    create: '作成：',
    delete: '削除：',
    rename: 'リネーム：',
  },
};
const DENIED: Readonly<Record<Language, (value: string) => string>> = {
  english: (value) => `never use ${value}`,
  chinese: (value) => `禁止使用 ${value}`,
  japanese: (value) => `${value} は使用禁止`,
};

/** A session of many facts. */
export function sessionIn(
  language: Language,
  { seed = 1, factsPerKilotoken = 1.5, injections = 0, index = 2 } = {},
): Session {
  const planting = { factsPerKilotoken, injections };
  const workload = { ...findWorkload('opencode'), languages: { [language]: 1 }, planting };
  return generateSession(workload, { seed, index });
}

/** Everything that a session says. */
export function textOfSession({ messages }: Session): string {
  return messages
    .flatMap(({ parts }) =>
      parts.map((part) => {
        if (part.type === 'text' || part.type === 'reasoning') return part.text;
        if (part.type !== 'tool') return '';
        const output = part.state.status === 'completed' ? part.state.output : '';
        return `${Object.values(part.state.input as object).join('\n')}\n${output}`;
      }),
    )
    .join('\n');
}

/** A line that says a fact. */
export function lineOf(fact: PlantedFact, language: Language): string {
  const { subject, value, todoState, operation, polarity } = fact;
  if (todoState !== undefined) return `- ${BOXES[todoState]} ${subject}: ${value}`;
  if (operation !== undefined) return `- ${OPERATIONS[language][operation]} ${value} (${subject})`;
  return `- ${subject}: ${polarity === 'dont' ? DENIED[language](value) : value}`;
}

/** A summary that says everything that holds. */
export function oracle(facts: readonly PlantedFact[], language: Language): string {
  return summaryOf(factsAt(facts).live.map((fact) => lineOf(fact, language)));
}

/** Lines below the headings that are asked for. */
export function summaryOf(lines: readonly string[]): string {
  return ['## Goal', ...lines.slice(0, 1), '', '## Progress', ...lines.slice(1), ''].join('\n');
}

export const HEADINGS = ['## Goal', '## Progress'];
