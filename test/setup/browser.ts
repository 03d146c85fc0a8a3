import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type Frame,
  type Page,
} from 'playwright-core';
import { describeWith, findProgram } from './describe-with.js';

/** The path of the browser, or undefined on a machine without one. `CHROMIUM` sets another path. */
export const BROWSER = findProgram(
  process.env['CHROMIUM'] ?? '',
  'chromium-headless-shell',
  'chromium',
);

/** `describe` on a machine with a browser. */
export const describeWithBrowser = (name: string, tests: () => void): void =>
  describeWith(BROWSER, 'chromium-headless-shell or chromium', name, tests);

export async function launchBrowser(): Promise<Browser> {
  const which = spawnSync('which', [BROWSER ?? ''], { encoding: 'utf8' }).stdout.trim();
  // As root, for example in a container, Chromium runs only without its sandbox.
  return chromium.launch({ executablePath: which, chromiumSandbox: process.getuid?.() !== 0 });
}

/** Opens a page whose operations have no time limit but that of the test. */
export async function openPage(opener: Browser | BrowserContext): Promise<Page> {
  const page = await opener.newPage();
  page.setDefaultTimeout(0);
  return page;
}

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

type Look = 'light' | 'dark' | 'forced colors';
type Size = typeof DESKTOP;

/** For `it.each`: each combination of device and look in which a page is tested. */
export const APPEARANCES: readonly (readonly [string, Look, Size])[] = [
  ['desktop', 'light', DESKTOP],
  ['phone', 'dark', PHONE],
  ['desktop', 'forced colors', DESKTOP],
];

/** Shows the page in a color scheme or in a contrast theme, without animations. */
export async function setAppearance(page: Page, look: Look, size: Size): Promise<void> {
  const isForced = look === 'forced colors';
  await page.setViewportSize(size);
  await page.emulateMedia({
    colorScheme: isForced ? 'light' : look,
    forcedColors: isForced ? 'active' : 'none',
    reducedMotion: 'reduce',
  });
}

/** Writes the whole page as `<name>.png` to the folder in `SCREENSHOTS`, if that is set. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder === undefined) return;
  await page.screenshot({ fullPage: true, path: `${folder}/${name}.png` });
}

/** Collects errors of a page, and requests to other origins. */
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

interface AxeOptions {
  /** The ids of the rules to check. Default: all, which takes seconds on a large page. */
  readonly rules?: readonly string[];
  /** A selector of the part to check. Default: the whole page. */
  readonly within?: string;
}

/** Returns the problems that axe-core finds in the current page or frame, one line each. */
export async function accessibilityProblems(
  page: Page | Frame,
  { rules, within }: AxeOptions = {},
): Promise<string[]> {
  // Evaluated through the debugging protocol, to which the page's own policy does not apply.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE);
  // Result types without a name keep one node each, because axe would compute selectors for the
  // thousands that pass.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const place = within === undefined ? 'document' : JSON.stringify(within);
  const { violations } = await page.evaluate<AxeResult>(
    `axe.run(${place}, ${JSON.stringify(options)})`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}

/** Returns a line if the page or frame scrolls sideways. */
export async function widthProblems(page: Page | Frame): Promise<string[]> {
  const overflow = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  return overflow > 0 ? [`${overflow} px wider than the window`] : [];
}

/** Like `accessibilityProblems`, with the line of `widthProblems`. */
export async function layoutProblems(page: Page | Frame): Promise<string[]> {
  return [...(await accessibilityProblems(page)), ...(await widthProblems(page))];
}
