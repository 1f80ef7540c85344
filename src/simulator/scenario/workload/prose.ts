import type { Piece } from './plan.ts';
import { compose, createSource, type TextSource, type Words } from './words.ts';
import type { Language } from './workload.ts';

/** A speaker and a language. */
export interface Voice {
  readonly language: Language;
  readonly speaker: Speaker;
}

/** A sentence about a project. */
type Sentence = (words: Words) => string;

/** The speaker: people ask, the model reports. */
export type Speaker = 'user' | 'model';

type Speech = Readonly<Record<Speaker, readonly Sentence[]>>;

/** The voice of a model to itself and to tools. */
export const TOOL_VOICE: Voice = { language: 'english', speaker: 'model' };

/** Languages that put no space between sentences. */
const UNSPACED: readonly Language[] = ['chinese', 'japanese'];
/** End of a sentence; after anything else the next one would read on. */
const ENDED = /[.!?]$/;
/** Share of sentences that end a paragraph. */
const PARAGRAPH_RATE = 0.15;

const english: Speech = {
  user: [
    (w) => `Please look at \`${w.symbol()}\` in ${w.path()} first.`,
    (w) => `The ${w.noun()} comes back empty after the second ${w.noun()}.`,
    (w) => `It would be simpler to ${w.verb()} each ${w.noun()} once and keep the result.`,
    (w) => `Why does ${w.symbol()} wait for the ${w.noun()} at all?`,
    (w) => `The test for ${w.noun()} passes alone but not with the others.`,
    (w) => `We should not ${w.verb()} the ${w.noun()} while a ${w.noun()} is open.`,
    (w) => `After line ${w.number()} the ${w.noun()} is never read again.`,
  ],
  model: [
    (w) => `The ${w.noun()} comes back empty after the second ${w.noun()}.`,
    (w) => `I think ${w.symbol()} runs before the ${w.noun()} is ready.`,
    (w) => `Next I will ${w.verb()} the ${w.noun()} and run the tests again.`,
    (w) => `That leaves ${w.number()} cases of the ${w.noun()} that nobody covers.`,
    (w) => `The ${w.type()} holds a stale ${w.noun()}, so every ${w.verb()} starts over.`,
    (w) => `Let me read ${w.path()} to see who calls it.`,
    (w) => `Nothing else imports ${w.type()}, which makes the change small.`,
    (w) => `We should not ${w.verb()} the ${w.noun()} while a ${w.noun()} is open.`,
    (w) => `After line ${w.number()} the ${w.noun()} is never read again.`,
    (w) => `Both callers expect a ${w.type()} and get nothing when the ${w.noun()} is missing.`,
  ],
};

const german: Speech = {
  user: [
    (w) => `Bitte sieh dir zuerst \`${w.symbol()}\` in ${w.path()} an.`,
    (w) => `Nach dem zweiten Durchlauf ist ${w.noun()} leer.`,
    (w) => `Warum wartet ${w.symbol()} überhaupt auf ${w.noun()}?`,
    (w) => `Der Test läuft einzeln durch, zusammen mit ${w.noun()} aber nicht.`,
  ],
  model: [
    (w) => `Nach dem zweiten Durchlauf ist ${w.noun()} leer.`,
    (w) => `Ich glaube, ${w.symbol()} läuft, bevor ${w.type()} bereit ist.`,
    (w) => `Danach führe ich die Tests für ${w.noun()} noch einmal aus.`,
    (w) => `Es bleiben ${w.number()} Fälle übrig, die niemand prüft.`,
    (w) => `${w.type()} hält einen veralteten Stand, deshalb beginnt alles von vorn.`,
    (w) => `Ich lese ${w.path()}, um die Aufrufer zu finden.`,
    (w) => `Außer ${w.type()} benutzt das niemand, die Änderung bleibt also klein.`,
    (w) => `Der Test läuft einzeln durch, zusammen mit ${w.noun()} aber nicht.`,
  ],
};

