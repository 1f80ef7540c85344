import { describe, expect, it } from 'vitest';
import {
  isContextOverflow,
  type OverflowErrorRuleName,
  overflowErrorRules,
  type ProviderError,
} from '../../../../src/engine/index.ts';
import {
  fileFailure,
  readError,
  toFailedAnswer,
} from '../../../../src/simulator/summarizer/model/failure.ts';

const RULES = Object.keys(overflowErrorRules) as OverflowErrorRuleName[];
const LONG = 'x y '.repeat(1_000);

/** What is kept of a provider's refusal where all of these belong to the request. */
function file(responseBody: string, { message = 'Bad Request', said = [] as string[] } = {}) {
  const thrown = Object.assign(new Error(message), { statusCode: 400, responseBody });
  const clean = (text: string) => said.reduce((left, one) => left.replaceAll(one, '…'), text);
  const answer = toFailedAnswer(readError(thrown), 1);
  return { answer, kept: fileFailure(answer, clean) };
}

function knownBy(error: ProviderError | undefined): readonly string[] {
  return RULES.filter((rule) => error !== undefined && isContextOverflow(error, rule));
}

describe('fileFailure', () => {
  it('cleans and cuts everything that a provider said', () => {
    const { kept } = file(`{"detail": "my words ${LONG}"}`, { said: ['my words'] });
    expect(JSON.stringify(kept)).not.toContain('my words');
    expect(kept.error?.body?.length).toBe(300);
    expect(kept.reason.length).toBeLessThan(330);
    expect(kept).toMatchObject({ isOverflow: false, tries: 1, error: { message: 'Bad Request' } });
    expect(kept.failure).toEqual({ type: 'fail', message: kept.reason });
  });

  it('leaves a short refusal as it came', () => {
    const { answer, kept } = file(
      '{"error":{"message":"No such model.","code":"model_not_found"}}',
    );
    expect(kept).toEqual(answer);
  });

  it.each<[string, string, { readonly message?: string; readonly said?: string[] }]>([
    ['by words behind much else', `${LONG} Your prompt is too long.`, {}],
    [
      'by words that the session has too',
      'The prompt is too long, really.',
      { said: ['prompt is too long'] },
    ],
    [
      'by words around much else',
      `input token count ${'1 2 '.repeat(200)} exceeds the maximum`,
      {},
    ],
    ['by words of the message', '{}', { message: `${LONG} maximum context length is 8192 tokens` }],
    ['by its code', `{"error":{"message":"${LONG}","code":"context_length_exceeded"}}`, {}],
    [
      'by its code, which the session has too',
      '{"error":{"message":"No.","code":"context_length_exceeded"}}',
      { said: ['context_length_exceeded'] },
    ],
    ['for none, since it is a rate limit', `too many tokens ${LONG} rate limit reached`, {}],
  ])('has every rule know an overflow as before: %s', (_, body, options) => {
    const { answer, kept } = file(body, options);
    expect(knownBy(kept.error)).toEqual(knownBy(answer.error));
    expect(kept.isOverflow).toBe(answer.isOverflow);
    expect(JSON.stringify(kept).length).toBeLessThan(2_500);
  });

  it('keeps a failure without an error', () => {
    const failure = { type: 'time-out', afterMs: 5 } as const;
    const answer = { state: 'failed', reason: 'no answer', isOverflow: false, failure } as const;
    expect(fileFailure(answer, (text) => text)).toEqual(answer);
  });
});
