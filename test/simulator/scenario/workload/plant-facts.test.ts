import { describe, expect, it } from 'vitest';
import type { AssistantMessage, Message } from '../../../../src/engine/index.ts';
import { viewText } from '../../../../src/simulator/metrics/quality/used-strings.ts';
import { scoreText } from '../../../../src/simulator/metrics/quality/score-text.ts';
import {
  findWorkload,
  type Language,
  workloads,
} from '../../../../src/simulator/scenario/workload/workload.ts';
import { FACT_KINDS, type PlantedFact } from '../../../../src/simulator/session/facts.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { generate } from './sessions.ts';

const SEEDS = [1, 2, 3, 4];
const claude = SEEDS.flatMap((seed) => generate(findWorkload('claude-code'), 15, seed));
const evaluated = SEEDS.flatMap((seed) =>
  generate({ ...findWorkload('claude-code'), bank: 'evaluation' }, 10, seed),
);
const all = [
  ...Object.keys(workloads).flatMap((name) => generate(findWorkload(name), 3)),
  ...evaluated,
];
const factsOf = (session: Session): readonly PlantedFact[] => session.facts ?? [];
const stepsOf = (session: Session): readonly AssistantMessage[] =>
  session.messages.filter((message) => message.role === 'assistant');

/** What a step holds of whom; of the user, the prompt that it answers. */
function textOf(session: Session, { step, source }: Pick<PlantedFact, 'step' | 'source'>): string {
  const message = stepsOf(session)[step - 1];
  if (source === 'user') {
    const prompt = session.messages.find(({ id }) => id === message?.parentId);
    return JSON.stringify(prompt?.parts);
  }
  const isTool = source === 'tool';
  const texts = message?.parts.map((part) => {
    if (part.type !== 'tool') return part.type === 'text' && !isTool ? part.text : '';
    if (!isTool) return JSON.stringify(part.state.input);
    return part.state.status === 'completed' ? part.state.output : JSON.stringify(part.state);
  });
  return texts?.join('\n') ?? '';
}

const hasLongText = ({ parts }: Message): boolean =>
  parts.some((part) => part.type === 'text' && part.text.length > 250);

const injectionsOf = (sessions: readonly Session[]) =>
  sessions.flatMap((session) =>
    factsOf(session).flatMap((fact) => (fact.role === 'injection' ? [{ session, fact }] : [])),
  );
const everything = (messages: readonly Message[]) => JSON.stringify(messages);

