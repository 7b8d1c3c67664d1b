import { rename, writeFile } from 'node:fs/promises'

/** Writes a file so that it is there whole or not at all, wherever the process is killed. */
export async function writeWhole(path: string, text: string | Uint8Array, mode = 0o644): Promise<void> {
  await writeFile(`${path}.new`, text, { mode })
  await rename(`${path}.new`, path)
}
