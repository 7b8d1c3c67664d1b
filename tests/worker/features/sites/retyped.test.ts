import { env, exports } from 'cloudflare:workers'
import { brotliCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { storeItem } from '../../../kit/store-item.ts'
import { store, useScriptedNodes } from '../../scripted-node.ts'
import { signIn } from '../../sign-in.ts'
import { callApi } from '../items/api.ts'

const nodes = useScriptedNodes()

const get = (url: string, headers: Record<string, string> = {}) => exports.default.fetch(url, { headers })

it('an item whose media type is corrected is sent as the new one, by its id and on its host, and no copy of the old one holds', async () => {
  const { userId, headers } = await signIn()
  const txids = store([nodes['nativecoin.test']], brotliCompressSync(Buffer.from('<h1>Tides</h1>')), 60)
  const id = await storeItem(env.DB, { owner: userId, blockchain: 'Nativecoin', mimetype: 'text/plain', txids })
  const addresses = [`https://api.example/v0/content/${id}`, `https://${id}.storage.example/`]
  // Both forms are in the cache of responses before the change.
  const forms = [{}, { 'Accept-Encoding': 'br' }]
  const tags = new Map<string, string>()
  for (const address of addresses) {
    for (const form of forms) {
      const before = await get(address, form)
      expect(before.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
      tags.set(address + JSON.stringify(form), before.headers.get('ETag') ?? '')
      await before.arrayBuffer()
    }
  }
  const changed = await callApi(headers).sendJson('PATCH', `/item/${id}`, { mimetype: 'text/html; charset=utf-8' })
  expect(await changed.json()).toMatchObject({ mimetype: 'text/html; charset=utf-8' })
  for (const address of addresses) {
    for (const form of forms) {
      const tag = tags.get(address + JSON.stringify(form)) ?? ''
      const after = await get(address, { ...form, 'If-None-Match': tag })
      expect([after.status, after.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
      const ownHost = address === addresses[1]
      expect(after.headers.get('Cache-Control')).toBe(
        `public, max-age=0, must-revalidate${ownHost ? '' : ', no-transform'}`,
      )
      await after.arrayBuffer()
      const again = await get(address, { ...form, 'If-None-Match': after.headers.get('ETag') ?? '' })
      expect(again.status).toBe(304)
    }
  }
})
