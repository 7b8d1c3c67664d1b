import { createExecutionContext, env } from 'cloudflare:test'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { metricsText } from '../../../../../worker/features/operate/metrics/metrics-text.ts'
import { answerRequest } from '../../../../../worker/hosts/answer-request.ts'

import { add, clear } from '../../../rows.ts'
import { useDevnet } from '../../../use-devnet.ts'

const chain = useDevnet()
const TOKEN = 'm'.repeat(43)
beforeEach(() => clear('alerts', 'stops'))

async function get(path: string, token?: string, settings: object = { METRICS_TOKEN: TOKEN }) {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  const request = new Request(`https://api.example${path}`, { headers })
  return await answerRequest(request, { ...env, ...settings }, createExecutionContext())
}

/** A line of the text format: a name, labels that are escaped, and a number. */
const SAMPLE = /^[a-z_]+(?:\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"(?:,[a-z]+="(?:[^"\\\n]|\\["\\n])*")*\})? -?[\d.e+-]+$/

describe('GET /metrics', () => {
  it('is 404 where no token is set, and 401 with another one', async () => {
    expect((await get('/metrics', TOKEN, {})).status).toBe(404)
    expect([(await get('/metrics')).status, (await get('/metrics', 'other')).status]).toEqual([401, 401])
  })

  it('has what the database holds, each metric with a help text and a type', async () => {
    await chain.work('Bitcoin')
    await add('stops', { blockchain: 'Bitcoin', part: 'payouts', cause: 'hand', reason: 'a test', since: 0 })
    await add('alerts', { name: 'stopped', subject: 'Bitcoin', detail: '', first_at: 0, last_at: 0, raised_at: 0 })
    const response = await get('/metrics', TOKEN)
    expect(response.headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await response.text()
    expect(text).toContain('hookline_stopped{chain="Bitcoin",part="payouts"} 1\n')
    expect(text).toContain('hookline_alert{sign="stopped",chain="Bitcoin"} 1\n')
    expect(text).toContain(`hookline_chain_height{chain="Bitcoin"} ${chain.call('Bitcoin', 'getblockcount')}\n`)
    const lines = text.split('\n').filter((line) => line !== '')
    const names = new Set(lines.filter((line) => !line.startsWith('#')).map((line) => line.split(/[{ ]/, 1).join()))
    for (const name of names) expect(text).toMatch(new RegExp(`# HELP ${name} .+\\n# TYPE ${name} gauge\\n${name}`))
    expect(lines.filter((line) => !line.startsWith('# ') && !SAMPLE.test(line))).toEqual([])
  })

  it('has a token that opens the health for operators, and nothing else', async () => {
    expect((await get('/v0/operate/health', TOKEN)).status).toBe(200)
    expect((await get('/v0/operate/health')).status).toBe(401)
    expect((await get('/v0/operate/health', 'other')).status).toBe(401)
    expect((await get('/v0/operate/failed-records', TOKEN)).status).toBe(401)
  })
})

it('the text of a metric is one line for each sample, whatever its label says', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer(), (label, value) => {
      const text = metricsText([{ name: 'a_bytes', help: 'A.\nB', samples: [{ labels: { chain: label }, value }] }])
      const [help, type, sample, end] = text.split('\n')
      expect([help, type, end]).toEqual(['# HELP a_bytes A.\\nB', '# TYPE a_bytes gauge', ''])
      expect(sample).toMatch(SAMPLE)
    }),
  )
})