const russian: Speech = {
  user: [
    (w) => `Сначала посмотри \`${w.symbol()}\` в файле ${w.path()}.`,
    (w) => `После второго запуска ${w.noun()} остаётся пустым.`,
    (w) => `Зачем ${w.symbol()} вообще ждёт ${w.noun()}?`,
    (w) => `Отдельно тест проходит, а вместе с ${w.noun()} нет.`,
  ],
  model: [
    (w) => `После второго запуска ${w.noun()} остаётся пустым.`,
    (w) => `Похоже, ${w.symbol()} вызывается раньше, чем готов ${w.type()}.`,
    (w) => `Затем я снова запущу тесты для ${w.noun()}.`,
    (w) => `Остаётся ${w.number()} случаев, которые никто не проверяет.`,
    (w) => `${w.type()} хранит устаревшее значение, и всё начинается сначала.`,
    (w) => `Прочитаю ${w.path()}, чтобы найти вызовы.`,
    (w) => `Кроме ${w.type()}, это никто не использует.`,
    (w) => `Отдельно тест проходит, а вместе с ${w.noun()} нет.`,
  ],
};

const chinese: Speech = {
  user: [
    (w) => `请先看一下 ${w.path()} 里的 ${w.symbol()}。`,
    (w) => `第二次运行之后，${w.noun()} 变成了空的。`,
    (w) => `为什么 ${w.symbol()} 要等待 ${w.noun()} 呢？`,
    (w) => `单独运行时测试通过，和 ${w.noun()} 一起运行就失败。`,
    () => `先不要改接口，只修复这个问题就好。`,
    () => `如果缓存里没有数据，就直接返回，不要重试。`,
  ],
  model: [
    (w) => `第二次运行之后，${w.noun()} 变成了空的。`,
    (w) => `我觉得 ${w.symbol()} 在 ${w.type()} 准备好之前就执行了。`,
    (w) => `接下来我会重新运行 ${w.noun()} 的测试。`,
    (w) => `还有 ${w.number()} 种情况没有人检查。`,
    (w) => `${w.type()} 保存的是旧的状态，所以每次都要从头开始。`,
    (w) => `我来读 ${w.path()}，看看是谁在调用它。`,
    (w) => `除了 ${w.type()} 以外没有别的地方用到，改动很小。`,
    (w) => `单独运行时测试通过，和 ${w.noun()} 一起运行就失败。`,
  ],
};

const japanese: Speech = {
  user: [
    (w) => `まず ${w.path()} の ${w.symbol()} を確認してください。`,
    (w) => `二回目の実行のあと、${w.noun()} が空になります。`,
    (w) => `なぜ ${w.symbol()} は ${w.noun()} を待つのでしょうか。`,
    (w) => `単独ではテストが通りますが、${w.noun()} と一緒だと失敗します。`,
    () => `インターフェースは変えずに、この問題だけを直してください。`,
  ],
  model: [
    (w) => `二回目の実行のあと、${w.noun()} が空になります。`,
    (w) => `${w.type()} の準備ができる前に ${w.symbol()} が動いているようです。`,
    (w) => `次に ${w.noun()} のテストをもう一度実行します。`,
    (w) => `誰も確認していないケースが ${w.number()} 件残っています。`,
    (w) => `${w.type()} が古い値を持っているので、毎回最初からやり直しになります。`,
    (w) => `呼び出し元を調べるために ${w.path()} を読みます。`,
    (w) => `${w.type()} 以外では使われていないため、変更は小さくて済みます。`,
    (w) => `単独ではテストが通りますが、${w.noun()} と一緒だと失敗します。`,
  ],
};

/** Sentences by language and speaker. */
const sentences = {
  english,
  german,
  russian,
  chinese,
  japanese,
} satisfies Record<Language, Speech>;

/** Prose of exactly the characters of a piece. */
export function writeProse(piece: Piece, voice: Voice, words: Words): string {
  const { language } = voice;
  const text = compose(piece, proseSource(voice, words));
  const end = UNSPACED.includes(language) ? '。' : '.';
  return /[\p{L}\p{N}\s,，、(（]$/u.test(text) ? `${text.slice(0, -1)}${end}` : text;
}

/** Sentences one after another, in paragraphs. */
export function proseSource({ language, speaker }: Voice, words: Words): TextSource {
  const gap = UNSPACED.includes(language) ? '' : ' ';
  const end = () => (words.draw.isTrue(PARAGRAPH_RATE) ? '\n\n' : gap);
  const templates = sentences[language][speaker];
  return createSource(
    () => `${words.draw.one(templates)?.(words) ?? ''}${end()}`,
    (sentence) => `${sentence}${gap === '' || !ENDED.test(sentence) ? '\n' : gap}`,
  );
}
