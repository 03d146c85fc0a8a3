import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';
import { describeWith, findProgram } from './describe-with.js';

/** The browser's program, or undefined on a machine without one. `CHROMIUM` names another. */
export const BROWSER = findProgram(
  process.env['CHROMIUM'] ?? '',
  'chromium-headless-shell',
  'chromium',
);

/** `describe` where there is a browser. */
export const describeWithBrowser = (name: string, tests: () => void): void =>
  describeWith(BROWSER, 'chromium-headless-shell or chromium', name, tests);

export async function launchBrowser(): Promise<Browser> {
  const which = spawnSync('which', [BROWSER ?? ''], { encoding: 'utf8' }).stdout.trim();
  // As root, as in a container, Chromium runs only without its sandbox.
  return chromium.launch({ executablePath: which, chromiumSandbox: process.getuid?.() !== 0 });
}

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

type ColorScheme = 'light' | 'dark';
type Size = typeof DESKTOP;

/** For `it.each`: the devices and colors in which a page is looked at, each once. */
export const APPEARANCES: readonly (readonly [string, ColorScheme, Size])[] = [
  ['desktop', 'light', DESKTOP],
  ['phone', 'dark', PHONE],
];

/** Shows the page in an appearance, without animations. */
export async function setAppearance(
  page: Page,
  colorScheme: ColorScheme,
  size: Size,
): Promise<void> {
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
}

/** Writes the whole page as `<name>.png` to the folder that `SCREENSHOTS` names, if it does. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder === undefined) return;
  await page.screenshot({ fullPage: true, path: `${folder}/${name}.png` });
}

/** What went wrong on a page, or left its origin. */
export class PageWatch {
  readonly problems: string[] = [];

  constructor(page: Page, origin: string) {
    page.on('console', (message) => {
      if (message.type() === 'error') this.problems.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.problems.push(`error: ${error.message}`));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${origin}/`) && !url.startsWith('data:'))
        this.problems.push(`request to another origin: ${url}`);
    });
  }
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly {
      readonly target: readonly string[];
      readonly failureSummary: string;
    }[];
  }[];
}

/** What axe-core finds wrong with the page as it is now, a line each. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // Evaluated by the debugging protocol, which the page's own policy does not concern.
  await page.evaluate(AXE);
  // Unnamed result types keep one node each: for the thousands that pass, axe would work out
  // selectors.
  const { violations } = await page.evaluate<AxeResult>("axe.run({ resultTypes: ['violations'] })");
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}

/** As `accessibilityProblems`, with a line if the page scrolls sideways. */
export async function layoutProblems(page: Page): Promise<string[]> {
  const overflow = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  const problems = await accessibilityProblems(page);
  return overflow > 0 ? [...problems, `${overflow} px wider than the window`] : problems;
}
