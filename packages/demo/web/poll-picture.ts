import type { PollBatch } from '@deal-sets/client';
import { percent, picture, svg } from '@deal-sets/mcp-app/svg.js';
import { plural } from './format.js';

/** The time that the picture covers, in milliseconds. */
export const COVERED_MS = 60_000;

/** The vertical places of the marks, the bars and the ticks, in pixels. */
const MARK_Y = 10;
const BAR_Y = 20;
const BAR_HEIGHT = 14;
const TICK_HEIGHT = 6;
const HEIGHT = BAR_Y + BAR_HEIGHT + TICK_HEIGHT + 20;

/**
 * Draws the last minute of a poll: for each response a bar from its `since` to its
 * `Service-As-Of`, a tick where it ends, and a mark if it returned a change. Bars that touch show
 * that nothing was skipped.
 *
 * @param batches the responses, oldest first, at least one.
 */
export function pollPicture(batches: readonly PollBatch[]): SVGSVGElement {
  const endMs = Date.parse(batches.at(-1)?.asOf ?? '');
  const place = (time: string): number => {
    const beforeMs = time === '' ? COVERED_MS : endMs - Date.parse(time);
    return 100 * (1 - Math.min(beforeMs / COVERED_MS, 1));
  };
  const bottom = BAR_Y + BAR_HEIGHT;
  const drawn = batches.flatMap(({ since, asOf, entries }, at) => {
    const [from, to] = [place(since), place(asOf)];
    const x = percent(to);
    const isChange = since !== '' && entries.length > 0;
    const bar = { x: percent(from), width: percent(to - from), y: BAR_Y, height: BAR_HEIGHT };
    return [
      svg(isChange ? 'rect.changed' : at % 2 === 0 ? 'rect.even' : 'rect.odd', bar),
      svg('line', { x1: x, x2: x, y1: bottom, y2: bottom + TICK_HEIGHT }),
      ...(isChange ? [svg('circle.best', { cx: percent((from + to) / 2), cy: MARK_Y, r: 5 })] : []),
    ];
  });
  const changed = batches.filter(({ since, entries }) => since !== '' && entries.length > 0);
  const alternative = `The last minute of the poll: ${plural(batches.length, 'response')}, ${changed.length} with a change. Each since is the Service-As-Of of the response before it.`;
  return picture(HEIGHT, alternative, [
    ...drawn,
    svg('text', { x: 0, y: HEIGHT - 4 }, 'a minute ago'),
    svg('text', { x: '100%', y: HEIGHT - 4, 'text-anchor': 'end' }, 'now'),
  ]);
}
