import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type RunningDevnet, startDevnet } from '../../devnet/start-devnet.ts'
import { logIn, signUp } from '../kit/sign-up.ts'
import { tempFolder } from '../kit/temp-folder.ts'
import { uploadItem } from '../kit/upload-item.ts'
import type {} from './provided.ts'
import { setUpServer } from './run-server.ts'

/**
 * A data folder as an earlier version left it, and what is in it. `WRITE_FOLDER=1` and this file's tests write both anew, of
 * this version: once it is released, and before workerd is another one.
 */
const FOLDER = join(import.meta.dirname, 'fixtures', 'folder-1.0.0.tar.gz')
const EMAIL = 'ada@example.com'
const FIELDS = { name: 'a.bin', mimetype: 'application/octet-stream', blockchain: 'Nativecoin' }
/** Of more than one row of the bucket. */
const BYTES = new Uint8Array(2_500_000).map((_, index) => index % 251)

let chains: RunningDevnet
beforeAll(async () => {
  chains = await startDevnet({ port: 0, blockMs: 200 })
})
afterAll(async () => await chains?.close())

const setUp = async () =>
  await setUpServer({
    home: inject('server'),
    folder: await tempFolder(),
    rpc: chains.url,
    mailUrl: chains.outboxUrl,
  })

type Send = (method: string, path: string, body?: Uint8Array<ArrayBuffer> | string) => Promise<Response>

const sender =
  (url: string, token: string): Send =>
  async (method, path, body) =>
    await fetch(`${url}/v0${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    })

async function writeFolder(): Promise<void> {
  const server = await setUp()
  await server.start()
  const send = sender(server.url, await signUp({ url: server.url, chains }, EMAIL))
  await uploadItem(send, FIELDS, BYTES)
  expect((await send('POST', '/folder', JSON.stringify({ name: 'papers', blockchain: 'Nativecoin' }))).status).toBe(201)
  await server.end('SIGKILL')
  const args = ['--create', '--gzip', '--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--exclude=*-shm']
  writeFileSync(FOLDER, execFileSync('tar', [...args, '--directory', server.dataDir, '.']))
}

if (process.env.WRITE_FOLDER) it('writes a folder of this version', writeFolder)

it('opens a folder that an earlier version left, migrates it, and has what is in it', async () => {
  const server = await setUp()
  mkdirSync(server.dataDir)
  execFileSync('tar', ['--extract', '--gzip', '--directory', server.dataDir], { input: readFileSync(FOLDER) })
  await server.start()
  try {
    const send = sender(server.url, await logIn(server.url, EMAIL))
    const { items } = JSON.parse(await (await send('GET', '/item')).text())
    const { folders } = JSON.parse(await (await send('GET', '/folder')).text())
    expect([items, folders]).toMatchObject([[{ name: FIELDS.name, size: BYTES.length }], [{ name: 'papers' }]])
    // What was uploaded is read as it is merged.
    const [{ id }] = items
    expect((await send('POST', `/item/${id}/merge`)).status).toBeLessThan(300)
    await expect.poll(async () => (await send('GET', `/item/${id}`)).status).toBe(200)
    await uploadItem(send, { ...FIELDS, name: 'b.bin' }, BYTES.subarray(0, 1000))
    expect(JSON.parse(await (await fetch(`${server.url}/v0/health`)).text()).storage).toBe('ok')
  } finally {
    await server.end('SIGTERM')
  }
})
