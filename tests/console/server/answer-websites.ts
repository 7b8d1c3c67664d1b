import { addItem, type FakeFolder, type FakeItem, type FakeState, nowSeconds } from './fake-state.ts'

/** Merges a folder into one item that waits for its payment, as `POST /v0/folder/<id>/merge` does. */
export function mergeFolder(state: FakeState, folder: FakeFolder): FakeItem {
  const within = (id: string | null): boolean =>
    id !== null && (id === folder.id || within(state.folders.get(id)?.parent ?? null))
  const files = [...state.items.values()].filter((item) => within(item.folder))
  for (const file of files) state.items.delete(file.id)
  const item = addItem(state, {
    name: folder.name,
    mimetype: 'inode/directory',
    blockchain: folder.blockchain,
    status: '402 Payment Required',
    bytes: Buffer.concat(files.map(({ bytes }) => bytes)),
    files: files.length,
    order: files[0]?.order,
  })
  folder.item = item.id
  return item
}

/** Makes an item the next version of a site: a preview. */
export function addVersion(state: FakeState, item: unknown): Record<string, unknown> {
  const found = state.items.get(String(item))
  const version = {
    number: state.versions.length + 1,
    item,
    name: found?.name,
    note: null,
    periods: [],
    status: found?.status,
    current: null,
    blockchain: found?.blockchain,
    size: found?.size,
    url: 'http://v.localhost/',
    createdAt: nowSeconds(),
  }
  state.versions.unshift(version)
  return version
}
