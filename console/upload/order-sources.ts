import type { ChosenFile } from '../core/chosen-files.ts'
import type { OrderFile } from '../core/order.ts'
import type { FileSource } from './read-dropped.ts'

/** Files that were chosen in this tab, by order and path. */
const sources = new Map<string, Map<string, FileSource>>()
/** File handles that an earlier tab stored. */
const kept = new Map<string, Record<string, FileSystemHandle>>()
/** Files, by order and path, that are verified to be those of their upload. */
const compared = new Set<string>()

/** Registers the files of a new order. */
export function setSources(id: string, chosen: readonly ChosenFile<FileSource>[]): void {
  sources.set(id, new Map(chosen.map(({ path, source }) => [path, source])))
  for (const { path } of chosen) noteCompared(id, path)
}

/** Copies the sources of one order to another. */
export function copySources(from: string, to: string): void {
  const given = sources.get(from)
  if (given) sources.set(to, new Map(given))
  const handles = kept.get(from)
  if (handles) kept.set(to, handles)
  for (const path of given?.keys() ?? []) noteCompared(to, path)
}

/**
 * Registers files that were chosen again for an order, by path, or by name and size. Returns those that have bytes now,
 * and the paths of chosen files that do not belong to the order.
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

/** The content of a file, if this tab may read it. */
export async function findSource(id: string, path: string): Promise<Blob | undefined> {
  return sources.get(id)?.get(path)?.file ?? (await readHandle(kept.get(id)?.[path], path))
}

export function dropSource(id: string, path: string): void {
  sources.get(id)?.delete(path)
}

/** Whether the content of a file is verified to be that of its upload. */
export function isCompared(id: string, path: string): boolean {
  return compared.has(keyOf(id, path))
}

export function noteCompared(id: string, path: string): void {
  compared.add(keyOf(id, path))
}

/** Registers stored handles of an order; files chosen in this tab take precedence. */
export function noteHandles(id: string, handles: Record<string, FileSystemHandle>): void {
  if (!sources.has(id)) kept.set(id, handles)
}

/** The file handles of an order, as far as the browser has them. */
export function handlesOf(id: string): Record<string, FileSystemHandle> {
  const given = [...(sources.get(id) ?? [])].flatMap(([path, { handle }]) => (handle ? [[path, handle]] : []))
  return { ...kept.get(id), ...Object.fromEntries(given) }
}

/** Whether one press lets this tab read one of `lost`, because the browser stored its handle. */
export function hasLostHandles(id: string, lost: readonly string[]): boolean {
  const handles = kept.get(id)
  return lost.some((path) => handles?.[path] !== undefined)
}

/** Asks the browser for permission to read the stored handles; must be called in a click handler. */
export async function requestSourceAccess(id: string): Promise<void> {
  for (const handle of new Set(Object.values(kept.get(id) ?? {}))) await permission(handle, 'requestPermission')
}

function keyOf(id: string, path: string): string {
  return `${id}/${path}`
}

/**
 * The file of a stored handle; undefined if the browser needs a permission first, or if the file is gone. `path` begins
 * with the name of the chosen folder or file.
 */
async function readHandle(handle: FileSystemHandle | undefined, path: string): Promise<File | undefined> {
  if (!handle || (await permission(handle, 'queryPermission')) !== 'granted') return undefined
  try {
    if (handle instanceof FileSystemFileHandle) return await handle.getFile()
    if (!(handle instanceof FileSystemDirectoryHandle)) return undefined
    const names = path.split('/').slice(1)
    let directory: FileSystemDirectoryHandle = handle
    for (const name of names.slice(0, -1)) directory = await directory.getDirectoryHandle(name)
    return await (await directory.getFileHandle(names.at(-1) ?? '')).getFile()
  } catch {
    return undefined
  }
}

// lib.dom has neither method: https://wicg.github.io/file-system-access/
async function permission(handle: FileSystemHandle, method: 'queryPermission' | 'requestPermission'): Promise<unknown> {
  const ask: unknown = Reflect.get(handle, method)
  return typeof ask === 'function' ? Reflect.apply(ask, handle, [{ mode: 'read' }]).catch(() => 'denied') : 'denied'
}
