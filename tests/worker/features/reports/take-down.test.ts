import { env, exports } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { sweepItems } from '../../../../worker/features/items/sweep.ts'
import { insertReport } from '../../../../worker/features/reports/sql/reports.ts'
import { storeItem } from '../../../kit/store-item.ts'
import { DagFixture } from '../../content/ipfs/dag-fixture.ts'
import { fetchApi } from '../../fetch-api.ts'
import { signIn } from '../../sign-in.ts'

let user: Awaited<ReturnType<typeof signIn>>
beforeEach(async () => {
  user = await signIn()
})

const call = async (method: string, path: string, body?: unknown) => {
  const response = await fetchApi(method, `/v0${path}`, { body, token: user.token })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}
const takeDown = (id: string) => call('POST', `/item/${id}/take-down`)

/** A stored directory of the user's, its file, and its CID. */
async function directory(): Promise<{ id: string; file: string; cid: string }> {
  const dag = new DagFixture()
  const cid = String(await dag.addDirectory({ 'index.html': `<p>${user.userId}` }))
  await dag.store()
  const owner = user.userId
  const id = await storeItem(env.DB, { blockchain: 'IPFS', cid, owner, name: 'almanac' })
  const file = await storeItem(env.DB, { blockchain: 'IPFS', cid: 'bafkqaaa', owner, name: 'index.html' })
  await env.DB.prepare('UPDATE items SET directory_of = id WHERE id = ?').bind(id).run()
  await env.DB.prepare('UPDATE items SET part_of = ? WHERE id = ?').bind(id, file).run()
  return { id, file, cid }
}

describe('POST /v0/item/<id>/take-down', () => {
  it('has the hosts of an item and its content answer 410, those of its files too', async () => {
    const { id, file } = await directory()
    const host = async () => (await exports.default.fetch(`https://${id}.storage.example/`)).status
    const contents = async () =>
      await Promise.all(
        [id, `${id}/index.html`, file].map(async (path) => (await fetchApi('GET', `/v0/content/${path}`)).status),
      )
    expect([await host(), await contents()]).toEqual([200, [200, 200, 200]])
    expect((await takeDown(id)).status).toBe(204)
    expect(await host()).toBe(410)
    expect((await contents()).slice(0, 2)).toEqual([410, 410])
    expect(await call('GET', `/item/${id}/source`)).toMatchObject({ status: 410, body: { code: 'taken_down' } })
  })

  it('removes it from the lists of its owner, for good, and leaves what its CID names', async () => {
    const { id, cid } = await directory()
    await takeDown(id)
    expect((await call('GET', '/item')).body.total).toBe(0)
    expect((await call('GET', '/item?name=almanac')).body.total).toBe(0)
    expect((await call('GET', `/item/${id}`)).status).toBe(404)
    await sweepItems(env, Date.now())
    expect((await fetchApi('GET', `/v0/content/${id}`)).status).toBe(410)
    expect((await exports.default.fetch(`https://storage.example/ipfs/${cid}/index.html`)).status).toBe(200)
    expect((await takeDown(id)).status).toBe(404)
  })

  it('is in the audit log', async () => {
    const { id } = await directory()
    await takeDown(id)
    const { results } = await env.DB.prepare("SELECT actor, subject FROM audit WHERE act = 'item.taken_down'").all()
    expect(results).toContainEqual({ actor: user.userId, subject: `item:${id}` })
  })

  it('is refused while a site shows the item, or is to show it, and removes it from the versions of others', async () => {
    const [shown, old] = [await directory(), await directory()]
    const site = (await call('POST', '/site', { name: 'x', item: old.id })).body.id
    expect(await takeDown(old.id)).toMatchObject({ status: 409, body: { code: 'item_shown' } })
    await call('POST', `/site/${site}/versions`, { item: shown.id, current: 'when_stored' })
    expect((await takeDown(shown.id)).body.code).toBe('item_shown')
    expect((await takeDown(old.id)).status).toBe(204)
    const { versions } = (await call('GET', `/site/${site}/versions`)).body
    expect(versions.map(({ item }: { item: string }) => item)).toEqual([shown.id])
  })

  it.each(['item', 'cid', 'file'] as const)('is refused while a report about it by %s is open', async (kind) => {
    const { id, file, cid } = await directory()
    const value = { item: id, cid, file }[kind]
    const report = { kind: kind === 'cid' ? 'cid' : 'item', digest: value, value, blockchain: undefined } as const
    const limits = { statements: 9, open: 9, openOfNetwork: 9, networks: 9, ofClient: 9, since: 0 }
    await env.DB.exec('DELETE FROM reports')
    await insertReport(env.DB, { id: value, ...report, reason: 'x', evidence: undefined, at: 1 }, undefined, limits)
    expect(await takeDown(id)).toMatchObject({ status: 409, body: { code: 'item_reported' } })
    await env.DB.exec("UPDATE reports SET status = 'dismissed', decided_at = 1")
    expect((await takeDown(id)).status).toBe(204)
  })

  it('is refused for what is on a chain, not stored, a file of a directory, or of another account', async () => {
    const owner = user.userId
    const onChain = await storeItem(env.DB, { blockchain: 'Nativecoin', owner, txids: ['ab'.repeat(32)] })
    const unpaid = await storeItem(env.DB, { blockchain: 'IPFS', owner, status: 402 })
    const { file } = await directory()
    const foreign = await storeItem(env.DB, { blockchain: 'IPFS', cid: 'bafkqaaa' })
    const answers = await Promise.all([onChain, unpaid, file, foreign].map(takeDown))
    expect(answers.map(({ body }) => body.code)).toEqual([
      'item_on_chain',
      'item_not_stored',
      'item_in_directory',
      'not_found',
    ])
  })
})
