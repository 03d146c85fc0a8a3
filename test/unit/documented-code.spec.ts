import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const PROJECT = path.resolve(__dirname, '../..');

/**
 * The documents, without the API reports, and without the README of the client, whose examples have
 * a test that runs them.
 */
const DOCUMENTS = execFileSync('git', ['ls-files', '*.md'], { cwd: PROJECT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && !/^(docs\/api\/|packages\/client\/)/.test(file));

/** A TypeScript file made of one example of a document. */
interface Example {
  readonly file: string;
  readonly code: string;
}

/**
 * Returns the examples of a document. An example whose first line is the comment `// src/x.ts` is
 * that file, so that other examples can import it. A second example of the same file is checked
 * beside the first.
 */
function examplesOf(document: string): readonly Example[] {
  const blocks = readFileSync(path.join(PROJECT, document), 'utf8').matchAll(/```ts\n([^]*?)```/g);
  const folder = path.join(PROJECT, 'documented', document);
  const taken = new Set<string>();
  return Array.from(blocks, ([, code = ''], index) => {
    const [, named = `src/example-${index + 1}.ts`] = /^\/\/ (\S+\.ts)\n/.exec(code) ?? [];
    const name = taken.has(named) ? named.replace('.ts', `-${index + 1}.ts`) : named;
    taken.add(name);
    return { file: path.join(folder, name), code };
  });
}

/** Returns what the compiler reports of files that exist in memory alone. */
function problemsOf(examples: readonly Example[]): readonly string[] {
  const { config } = ts.readConfigFile(path.join(PROJECT, 'tsconfig.json'), ts.sys.readFile) as {
    readonly config: object;
  };
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, PROJECT);
  const codes = new Map(examples.map(({ file, code }) => [file, code]));
  const host = ts.createCompilerHost(options);
  const program = ts.createProgram(
    [...codes.keys()],
    // An example must import what it uses, because a host application may use another test runner.
    {
      ...options,
      types: ['node'],
      noUnusedLocals: true,
      moduleDetection: ts.ModuleDetectionKind.Force,
    },
    {
      ...host,
      fileExists: (file) => codes.has(file) || host.fileExists(file),
      readFile: (file) => codes.get(file) ?? host.readFile(file),
      getSourceFile: (file, languageVersion) => {
        const code = codes.get(file);
        if (code === undefined) return host.getSourceFile(file, languageVersion);
        return ts.createSourceFile(file, code, languageVersion);
      },
      // The folders of the examples exist in memory, too.
      directoryExists: (folder) =>
        folder.startsWith(path.join(PROJECT, 'documented')) ||
        (host.directoryExists?.(folder) ?? false),
    },
  );
  return examples.flatMap(({ file }) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(file))
      .map(({ messageText, start = 0 }) => {
        const { line } = program.getSourceFile(file)!.getLineAndCharacterOfPosition(start);
        const message = ts.flattenDiagnosticMessageText(messageText, ' ');
        return `${path.relative(PROJECT, file)}:${line + 1} ${message}`;
      }),
  );
}

it('compiles the TypeScript of the documents', () => {
  const examples = DOCUMENTS.flatMap(examplesOf);
  expect(examples.length).toBeGreaterThan(0);
  expect(problemsOf(examples)).toEqual([]);
});
