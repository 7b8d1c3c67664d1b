import { describe, expect, it } from 'vitest'
import { signIn } from '../../sign-in.ts'
import { callApi, createItem } from './api.ts'

async function newApi() {
  return callApi((await signIn()).headers)
}

async function makeFolder(api: Awaited<ReturnType<typeof newApi>>, name: string, parent?: string): Promise<string> {
  const response = await api.sendJson('POST', '/folder', { name, blockchain: 'Nativecoin', parent: parent ?? null })
  return (await response.json<{ id: string }>()).id
}

interface Page {
  folders: { id: string; name: string; parent: string | null; item: string | null; items: number }[]
  cursor?: string
}

describe('GET /v0/folder', () => {
  it('lists folders of one place, with the files in and below each', async () => {
    const api = await newApi()
    const site = await makeFolder(api, 'site')
    const inner = await makeFolder(api, 'inner', site)
    await createItem(api, { folder: site })
    await createItem(api, { folder: inner, name: 'b.txt' })
    const top = await (await api.send('GET', '/folder')).json<Page>()
    expect(top.folders).toEqual([
      {
        id: site,
        name: 'site',
        blockchain: 'Nativecoin',
        parent: null,
        item: null,
        items: 2,
        createdAt: expect.any(Number),
      },
    ])
    expect(await (await api.send('GET', '/folder?parent=none')).json()).toEqual(top)
    const below = await (await api.send('GET', `/folder?parent=${site}`)).json<Page>()
    expect(below.folders).toMatchObject([{ id: inner, parent: site, items: 1 }])
  })

  it('goes on behind a page of 50', async () => {
    const api = await newApi()
    for (let n = 0; n < 52; n++) await makeFolder(api, `f${n}`)
    const first = await (await api.send('GET', '/folder')).json<Page>()
    expect(first.folders.length).toBe(50)
    const second = await (await api.send('GET', `/folder?cursor=${first.cursor}`)).json<Page>()
    expect(second.folders.length).toBe(2)
    expect(second.cursor).toBeUndefined()
    expect(new Set([...first.folders, ...second.folders].map(({ id }) => id)).size).toBe(52)
  })

  it('finds open folders of every place by a part of their name, and none beside a place', async () => {
    const api = await newApi()
    const almanac = await makeFolder(api, 'Almanac 2026')
    const tides = await makeFolder(api, 'tides of the almanac', almanac)
    await makeFolder(api, 'letters', almanac)
    await makeFolder(await newApi(), 'almanac of another')
    const found = await (await api.send('GET', '/folder?name=aLmA')).json<Page>()
    expect(found.folders.map(({ id }) => id).toSorted()).toEqual([almanac, tides].toSorted())
    expect(await (await api.send('GET', '/folder?name=%25')).json()).toEqual({ folders: [] })
    expect((await api.send('GET', `/folder?name=a&parent=${almanac}`)).status).toBe(400)
  })

  it("shows nothing of somebody else's", async () => {
    const parent = await makeFolder(await newApi(), 'mine')
    const other = await newApi()
    expect(await (await other.send('GET', '/folder')).json()).toEqual({ folders: [] })
    expect(await (await other.send('GET', `/folder?parent=${parent}`)).json()).toEqual({ folders: [] })
  })

  it('400: an invalid parent or cursor', async () => {
    const api = await newApi()
    expect((await api.send('GET', '/folder?parent=x')).status).toBe(400)
    expect((await api.send('GET', '/folder?cursor=x')).status).toBe(400)
  })
})

describe('an item that is being uploaded', () => {
  it('says which folder it lies in and how many bytes are held', async () => {
    const api = await newApi()
    const folder = await makeFolder(api, 'site')
    const { id } = await createItem(api, { folder, size: 5 })
    const show = async () => (await api.send('GET', `/item/${id}`)).json()
    expect(await show()).toMatchObject({ folder, received: 0 })
    await api.send('PUT', `/item/${id}/chunk/0`, 'hello')
    expect(await show()).toMatchObject({ folder, received: 5 })
  })
})
