/** Where builds write, and how a finished build takes the place of the last one. */
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** The root of the repository. */
export const ROOT = path.dirname(import.meta.dirname);

/**
 * Lets a function write the new content of folders, and puts it in their places when all of it is
 * written. A build that fails or is interrupted thus leaves the last one as it was, and no file of
 * an earlier build stays.
 *
 * @param folders the folders, relative to the root.
 * @param write receives a function that returns where to write the content of one of the folders:
 *   beside it, so that relative paths, for example in source maps, stay valid.
 */
export async function replaceFolders(folders, write, root = ROOT) {
  const pending = (folder) => path.join(root, `${folder}.next`);
  for (const folder of folders) {
    await rm(pending(folder), { recursive: true, force: true });
    await mkdir(pending(folder), { recursive: true });
  }
  await write(pending);
  for (const folder of folders) {
    const place = path.join(root, folder);
    await rm(place, { recursive: true, force: true });
    await rename(pending(folder), place);
  }
}
