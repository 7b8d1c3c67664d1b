import { api, type Schemas } from '../../api/client.ts'

/** Most folders above one that are read. */
const MOST_ABOVE = 20

/** A folder, and its parents, the outermost first. */
export interface Place {
  folder: Schemas['Folder']
  above: readonly Schemas['Folder'][]
}

/** @throws {HooklineError} 404 if the account has no such folder */
export async function readPlace(id: string): Promise<Place> {
  const folder = await readFolder(id)
  const above: Schemas['Folder'][] = []
  for (let next = folder.parent; next !== null && above.length < MOST_ABOVE; next = above[0]?.parent ?? null) {
    above.unshift(await readFolder(next))
  }
  return { folder, above }
}

function readFolder(id: string): Promise<Schemas['Folder']> {
  return api.GET('/v0/folder/{id}', { params: { path: { id } } })
}

/** The address of a folder in the library; of the library itself without one. */
export function placeHref(id?: string | null): string {
  return id ? `/console/library/folder/${id}` : '/console/library'
}
