import { METRIC_NAMES, metrics } from '../../../src/simulator/metrics/metrics.ts';
import { describeMetric } from '../../contracts/metric.ts';

for (const name of METRIC_NAMES) describeMetric(name, metrics[name]);
