import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const PROJECT = path.resolve(__dirname, '../..');
const PACKAGES = ['.', './packages/client', './packages/testing'];

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd: PROJECT, encoding: 'utf8', maxBuffer: 1 << 26 });
}

/** A folder of the project, and the files in it that its readers receive. */
interface Documents {
  readonly title: string;
  readonly folder: string;
  readonly files: ReadonlySet<string>;
}

interface PackedPackage {
  readonly name: string;
  readonly files: readonly { readonly path: string }[];
}

function packedDocuments(): readonly Documents[] {
  const output = run('npm', 'pack', '--dry-run', '--json', '--ignore-scripts', ...PACKAGES);
  const packs: readonly PackedPackage[] = Object.values(JSON.parse(output) as object);
  return packs.map(({ name, files }, index) => ({
    title: `the tarball of ${name}`,
    folder: PACKAGES[index]!,
    files: new Set(files.map((file) => file.path)),
  }));
}

const repository: Documents = {
  title: 'the repository',
  folder: '.',
  files: new Set(run('git', 'ls-files').split('\n')),
};

/** Returns the ids that a Markdown renderer gives the headings. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = markdown.replaceAll(/^```[^]*?^```/gm, '').matchAll(/^#+ (.+)$/gm);
  return new Set(
    Array.from(headings, ([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Returns the links of a document that are broken. */
function brokenLinksOf(document: string, { folder, files }: Documents): readonly string[] {
  const read = (file: string): string => readFileSync(path.join(PROJECT, folder, file), 'utf8');
  const text = read(document).replaceAll(/^```[^]*?^```/gm, '');
  const links = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link);
  return links
    .filter((link) => !/^(https?|mailto):/.test(link))
    .filter((link) => {
      const [target = '', anchor] = link.split('#');
      const relative = path.posix.join(path.posix.dirname(document), target).replace(/\/$/, '');
      const file = target === '' ? document : relative;
      const exists = [...files].some((name) => name === file || name.startsWith(`${file}/`));
      return !exists || (anchor !== undefined && !anchorsOf(read(file)).has(anchor));
    })
    .map((link) => `${document}: ${link}`);
}

describe('links to files and headings', () => {
  it.each([repository, ...packedDocuments()])(
    'lead to an existing target in $title',
    (documents) => {
      const markdown = [...documents.files].filter((file) => file.endsWith('.md'));
      expect(markdown.flatMap((document) => brokenLinksOf(document, documents))).toEqual([]);
    },
  );
});
