import { env } from 'cloudflare:workers'
import { CID as CidOf } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { BLOCK_PREFIX, blockName } from '../../../../../worker/content/ipfs/blocks/block-key.ts'
import { insertReport, type NewReport, selectReports } from '../../../../../worker/features/reports/sql/reports.ts'
import { fetchApi } from '../../../fetch-api.ts'
import { add } from '../../../rows.ts'
import { store, useScriptedNodes } from '../../../scripted-node.ts'
import { signIn } from '../../../sign-in.ts'

const TEXT = 'a copy of a bank'
const CID = 'bafkreicgqtvtooc7luumtued4i72h3ghgieicebiqx5zrcuk3zfz5lwwt4'
const ITEM = '65f0a1b2c3d4e5f601020304'
const txid = (n: number) => n.toString(16).padStart(64, '0')

interface Reported {
  id: string
  value: string
  status: string
  reports: number
  statements: object[]
}
interface Page {
  reports: Reported[]
  cursor?: string
}

let moderator: Awaited<ReturnType<typeof signIn>>
beforeAll(async () => {
  moderator = await signIn('admin')
  // What is reported here is somewhere.
  await env.BUCKET.put(BLOCK_PREFIX + blockName(CidOf.parse(CID)), TEXT)
  await add('sites', { id: ITEM, user_id: moderator.userId })
  const seqs = Array.from({ length: 100 }, (_, seq) => seq)
  await add('tx_chains', { id: 1 })
  await add('transactions', ...seqs.map((seq) => ({ txid: txid(seq), seq })))
})
beforeEach(async () => {
  for (const table of ['reports', 'report_clients', 'denied']) await env.DB.exec(`DELETE FROM ${table}`)
})
afterEach(() => void vi.useRealTimers())

/** Has time stand still: however slow the machine is, no report waits too long in the queue. */
const stopClock = () => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })

const report = (body: unknown, client?: string) =>
  fetchApi('POST', '/v0/report', { body, headers: client === undefined ? {} : { 'CF-Connecting-IP': client } })
const reportCid = async (): Promise<string> => {
  const { id }: { id: string } = await (await report({ kind: 'cid', value: CID, reason: 'phishing' })).json()
  return id
}
const list = async (query = ''): Promise<Page> =>
  (await fetchApi('GET', `/v0/report${query}`, { token: moderator.token })).json()
const decide = (id: string, status: unknown, reason: unknown = 'looked at it') =>
  fetchApi('PUT', `/v0/report/${id}`, { token: moderator.token, body: { status, reason } })
const deniedValues = async () => {
  const page: { denied: { value: string; reason: string; deniedBy: string }[] } = await (
    await fetchApi('GET', '/v0/denied', { token: moderator.token })
  ).json()
  return page.denied
}

