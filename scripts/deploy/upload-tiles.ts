import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { type Checkpoints, parseCheckpoints } from '../../reader/proof/parse-checkpoints.ts'
import { isRecord } from '../../worker/platform/http/is-record.ts'
import { writeWhole } from '../write-whole.ts'

/** Tiles of one upload, which is asked to continue where it was when a later one fails. */
const AT_ONCE = 2_000

/** Puts files into a bucket: those that the JSON file at `list` names, as `[{key, file}]`. Rejects where it cannot. */
type PutFiles = (list: string) => Promise<void>

/**
 * Uploads the tiles of `npm run checkpoint` below `folder` that a bucket does not have yet, below `proof/`. Tiles only grow, so
 * one of the same size is the same; `uploaded-<bucket>.json` beside them says which are there.
 */
export async function uploadTiles(folder: string, bucket: string, put: PutFiles): Promise<number> {
  const record = join(folder, `uploaded-${bucket}.json`)
  const known = new Map(Object.entries(await readRecord(record)))
  const missing: { path: string; bytes: number }[] = []
  for (const blockchain of Object.keys(await readPinned(folder))) {
    for (const tile of await listTiles(folder, blockchain)) if (known.get(tile.path) !== tile.bytes) missing.push(tile)
  }
  for (let at = 0; at < missing.length; at += AT_ONCE) {
    const group = missing.slice(at, at + AT_ONCE)
    const list = join(folder, 'upload.json')
    await writeFile(list, JSON.stringify(group.map(({ path }) => ({ key: `proof/${path}`, file: join(folder, path) }))))
    await put(list)
    for (const { path, bytes } of group) known.set(path, bytes)
    await writeWhole(record, JSON.stringify(Object.fromEntries(known)))
  }
  return missing.length
}

async function readPinned(folder: string): Promise<Checkpoints> {
  const text = await readFile(join(folder, 'checkpoints.json'), 'utf8').catch(() => '{}')
  return parseCheckpoints(JSON.parse(text))
}

async function readRecord(path: string): Promise<Record<string, unknown>> {
  const value: unknown = JSON.parse(await readFile(path, 'utf8').catch(() => '{}'))
  return isRecord(value) ? value : {}
}

async function listTiles(folder: string, blockchain: string): Promise<{ path: string; bytes: number }[]> {
  const names = await readdir(join(folder, blockchain), { recursive: true }).catch(() => [])
  const tiles = names.map((name) => `${blockchain}/${name.split(sep).join('/')}`)
  return await Promise.all(
    tiles
      .filter((path) => /\/\d+\/\d+$/.test(path))
      .map(async (path) => ({ path, bytes: (await stat(join(folder, path))).size })),
  )
}
