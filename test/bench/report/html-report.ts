import type { Figure } from '../measure/figures.js';
import type { BenchReport } from './bench-report.js';

const COLOURS: Readonly<Record<string, string>> = {
  service: '#1769aa',
  A: '#999',
  B: '#2e7d32',
  D: '#b26a00',
};
const BAR = 22;
const LABEL = 210;
const WIDTH = 640;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Bars of one figure, a group for each scenario. */
function bars(
  figures: readonly Figure[],
  title: string,
  valueOf: (figure: Figure) => number,
): string {
  const most = Math.max(...figures.map(valueOf), 1e-9);
  const rows = figures.map((figure, index) => {
    const value = valueOf(figure);
    const y = index * BAR;
    const width = Math.max(1, (value / most) * (WIDTH - LABEL - 70));
    return `<text x="${LABEL - 8}" y="${y + 15}" text-anchor="end">${escaped(`${figure.scenario} · ${figure.server}`)}</text>
<rect x="${LABEL}" y="${y + 3}" width="${width.toFixed(1)}" height="${BAR - 6}" fill="${COLOURS[figure.server] ?? '#555'}"/>
<text x="${(LABEL + width + 6).toFixed(1)}" y="${y + 15}">${value.toFixed(value < 100 ? 1 : 0)}</text>`;
  });
  return `<h2>${escaped(title)}</h2><svg width="${WIDTH}" height="${figures.length * BAR}" role="img" aria-label="${escaped(title)}">${rows.join('\n')}</svg>`;
}

/** The report as one page that needs nothing else. */
export function htmlReport(report: BenchReport): string {
  const { figures, aims, doubts, at, machine, world, rounds } = report;
  const aimRows = aims.map(
    ({ figure, value, low, high, unit, least, aim, isMet }) =>
      `<tr><td>${escaped(figure)}</td><td>${value.toFixed(2)} ${unit}</td><td>${low === undefined ? '' : `${low.toFixed(2)}–${(high ?? low).toFixed(2)}`}</td><td>${least}</td><td>${aim}</td><td>${isMet ? 'met' : '<b>not met</b>'}</td></tr>`,
  );
  const doubt =
    doubts.length === 0
      ? ''
      : `<p><b>Too noisy to believe:</b></p><ul>${doubts.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>`;
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Bench ${escaped(at)}</title>
<style>body{font:14px system-ui,sans-serif;margin:2em;max-width:60em}svg text{font:12px system-ui,sans-serif}table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:left;border-bottom:1px solid #ddd}</style>
<h1>Bench, ${escaped(at)}</h1>
<p>${world} price checks, ${rounds} rounds, ${escaped(machine.cpu)}, ${machine.cores} cores shared with the load generator and PostgreSQL, Node ${escaped(machine.node)}.</p>
${doubt}
<table><tr><th>figure</th><th>value</th><th>rounds</th><th>needed</th><th>aim</th><th></th></tr>${aimRows.join('')}</table>
${bars(figures, 'Requests per second', ({ perSecond }) => perSecond)}
${bars(figures, 'p99, ms', ({ p99 }) => p99)}
${bars(figures, 'Processor time of the server, µs a request', ({ serverCpuUs }) => serverCpuUs)}
${bars(figures, 'Processor time of the database, µs a request', ({ databaseCpuUs }) => databaseCpuUs)}
</html>
`;
}