describe('a report', () => {
  it('is taken from anybody, and waits with what was said', async () => {
    const response = await report({
      kind: 'cid',
      value: CID,
      reason: 'phishing',
      evidence: 'https://bank.example/warning',
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    const { id }: { id: string } = await response.json()
    const { reports } = await list()
    expect(reports).toEqual([
      {
        id,
        kind: 'cid',
        value: CID,
        blockchain: null,
        reason: 'phishing',
        evidence: 'https://bank.example/warning',
        reports: 1,
        oldest: expect.any(Number),
        status: 'open',
        url: `https://storage.example/ipfs/${CID}`,
        address: null,
        statements: [{ at: expect.any(Number), reason: 'phishing', evidence: 'https://bank.example/warning' }],
        decision: null,
      },
    ])
  })

  it.each([
    ['NUL', 'a\u0000b'],
    ['half a character', 'a\ud800b'],
    ['a control character', 'a\u001bb'],
  ])('R30: is refused with %s in what it says, and taken with several lines', async (_, text) => {
    for (const said of [{ reason: text }, { reason: 'a', evidence: text }]) {
      expect((await report({ kind: 'cid', value: CID, ...said })).status).toBe(400)
    }
    expect((await list()).reports).toEqual([])
    expect((await report({ kind: 'cid', value: CID, reason: 'a\r\nb', evidence: 'a\tb\nc 😀' })).status).toBe(201)
  })

  it('says where the thing can be looked at, apart from the API', async () => {
    await report({ kind: 'item', value: ITEM, reason: 'a' })
    await report({ kind: 'txid', value: txid(1), blockchain: 'Bitcoin', reason: 'a' })
    await report({ kind: 'txid', value: txid(2), reason: 'a' })
    const { reports } = await list()
    const places = Object.fromEntries(reports.map((row) => [row.value, 'url' in row && row.url]))
    expect(places).toEqual({
      [ITEM]: `https://${ITEM}.storage.example/`,
      [txid(1)]: `https://storage.example/web/Bitcoin/${txid(1)}`,
      [txid(2)]: null,
    })
  })

  it.each([
    [{ kind: 'cid', value: 'no cid', reason: 'a' }, 'value'],
    [{ kind: 'url', value: CID, reason: 'a' }, 'kind'],
    [{ kind: 'cid', value: CID }, 'reason'],
    [{ kind: 'cid', value: CID, reason: ' ' }, 'reason'],
    [{ kind: 'cid', value: CID, reason: 'x'.repeat(1001) }, 'reason'],
    [{ kind: 'cid', value: CID, reason: 'a', evidence: 'x'.repeat(4001) }, 'evidence'],
    [{ kind: 'cid', value: CID, reason: 'a', evidence: ['a'] }, 'evidence'],
    [{ kind: 'cid', value: CID, reason: 'a', blockchain: 'Bitcoin' }, 'blockchain'],
    [{ kind: 'txid', value: txid(1), reason: 'a', blockchain: 'bitcoin' }, 'blockchain'],
  ])('%j is refused, and nothing is kept', async (body, field) => {
    const response = await report(body)
    const { message }: { message: string } = await response.json()
    expect([response.status, message.startsWith(field)]).toEqual([400, true])
    expect((await list()).reports).toEqual([])
  })

  it('R20: of one thing is one, however often and by however many at once, and ten statements are kept', async () => {
    stopClock()
    await Promise.all(
      Array.from({ length: 30 }, (_, n) => report({ kind: 'cid', value: CID, reason: `${n}` }, `192.0.${n}.1`)),
    )
    const { reports } = await list()
    expect(reports.map((row) => [row.reports, row.statements.length])).toEqual([[30, 10]])
  })

  it('R20: is the twentieth of an hour from one address, or of an IPv6 neighbourhood, at most', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 21; n++) {
      const response = await report({ kind: 'txid', value: txid(n), reason: 'a' }, `2001:db8::${n.toString(16)}`)
      statuses.push(response.status)
      if (n === 20) expect(response.headers.get('Retry-After')).toBe('3600')
    }
    expect(statuses).toEqual([...new Array<number>(20).fill(201), 429])
    expect((await report({ kind: 'txid', value: txid(99), reason: 'a' }, '2001:db8:1::1')).status).toBe(201)
    await env.DB.prepare('UPDATE report_clients SET at = at - 3600001').run()
    expect((await report({ kind: 'txid', value: txid(98), reason: 'a' }, '2001:db8::1')).status).toBe(201)
  })

  it('R20: waits with no more than the queue holds; what is in it is still counted', async () => {
    const entry = (n: number): NewReport => ({
      id: `${n}`.padStart(24, '0'),
      ...{
        kind: 'txid',
        value: txid(n),
        digest: txid(n),
        blockchain: undefined,
        reason: 'a',
        evidence: undefined,
        at: n,
      },
    })
    const limits = { statements: 10, open: 2, openOfNetwork: 9, networks: 9, ofClient: 20, since: 0 }
    const outcomes = await Promise.all([1, 2, 3, 4].map((n) => insertReport(env.DB, entry(n), undefined, limits)))
    expect(outcomes.filter((outcome) => outcome === 'queue_full').length).toBe(2)
    const waiting = await selectReports(env.DB, { status: 'open', after: '', limit: 10 })
    const [first] = waiting
    expect(waiting.length).toBe(2)
    const again = await insertReport(env.DB, entry(Number(first?.id)), undefined, limits)
    expect(again).toMatchObject({ id: first?.id })
    await decide(first?.id ?? '', 'dismissed')
    expect(await insertReport(env.DB, entry(5), undefined, limits)).toMatchObject({ id: entry(5).id })
  })
})

