/// <reference path="../../client/wasm.d.ts" />
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createClient, memoryStateStore } from '../../client/index.ts'
import { connect } from '../kit/call-devnet.ts'
import { openService, token, worker } from './open-service.ts'

openService({ account: 'user', mines: true })

const client = () => createClient({ api: worker.url, key: token, state: memoryStateStore() })
const site = (title: string) => [
  { path: 'index.html', content: `<h1>${title}</h1>` },
  { path: 'css/main.css', content: 'h1 { color: teal }' },
  { path: 'picture.bin', content: new Uint8Array(1_500_000).fill(7) },
]
const pay = ({ address, amount }: { address: string; amount: string }) => {
  connect(worker.chains.devnet, 'Nativecoin')('sendtoaddress', address, amount)
}

it('the library stores a folder as one directory, and the next version sends only what changed', {
  timeout: 300_000,
}, async () => {
  const first = await client().put(site('one'), {
    to: 'IPFS',
    directory: 'site',
    linkKnown: true,
    wait: true,
    onPayment: pay,
  })
  expect(first).toMatchObject({ failed: [], linked: [], items: [{ status: '200 OK' }] })
  const second = await client().put(site('two'), { to: 'IPFS', directory: 'site', linkKnown: true, pay: false })
  expect(second.linked).toEqual(['css/main.css', 'picture.bin'])
  expect(second.items[0]?.cid).toMatch(/^bafy/)
  expect(second.items[0]?.storedSize).toBeLessThan(2000)
})

it('the library uploads 120 files in lists, an item each', { timeout: 300_000 }, async () => {
  const files = Array.from({ length: 120 }, (_, n) => ({ path: `many/${n}.txt`, content: `file ${n}` }))
  const { items, failed } = await client().put(files, { to: 'Nativecoin', pay: false })
  expect(failed).toEqual([])
  expect(items.map(({ status }) => status)).toEqual(Array(120).fill('402 Payment Required'))
})

it('the library keeps the folders that nothing is in, on a chain as on IPFS, under the CID of kubo', {
  timeout: 300_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-empty-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const path of ['a', 'b/c']) mkdirSync(join(folder, path), { recursive: true })
  writeFileSync(join(folder, 'b/d.txt'), 'd\n')
  writeFileSync(join(folder, 'index.html'), 'home\n')
  const own = client()
  for (const to of ['IPFS', 'Nativecoin'] as const) {
    const { failed, items } = await own.putFolder(folder, { to, pay: false })
    expect(failed).toEqual([])
    // As in tests/worker/content/ipfs/dag/kubo-folders.test.ts.
    expect(items[0]?.cid).toBe('bafybeif3beopgg7n5lxpsfdufo3njky3zh4hrukky2rqgkhyefri3topn4')
  }
  // Without them it is another folder, which the account has not.
  rmSync(join(folder, 'a'), { recursive: true })
  const { known, items } = await own.putFolder(folder, { to: 'IPFS', pay: false })
  expect(known).toEqual([])
  expect(items[0]?.cid).not.toBe('bafybeif3beopgg7n5lxpsfdufo3njky3zh4hrukky2rqgkhyefri3topn4')
})