describe('planted facts', () => {
  it('stand where they say, value and subject in one line', () => {
    for (const session of all) {
      for (const fact of factsOf(session)) {
        const lines = textOf(session, fact).split('\n');
        const found = lines.filter(
          (line) => line.includes(fact.value) && line.includes(fact.subject),
        );
        expect(found, `${session.name} ${fact.id}`).not.toEqual([]);
      }
    }
  });

  it('are used where they are needed, after they are said', () => {
    let uses = 0;
    for (const session of all) {
      for (const { neededAt, step, value, id } of factsOf(session)) {
        for (const needed of neededAt) {
          uses += 1;
          expect(needed).toBeGreaterThan(step);
          const text = textOf(session, { step: needed, source: 'assistant' });
          expect(text, `${session.name} ${id} ${needed}`).toContain(value);
        }
      }
    }
    expect(uses).toBeGreaterThan(50);
  });

  it('do not stand in the session before', () => {
    for (const session of claude) {
      const texts = session.messages.map((message) => JSON.stringify(message));
      for (const { step, value, kind, supersedes, role } of factsOf(session)) {
        if (role === 'guessable' || (kind === 'todo' && supersedes !== undefined)) continue;
        const index = session.messages.indexOf(stepsOf(session)[step - 1]!);
        const first = texts.findIndex((own) => own.includes(value));
        expect(first).toBeGreaterThanOrEqual(Math.max(0, index - 1));
      }
    }
  });

  it('have values that no other session has', () => {
    const values = claude.flatMap((session) => [
      ...new Set(
        factsOf(session).flatMap(({ role, value }) => (role === 'guessable' ? [] : [value])),
      ),
    ]);
    expect(values.length).toBeGreaterThan(300);
    expect(new Set(values).size).toBe(values.length);
  });

  it('are of every kind, and lie all over long sessions', () => {
    expect(new Set(claude.flatMap(factsOf).map(({ kind }) => kind))).toEqual(new Set(FACT_KINDS));
    const long = claude.filter((session) => factsOf(session).length >= 30);
    expect(long.length).toBeGreaterThan(3);
    for (const session of long) {
      const tenths = new Set(factsOf(session).map(({ posPct }) => Math.floor(posPct / 10)));
      expect(tenths.size).toBe(10);
    }
  });

  it('are replaced by later ones about the same, and not needed from then on', () => {
    const replaced = claude.flatMap((session) =>
      factsOf(session).flatMap((fact) => {
        const old = factsOf(session).find(({ id }) => id === fact.supersedes);
        return old === undefined ? [] : [{ old, fact }];
      }),
    );
    expect(replaced.length).toBeGreaterThan(50);
    const again = replaced.filter(({ old }) => old.supersedes !== undefined);
    expect(again.length).toBeGreaterThan(5);
    expect(new Set(replaced.map(({ fact }) => fact.todoState))).toEqual(
      new Set([undefined, 'in_progress', 'done', 'cancelled']),
    );
    for (const { old, fact } of replaced) {
      expect([fact.subject, fact.kind]).toEqual([old.subject, old.kind]);
      expect(fact.step).toBeGreaterThan(old.step);
      expect(Math.max(0, ...old.neededAt)).toBeLessThan(fact.step);
      expect(fact.value === old.value).toBe(fact.kind === 'todo');
    }
  });

  it('have subjects that no other fact of the session has, but for what replaces it', () => {
    for (const session of claude) {
      const own = factsOf(session).filter(({ supersedes }) => supersedes === undefined);
      expect(new Set(own.map(({ subject }) => subject)).size).toBe(own.length);
    }
  });

  it('rest on others that hold when they are said', () => {
    const resting = claude.flatMap((session) =>
      factsOf(session).flatMap(({ dependsOn = [], step }) =>
        dependsOn.map((id) => ({
          step,
          basis: factsOf(session).find((fact) => fact.id === id),
          end: factsOf(session).find(({ supersedes }) => supersedes === id),
        })),
      ),
    );
    for (const { step, basis, end } of resting) {
      expect(basis?.step).toBeLessThan(step);
      expect(end?.step ?? Infinity).toBeGreaterThan(step);
    }
    expect(resting.length).toBeGreaterThan(20);
    expect(resting.filter(({ end }) => end !== undefined).length).toBeGreaterThan(3);
  });

  it('have look-alikes that differ in one letter, and controls that everybody knows', () => {
    const decoys = claude.flatMap((session) =>
      factsOf(session).flatMap((decoy) => {
        const fact = factsOf(session).find(({ id }) => id === decoy.about);
        return decoy.role === 'distractor' ? [{ decoy, fact }] : [];
      }),
    );
    expect(decoys.length).toBeGreaterThan(50);
    for (const { decoy, fact } of decoys) {
      const differing = Array.from(fact!.value).filter(
        (letter, index) => letter !== decoy.value[index],
      );
      expect(differing).toHaveLength(1);
      expect(decoy.value).toHaveLength(fact!.value.length);
      expect(decoy.subject).toContain(fact!.subject);
      expect(decoy.neededAt).toEqual([]);
    }
    const guessable = claude.flatMap(factsOf).filter(({ role }) => role === 'guessable');
    expect(guessable.length).toBeGreaterThan(20);
  });

  it('are attacked only where a workload asks for it, in outputs, after they were said', () => {
    expect(injectionsOf(all)).toEqual([]);
    const attacked = injectionsOf(
      generate({ ...findWorkload('claude-code'), planting: { injections: 2 } }, 10),
    );
    expect(attacked.length).toBeGreaterThan(10);
    for (const { session, fact } of attacked) {
      const about = factsOf(session).find(({ id }) => id === fact.about)!;
      expect([fact.source, about.criticality]).toEqual(['tool', 'must']);
      expect(fact.step).toBeGreaterThan(about.step);
    }
  });

  it('are as many as asked for, and said as often', () => {
    const workload = findWorkload('opencode');
    const count = (factsPerKilotoken: number) =>
      generate({ ...workload, planting: { factsPerKilotoken } }, 3).flatMap(factsOf).length;
    expect(count(0.4) / count(0.1)).toBeGreaterThan(2.5);
    const [often] = generate({ ...workload, planting: { mentions: 4 } }, 1);
    const text = everything(often!.messages);
    const shares = factsOf(often!)
      .filter(({ role, supersedes }) => role === undefined && supersedes === undefined)
      .map(({ subject }) => text.split(JSON.stringify(subject).slice(1, -1)).length - 1);
    expect(shares.filter((times) => times >= 3).length).toBeGreaterThan(shares.length / 2);
  });

  it.each<[Language, RegExp]>([
    ['german', /\b(?:der|die|das|zu|eines|ein|im|laut)\b/],
    ['russian', /\p{Script=Cyrillic}/u],
    ['chinese', /\p{Script=Han}/u],
    ['japanese', /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ])('are said in %s where people speak it, controls too', (language, words) => {
    const workload = { ...findWorkload('opencode'), languages: { [language]: 1 } };
    const sessions = generate(workload, 3);
    const own = sessions.flatMap(factsOf).filter(({ kind, role }) => kind !== 'error' || role);
    expect(own.length).toBeGreaterThan(20);
    expect(own.some(({ role }) => role === 'guessable')).toBe(true);
    expect(own.filter(({ subject }) => !words.test(subject))).toEqual([]);
    expect(everything(sessions.flatMap(({ messages }) => messages))).not.toMatch(
      /Using \S+ for this|Next comes|This goes by|Leaving \S+ alone|As everybody knows/,
    );
  });

  it.each<Language>(['english', 'german', 'russian', 'chinese', 'japanese'])(
    'are nearly all kept by a text that says all, in %s',
    (language) => {
      const planting = { factsPerKilotoken: 0.7, injections: 2 };
      const workload = { ...findWorkload('opencode'), languages: { [language]: 1 }, planting };
      const states = generate(workload, 3).flatMap((session) => {
        const scored = scoreText({ text: viewText(session.messages), facts: factsOf(session) });
        return scored.facts.map(({ state }) => state);
      });
      expect(states.length).toBeGreaterThan(150);
      expect(states.filter((state) => state === 'kept').length / states.length).toBeGreaterThan(
        0.97,
      );
    },
  );

  it('forbid only where a person says so', () => {
    const constraints = all.flatMap(factsOf).filter(({ kind }) => kind === 'constraint');
    expect(constraints.length).toBeGreaterThan(20);
    expect(new Set(constraints.map(({ role, source }) => role ?? source))).toEqual(
      new Set(['user']),
    );
  });

  it('come with a control in every session that has room for it', () => {
    const sessions = [...claude, ...all].filter(
      (session) => factsOf(session).length >= 5 && session.messages.some(hasLongText),
    );
    const without = sessions.filter((session) =>
      factsOf(session).every(({ role }) => role !== 'guessable'),
    );
    expect(sessions.length).toBeGreaterThan(30);
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  it('are numbered in their order', () => {
    for (const session of claude) {
      const ids = factsOf(session).map(({ id }) => id);
      expect(ids).toEqual(ids.map((_, index) => `fact-${index + 1}`));
      expect(factsOf(session).map(({ serial }) => serial)).toEqual(
        ids.map((_, index) => index + 1),
      );
    }
  });
});
