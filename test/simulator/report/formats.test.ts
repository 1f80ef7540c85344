import { formats } from '../../../src/simulator/report/formats.ts';
import { describeReportFormat } from '../../contracts/report-format.ts';

for (const [name, format] of Object.entries(formats)) describeReportFormat(name, format);
