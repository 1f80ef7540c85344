import { UNKNOWN } from './numbers.js';

/** @import { PageData, PageMetric, PageRun } from '../page-data.ts' */

const COLORS = 6;

/** @typedef {readonly [metric: PageMetric, index: number]} PlacedMetric A metric with its place among all. */

/**
 * The name of a policy or cell.
 * @param {PageData} report
 * @param {number} index
 */
export function groupName({ groups }, index) {
  const names = groups[index]?.names ?? [];
  return names.filter((name) => name !== UNKNOWN).join(' · ');
}

/**
 * The names of policies or cells.
 * @param {PageData} report
 */
export function groupTitle({ groupTitles }) {
  return groupTitles.join(' · ');
}

/**
 * The name of a policy or cell with what was varied, where the name alone does not tell it.
 * @param {PageData} report
 * @param {number} index
 */
export function groupLabel(report, index) {
  const { groups, groupTitles } = report;
  if (groupTitles.length < 2) return groupName(report, index);
  const names = groups[index]?.names ?? [];
  return names.map((name, nth) => `${groupTitles[nth] ?? ''} ${name}`).join(' · ');
}

/**
 * The values of policies or cells.
 * @param {Pick<PageData, 'valuesAre'>} report
 */
export function valuesTitle({ valuesAre = 'Sums over completed runs' }) {
  return `${valuesAre}; for contexts, the largest`;
}

/**
 * The name of a run among others, with its seed where that tells it apart.
 * @param {PageData} report
 * @param {PageRun} run
 * @param {readonly PageRun[]} all
 */
export function runTitle(report, run, all) {
  const isOneOfSeveral = all.some((other) => other !== run && other.g === run.g);
  return groupName(report, run.g) + (isOneOfSeveral ? ` (seed ${run.seed})` : '');
}

/**
 * The colour of a policy or cell; they come round again.
 * @param {number} group
 */
export function colorOf(group) {
  return `var(--p${group % COLORS})`;
}

/**
 * The colour of a policy or cell among choices; what nobody can choose has none of its own.
 * @param {PageData} report
 * @param {number} group
 */
export function groupColor({ arms }, group) {
  return arms?.rows[group]?.isImpossible ? 'var(--soft)' : colorOf(group);
}

/**
 * The name by which people know a session, else that of its file.
 * @param {PageData} report
 * @param {number} session
 */
export function sessionName({ sessions, sessionNames = sessions }, session) {
  return sessionNames[session] ?? '';
}

/**
 * Every metric.
 * @param {PageData} report
 * @returns {readonly PlacedMetric[]}
 */
export function allMetrics({ metrics }) {
  return metrics.map((metric, index) => [metric, index]);
}

/**
 * Metrics of the short table.
 * @param {PageData} report
 */
export function mainMetrics(report) {
  return allMetrics(report).filter(([metric]) => metric.isMain);
}

/**
 * Metrics by their names, without those that the page does not have.
 * @param {PageData} report
 * @param {readonly string[]} names
 */
export function metricsNamed(report, names) {
  return names.flatMap((name) => allMetrics(report).filter(([metric]) => metric.name === name));
}
