import type { Figure } from '../measure/figures.js';
import type { Ratio } from '../measure/figures.js';
import type { Growth } from '../measure/growth.js';
import { MOST_GROWTH } from './aims.js';
import type { BenchReport } from './bench-report.js';

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n');
}

/** Processor time of a request, server and database together: what a busy machine disturbs least. */
function costOf({ serverCpuUs, databaseCpuUs }: Figure): number {
  return serverCpuUs + databaseCpuUs;
}

function figureRow(figure: Figure, b: Figure | undefined): string[] {
  return [
    figure.scenario,
    figure.server,
    figure.perSecond.toFixed(0),
    b ? (figure.perSecond / b.perSecond).toFixed(2) : '',
    b ? (costOf(b) / costOf(figure)).toFixed(2) : '',
    `±${((figure.spread * 100) / 2).toFixed(0)}%`,
    figure.p50.toFixed(1),
    figure.p99.toFixed(1),
    figure.serverCpuUs.toFixed(0),
    figure.databaseCpuUs.toFixed(0),
    figure.residentMb.toFixed(0),
  ];
}

/** The report as it is printed. */
export function textReport({ figures, aims, doubts, world, rounds }: BenchReport): string {
  const head = [
    'scenario',
    'server',
    'req/s',
    '× B',
    'by CPU',
    'spread',
    'p50 ms',
    'p99 ms',
    'CPU µs',
    'DB µs',
    'RSS MB',
  ];
  const figureTable = table([
    head,
    ...figures.map((figure) =>
      figureRow(
        figure,
        figures.find(({ scenario, server }) => scenario === figure.scenario && server === 'B'),
      ),
    ),
  ]);
  const aimTable = table([
    ['figure', 'value', 'rounds', 'needed', 'aim', ''],
    ...aims.map(({ figure, value, low, high, unit, least, aim, isMet }) => [
      figure,
      `${value.toFixed(2)} ${unit}`,
      low === undefined || high === undefined ? '' : `${low.toFixed(2)}–${high.toFixed(2)}`,
      String(least),
      String(aim),
      isMet ? 'met' : 'NOT MET',
    ]),
  ]);
  const belief =
    doubts.length === 0
      ? 'The rounds agree.'
      : `Too noisy to believe:\n${doubts.map((line) => `  ${line}`).join('\n')}`;
  return `\n${world} price checks, ${rounds} rounds; all servers gave the same answers\n\n${figureTable}\n\n${aimTable}\n\n${belief}\n`;
}

/** What growth costs, as it is printed. */
export function growthReport(
  growth: Growth,
  { rows, rounds }: { readonly rows: number; readonly rounds: number },
): string {
  const lines = Object.entries(growth).map(([name, { value, low, high }]: [string, Ratio]) => [
    name,
    value.toFixed(2),
    `${low.toFixed(2)}–${high.toFixed(2)}`,
    name === 'one' || name === 'list' ? (value <= MOST_GROWTH ? 'met' : 'NOT MET') : '',
  ]);
  const head = ['time of a request', '× at 200k', 'rounds', `needed ${MOST_GROWTH}`];
  return `\n${rows} price checks beside 200,000, ${rounds} rounds\n\n${table([head, ...lines])}\n`;
}
