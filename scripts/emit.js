/** Compiles TypeScript to JavaScript with swc, file by file and without a check of types. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { transformFile } from '@swc/core';

/** The options for code of Node.js. They correspond to the root's `tsconfig.json`. */
export const NODE = {
  transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
};

/** The options for code of browsers and for the client, as in their `tsconfig.json`. */
export const BROWSER = {
  transform: { useDefineForClassFields: true, verbatimModuleSyntax: true },
};

/** Like `BROWSER`, without comments, for files that a browser downloads as they are. */
export const BROWSER_WITHOUT_COMMENTS = { ...BROWSER, minify: { format: { comments: false } } };

/**
 * Compiles the modules of a folder, except for its tests.
 *
 * @param from the folder of the sources. `isIncluded` may choose some of them by their names.
 * @param to the folder of the output, which keeps the structure of `from`.
 * @param options `NODE`, `BROWSER` or `BROWSER_WITHOUT_COMMENTS`.
 */
export async function emit(from, to, options, isIncluded = () => true) {
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const isModule = ({ name }) => name.endsWith('.ts') && !/\.(spec|d)\.ts$/.test(name);
  const modules = entries.filter(
    (entry) => entry.isFile() && isModule(entry) && isIncluded(entry.name),
  );
  await Promise.all(
    modules.map(async ({ parentPath, name }) => {
      const source = path.join(parentPath, name);
      const output = path.join(to, path.relative(from, source)).replace(/\.ts$/, '.js');
      const { code, map } = await transformFile(source, {
        swcrc: false,
        module: { type: 'es6' },
        sourceMaps: true,
        inlineSourcesContent: false,
        sourceFileName: path.relative(path.dirname(output), source),
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          keepClassNames: true,
          // Without its attribute, Node.js does not load a JSON file.
          experimental: { keepImportAttributes: true },
          ...options,
        },
      });
      await mkdir(path.dirname(output), { recursive: true });
      const reference = `//# sourceMappingURL=${path.basename(output)}.map\n`;
      await writeFile(output, `${code}${reference}`);
      await writeFile(`${output}.map`, map);
    }),
  );
}
