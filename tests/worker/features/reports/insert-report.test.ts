import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { insertReport } from '../../../../worker/features/reports/sql/reports.ts'
import { read } from '../../rows.ts'

it('a network is counted for each thing that it reports, up to a number of networks', async () => {
  const limits = { statements: 9, open: 9, openOfNetwork: 9, networks: 3, ofClient: 9, since: 0 }
  const report = async (id: string, network: string, kind: 'txid' | 'cid' = 'txid') => {
    const of = { id: `${kind} ${id}`, kind, digest: id, value: id, blockchain: undefined } as const
    const said = { reason: '', evidence: undefined, at: 5 }
    await insertReport(env.DB, { ...of, ...said }, { client: network, network }, limits)
  }
  for (const network of ['one', 'two', 'one']) await report('a', network)
  for (const network of ['one', 'two']) await report('b', network)
  for (const network of ['three', 'one']) await report('a', network, 'cid')
  for (const network of ['three', 'four']) await report('a', network)
  expect(await read('reports', 'id', 'reports')).toEqual({ 'txid a': 3, 'txid b': 2, 'cid a': 2 })
})
