import { rolldown } from 'rolldown';

/**
 * Bundles a module and what it imports into one script for a browser.
 *
 * @param entry the path of the module, relative to this folder.
 * @returns the script. It contains no `</script`, so that it can be inlined into a document.
 * @throws {Error} if the module cannot be bundled into one file.
 */
export async function bundle(entry) {
  const build = await rolldown({
    input: entry,
    cwd: import.meta.dirname,
    platform: 'browser',
    tsconfig: false,
  });
  const { output } = await build.generate({ format: 'iife', minify: true });
  await build.close();
  if (output.length !== 1) throw new Error(`${entry} is bundled into ${output.length} files`);
  return output[0].code.replaceAll('</script', String.raw`<\/script`);
}
