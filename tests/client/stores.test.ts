import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient, fileStateStore, localStorageStateStore, type StateStore } from '../../client/index.ts'
import { FakeApi } from './fake-api.ts'

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-stores-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const put = (api: FakeApi, state?: StateStore) =>
  createClient({ api: 'https://api.test', key: 'hk_test', fetch: api.fetch, ...(state && { state }) }).put(
    { path: 'a.txt', content: 'paid for once' },
    { to: 'Bitcoin', pay: 'balance', maxFee: '1' },
  )

function richApi(): FakeApi {
  const api = new FakeApi()
  api.balance = 1_000_000
  return api
}

class FakeStorage {
  readonly kept = new Map<string, string>()
  getItem = (key: string) => this.kept.get(key) ?? null
  setItem = (key: string, value: string) => void this.kept.set(key, value)
  removeItem = (key: string) => void this.kept.delete(key)
}

afterEach(() => vi.unstubAllEnvs())

describe('where orders are kept', () => {
  it('a client without a store keeps orders in the files of the command, so that the next process pays nothing', async () => {
    const folder = temporaryFolder()
    vi.stubEnv('XDG_STATE_HOME', folder)
    const api = richApi()
    const first = await put(api)
    const second = await put(api)
    expect(second).toMatchObject({ ids: first.ids, paid: true })
    expect(api.charges).toBe(1)
    expect(readdirSync(join(folder, 'hookline', 'orders'))).toEqual([first.order])
  })

  it('where the folder cannot be made it keeps orders in memory', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    vi.stubEnv('XDG_STATE_HOME', file)
    const api = richApi()
    expect(await put(api)).toMatchObject({ paid: true })
  })

  it('a folder that was asked for and cannot be made is an error before anything is made', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'file'), '')
    chmodSync(folder, 0o700)
    const api = richApi()
    await expect(put(api, fileStateStore(join(folder, 'file')))).rejects.toMatchObject({ code: 'ENOTDIR' })
    expect(api.items.size).toBe(0)
  })

  it('files keep a second process out of an order', async () => {
    const folder = temporaryFolder()
    const store = fileStateStore(folder)
    const unlock = await store.lock?.('order')
    const script = `
      import { fileStateStore } from ${JSON.stringify(new URL('../../client/stores/stores.ts', import.meta.url).href)}
      await fileStateStore(${JSON.stringify(folder)}).lock('order').catch(({ code }) => console.log(code))`
    const options = ['--experimental-strip-types', '--disable-warning=ExperimentalWarning', '--input-type=module']
    const { stdout } = await promisify(execFile)(process.execPath, [...options, '-e', script])
    expect(stdout).toBe('running_already\n')
    await unlock?.()
    await expect(store.lock?.('order')).resolves.toBeTypeOf('function')
  })

  it('localStorage keeps orders for the next page', async () => {
    const storage = new FakeStorage()
    vi.stubGlobal('localStorage', storage)
    onTestFinished(() => void vi.unstubAllGlobals())
    const api = richApi()
    const first = await put(api, localStorageStateStore())
    expect([...storage.kept.keys()]).toEqual([`hookline-order-${first.order}`])
    await put(api, localStorageStateStore())
    expect(api.charges).toBe(1)
    await localStorageStateStore().remove(first.order)
    expect(storage.kept.size).toBe(0)
  })
})