describe('R20: what nobody reported before', () => {
  const nodes = useScriptedNodes()
  beforeEach(async () => {
    await env.DB.exec("DELETE FROM attempts WHERE kind = 'lookup'")
  })
  const statusOf = async (body: object, client?: string) => (await report({ reason: 'a', ...body }, client)).status
  const random = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')
  const randomCid = () =>
    CidOf.createV1(0x55, createDigest(0x12, crypto.getRandomValues(new Uint8Array(32)))).toString()
  const answerGateways = (status: number) =>
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null, { status }))

  it('is taken where a chain has it, whether or not the chain is named', async () => {
    const [named = '', found = ''] = ['a', 'b'].flatMap((text) => store([nodes['dogecoin.test']], Buffer.from(text)))
    expect(await statusOf({ kind: 'txid', value: named, blockchain: 'Dogecoin' })).toBe(201)
    expect(await statusOf({ kind: 'txid', value: found })).toBe(201)
    expect(await statusOf({ kind: 'txid', value: found })).toBe(201)
    expect(nodes['dogecoin.test'].requests).toHaveLength(2)
  })

  it('is 404 where it is on no chain, in no gateway and here no item, and nothing is kept', async () => {
    expect(await statusOf({ kind: 'txid', value: random() })).toBe(404)
    expect(await statusOf({ kind: 'txid', value: random(), blockchain: 'Bitcoin' })).toBe(404)
    expect(await statusOf({ kind: 'item', value: 'ab'.repeat(12) })).toBe(404)
    answerGateways(404)
    expect(await statusOf({ kind: 'cid', value: randomCid() })).toBe(404)
    expect((await list()).reports).toEqual([])
  })

  it('is taken of an item that is stored, and is 404 of one that is not yet', async () => {
    const [stored, unpaid] = ['cd'.repeat(12), 'de'.repeat(12)]
    await add('items', { id: stored, status: 200 }, { id: unpaid, status: 402 })
    expect(await statusOf({ kind: 'item', value: stored })).toBe(201)
    expect(await statusOf({ kind: 'item', value: unpaid })).toBe(404)
  })

  it('is not called missing where that could not be asked', async () => {
    answerGateways(500)
    expect(await statusOf({ kind: 'cid', value: randomCid() })).toBe(502)
    expect(await statusOf({ kind: 'txid', value: random() })).toBe(502)
    expect((await list()).reports).toEqual([])
  })

  it('is looked up 10 times a minute for one network and 60 times for all; what is known goes on', async () => {
    stopClock()
    const statuses = async (count: number, client: (n: number) => string) =>
      await Promise.all(Array.from({ length: count }, (_, n) => statusOf({ kind: 'txid', value: random() }, client(n))))
    const tally = (list: number[]) => [404, 503].map((status) => list.filter((one) => one === status).length)
    expect(tally(await statuses(12, (n) => `192.0.2.${n}`))).toEqual([10, 2])
    expect(tally(await statuses(60, (n) => `10.0.${n}.1`))).toEqual([50, 10])
    expect(await statusOf({ kind: 'cid', value: CID }, '192.0.2.1')).toBe(201)
  })
})

describe('dismissing many', () => {
  const dismiss = (body: unknown, token = moderator.token) => fetchApi('PUT', '/v0/report', { token, body })

  it('is for moderators, names its reason, and leaves what is decided', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async (n) => {
        const body = { kind: 'txid', value: txid(n), reason: 'a' }
        return (await (await report(body)).json<{ id: string }>()).id
      }),
    )
    await decide(ids[2] ?? '', 'denied')
    const response = await dismiss({ status: 'dismissed', ids, reason: 'made up' })
    expect([response.status, await response.json()]).toEqual([200, { dismissed: 2 }])
    expect((await list()).reports).toEqual([])
    expect((await list('?status=denied')).reports.map(({ id }) => id)).toEqual([ids[2]])
    expect((await dismiss({ status: 'denied', ids, reason: 'a' })).status).toBe(400)
    expect((await dismiss({ status: 'dismissed', ids: [], reason: 'a' })).status).toBe(400)
    const { token } = await signIn()
    expect((await dismiss({ status: 'dismissed', ids, reason: 'a' }, token)).status).toBe(403)
  })
})

