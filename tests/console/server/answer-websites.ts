import { addItem, type FakeFolder, type FakeItem, type FakeState, nowSeconds, objectId } from './fake-state.ts'

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

/** Makes an item the next version of a site. */
export function addVersion(
  state: FakeState,
  { item, current = null }: Record<string, unknown>,
): Record<string, unknown> {
  const found = state.items.get(String(item))
  const version = {
    number: state.versions.length + 1,
    item,
    name: found?.name,
    note: null,
    periods: [],
    status: found?.status,
    current,
    blockchain: found?.blockchain,
    size: found?.size,
    url: 'http://v.localhost/',
    createdAt: nowSeconds(),
  }
  state.versions.unshift(version)
  return version
}

/** Makes a site, with a first version that it shows once that is stored. */
export function makeSite(state: FakeState, { name, ...version }: Record<string, unknown>): Record<string, unknown> {
  const id = objectId()
  const address = { host: `${id}.storage.localhost`, url: 'http://a.localhost/' }
  const site = {
    id,
    name: String(name),
    ...address,
    version: null,
    item: null,
    versions: 0,
    waiting: null,
    address: null,
    addressUrl: null,
    createdAt: nowSeconds(),
  }
  state.sites.push(site)
  if (version.item !== undefined) addVersion(state, version)
  return site
}

/** Sets the address of a site, or refuses it, as `PUT /v0/site/<id>/address` does; DELETE ends it. */
export function setAddress(
  site: Record<string, unknown>,
  method: string | undefined,
  { address }: Record<string, unknown>,
): [status: number, body?: Record<string, unknown>] {
  if (method === 'DELETE') {
    Object.assign(site, { address: null, addressUrl: null })
    return [204]
  }
  const refused = { www: [400, 'address_reserved'], taken: [409, 'address_taken'] } as const
  for (const [name, [status, code]] of Object.entries(refused)) {
    if (address === name) return [status, { code, message: 'As the service says it.' }]
  }
  Object.assign(site, { address, addressUrl: `http://${address}.storage.localhost/` })
  return [200, site]
}
