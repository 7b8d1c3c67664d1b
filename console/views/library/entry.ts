import { api, type Schemas } from '../../api/client.ts'

/** A row of the library: an item or a folder. */
export type Entry = { kind: 'item'; own: Schemas['Item'] } | { kind: 'folder'; own: Schemas['Folder'] }

/** What is selected, by id. */
export type Selected = ReadonlyMap<string, Entry>

export const itemEntry = (own: Schemas['Item']): Entry => ({ kind: 'item', own })
export const folderEntry = (own: Schemas['Folder']): Entry => ({ kind: 'folder', own })

/** Renames it. @throws {HooklineError} */
export async function rename({ kind, own: { id } }: Entry, name: string): Promise<void> {
  const params = { path: { id } }
  if (kind === 'item') await api.PATCH('/v0/item/{id}', { params, body: { name } })
  else await api.PATCH('/v0/folder/{id}', { params, body: { name } })
}

/** Moves it into a folder; with null, to the top level. @throws {HooklineError} */
export async function move({ kind, own: { id } }: Entry, to: string | null): Promise<void> {
  const params = { path: { id } }
  if (kind === 'item') await api.PATCH('/v0/item/{id}', { params, body: { folder: to } })
  else await api.PATCH('/v0/folder/{id}', { params, body: { parent: to } })
}