describe('a decision', () => {
  it('to deny puts the thing on the denylist and says who did it and why', async () => {
    const id = await reportCid()
    const response = await decide(id, 'denied', 'a copy of a bank')
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({
        status: 'denied',
        decision: { by: moderator.userId, at: expect.any(Number), reason: 'a copy of a bank' },
      }),
    ])
    expect(await deniedValues()).toMatchObject([{ value: CID, reason: 'a copy of a bank', deniedBy: moderator.userId }])
    expect((await fetchApi('GET', `/ipfs/${CID}`)).status).toBe(451)
    const { entries }: { entries: object[] } = await (
      await fetchApi('GET', '/v0/audit', { token: moderator.token })
    ).json()
    expect(entries.slice(0, 2)).toMatchObject([
      { act: 'denial.added', by: moderator.userId, subject: `cid:${CID}`, reason: 'a copy of a bank' },
      { act: 'report.decided', by: moderator.userId, subject: `report:${id}`, reason: 'denied: a copy of a bank' },
    ])
    expect((await list()).reports).toEqual([])
    expect((await list('?status=denied')).reports.map((row) => row.id)).toEqual([id])
  })

  it('that changes its mind takes the thing off the denylist again', async () => {
    const id = await reportCid()
    await decide(id, 'denied')
    await decide(id, 'open')
    expect(await deniedValues()).toEqual([])
    expect((await list()).reports.map((row) => row.id)).toEqual([id])
  })

  it('made by several at once ends as one of them: what is denied is on the denylist, and nothing else', async () => {
    const id = await reportCid()
    for (const first of ['denied', 'open']) {
      await decide(id, first)
      const answers = await Promise.all(['dismissed', 'denied', 'dismissed'].map((status) => decide(id, status)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      const denied = (await list('?status=denied')).reports.length
      expect(await deniedValues()).toHaveLength(denied)
    }
  })

  it('to dismiss stays, however often the same thing is reported after', async () => {
    const id = await reportCid()
    await decide(id, 'dismissed')
    expect(await reportCid()).toBe(id)
    expect((await list()).reports).toEqual([])
    expect((await list('?status=dismissed')).reports).toMatchObject([{ id, reports: 2 }])
    expect(await deniedValues()).toEqual([])
  })

  it('made at the denylist itself decides the report as well', async () => {
    const id = await reportCid()
    const body = { kind: 'cid', value: CID, reason: 'order 12/2026' }
    await fetchApi('PUT', '/v0/denied', { token: moderator.token, body })
    expect((await list('?status=denied')).reports).toMatchObject([{ id, decision: { reason: 'order 12/2026' } }])
    await fetchApi('DELETE', '/v0/denied', { token: moderator.token, body })
    expect((await list('?status=dismissed')).reports.map((row) => row.id)).toEqual([id])
  })

  it('is refused where the report, the status or the reason is none', async () => {
    const id = await reportCid()
    expect((await decide('0'.repeat(24), 'denied')).status).toBe(404)
    expect((await decide(id, 'maybe')).status).toBe(400)
    expect((await decide(id, 'denied', '')).status).toBe(400)
    expect((await list()).reports.length).toBe(1)
  })
})

describe('the queue', () => {
  it('is read page by page, the oldest first', async () => {
    const insert = env.DB.prepare("INSERT INTO reports (id, kind, digest, value) VALUES (?1, 'txid', ?2, ?2)")
    const ids = Array.from({ length: 60 }, (_, n) => n.toString(16).padStart(24, '0'))
    await env.DB.batch(ids.map((id, n) => insert.bind(id, txid(n))))
    const first = await list()
    const second = await list(`?cursor=${first.cursor}`)
    expect([...first.reports, ...second.reports].map((row) => row.id)).toEqual(ids)
    expect([first.reports.length, second.cursor]).toEqual([50, undefined])
  })

  it('is for moderators', async () => {
    const { token } = await signIn()
    expect((await fetchApi('GET', '/v0/report')).status).toBe(401)
    expect((await fetchApi('GET', '/v0/report', { token })).status).toBe(403)
    expect((await fetchApi('PUT', `/v0/report/${ITEM}`, { token, body: {} })).status).toBe(403)
    expect((await fetchApi('GET', '/v0/report?status=none', { token: moderator.token })).status).toBe(400)
    expect((await fetchApi('GET', '/v0/report?cursor=1', { token: moderator.token })).status).toBe(400)
  })
})
