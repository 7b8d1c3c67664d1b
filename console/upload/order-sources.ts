import type { ChosenFile } from '../core/chosen-files.ts'
import type { OrderFile } from '../core/order.ts'
import type { FileSource } from './read-dropped.ts'
import { askForHandle, readHandle } from './read-handle.ts'

/** What was chosen in this tab, by order and path. */
const sources = new Map<string, Map<string, FileSource>>()
/** What an earlier tab kept of where files are. */
const kept = new Map<string, Record<string, FileSystemHandle>>()
/** Files, by order and path, whose bytes are those that their upload was begun with. */
const compared = new Set<string>()

/** Notes the files of an order that begins here. */
export function setSources(id: string, chosen: readonly ChosenFile<FileSource>[]): void {
  sources.set(id, new Map(chosen.map(({ path, source }) => [path, source])))
  for (const { path } of chosen) noteCompared(id, path)
}

/** Lets an order read what another one may. */
export function copySources(from: string, to: string): void {
  const given = sources.get(from)
  if (given) sources.set(to, new Map(given))
  const handles = kept.get(from)
  if (handles) kept.set(to, handles)
  for (const path of given?.keys() ?? []) noteCompared(to, path)
}

/**
 * Notes files that were chosen anew for an order, by path, or by name and size. Returns those that have bytes now, and the
 * paths of chosen ones that are none of the order's.
 */
export function matchSources(
  id: string,
  files: readonly OrderFile[],
  chosen: readonly ChosenFile<FileSource>[],
): { given: ReadonlyMap<string, FileSource>; other: string[] } {
  const used = new Set<string>()
  const given = sources.get(id) ?? new Map<string, FileSource>()
  for (const file of files) {
    const match =
      chosen.find(({ path, size }) => path === file.path && size === file.size) ??
      chosen.find(({ path, size }) => size === file.size && path.split('/').at(-1) === file.path.split('/').at(-1))
    if (!match) continue
    given.set(file.path, match.source)
    used.add(match.path)
    compared.delete(keyOf(id, file.path))
  }
  sources.set(id, given)
  return { given, other: chosen.flatMap(({ path }) => (used.has(path) ? [] : path)) }
}

/** The bytes of a file, where this tab may read them. */
export async function findSource(id: string, path: string): Promise<Blob | undefined> {
  return sources.get(id)?.get(path)?.file ?? (await readHandle(kept.get(id)?.[path], path))
}

export function dropSource(id: string, path: string): void {
  sources.get(id)?.delete(path)
}

/** Whether the bytes of a file are known to be those that its upload was begun with. */
export function isCompared(id: string, path: string): boolean {
  return compared.has(keyOf(id, path))
}

export function noteCompared(id: string, path: string): void {
  compared.add(keyOf(id, path))
}

/** Notes where the files of an order are that was begun before; what this tab was given itself is better. */
export function noteHandles(id: string, handles: Record<string, FileSystemHandle>): void {
  if (!sources.has(id)) kept.set(id, handles)
}

/** Where the files of an order are, as far as the browser says. */
export function handlesOf(id: string): Record<string, FileSystemHandle> {
  const given = [...(sources.get(id) ?? [])].flatMap(([path, { handle }]) => (handle ? [[path, handle]] : []))
  return { ...kept.get(id), ...Object.fromEntries(given) }
}

/** Whether one press lets this tab read one of `lost`: the browser kept where it is. */
export function mayAsk(id: string, lost: readonly string[]): boolean {
  const handles = kept.get(id)
  return lost.some((path) => handles?.[path] !== undefined)
}

/** Asks the browser to let the kept files be read again; must be called from a press. */
export async function askForSources(id: string): Promise<void> {
  for (const handle of new Set(Object.values(kept.get(id) ?? {}))) await askForHandle(handle)
}

function keyOf(id: string, path: string): string {
  return `${id}/${path}`
}
