import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { asker } from '../../scripts/probe/ask.ts'
import { type CheckName, probe } from '../../scripts/probe/probe.ts'
import { ProbeError, readTarget } from '../../scripts/probe/target.ts'
import { type EdgeAnswer, type EdgeProxy, type EdgeRequest, startEdgeProxy } from '../kit/edge-proxy.ts'
import { freePort } from '../kit/free-port.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { NARROW_CERTIFICATE, WHOLE_CERTIFICATE } from '../kit/test-certificates.ts'
import { storeContent } from '../kit/write-content.ts'

const LETTER = 'A letter that compresses, compresses, compresses and compresses.'
const DAY = 86_400_000

async function startService(variables: (port: number) => Record<string, string>) {
  const port = await freePort()
  const worker = await startWorker({ port, variables: variables(port) })
  await (await worker.miniflare.getWorker()).scheduled({ cron: '* * * * *' })
  return { worker, content: `Bitcoin:${storeContent(worker, 'Bitcoin', LETTER).join(',')}` }
}

/** The names of the checks with an outcome, and with a problem what it is. */
async function run(target: Awaited<ReturnType<typeof readTarget>>) {
  const findings = await probe(target)
  const named = (outcome: string) => findings.filter((one) => one.outcome === outcome)
  return {
    failed: Object.fromEntries(named('failed').map(({ name, text }) => [name, text])),
    skipped: named('skipped').map(({ name }) => name),
  }
}

describe('a probe of this machine', () => {
  let worker: RunningWorker
  let content: string
  beforeAll(async () => {
    const local = (port: number) => ({
      BASE_URL: `http://127.0.0.1:${port}`,
      STORAGE_HOST: `storage.localhost:${port}`,
    })
    ;({ worker, content } = await startService(local))
  })
  afterAll(() => worker.close())

  it('finds nothing wrong, and skips what is not there, by name', async () => {
    const found = await run(await readTarget(worker.url, content, asker(), Date.now()))
    expect(found).toEqual({ failed: {}, skipped: ['tips', 'https', 'certificates'] })
  })

  it('skips content of a chain where none is known', async () => {
    const { skipped } = await run(await readTarget(worker.url, undefined, asker(), Date.now()))
    expect(skipped).toContain('brotli')
  })

  it.each([
    ['no address', 'api.hookline.io', undefined, /is not the address of a service/],
    ['an address with a path', 'https://api.hookline.io/v0', undefined, /is not the address of a service/],
    ['another machine by http', 'http://api.hookline.io', undefined, /is reached by https/],
    ['content of no chain', 'http://127.0.0.1:9', 'Litecoin:00', /is not <chain>/],
  ])('refuses %s', async (_, url, given, message) => {
    await expect(readTarget(url, given, asker(), 0)).rejects.toThrow(message)
  })

  it('refuses what is no Hookline, and says which host does not answer', async () => {
    await expect(readTarget(worker.chains.outboxUrl.replace(/\/outbox$/, ''), undefined, asker(), 0)).rejects.toThrow(
      ProbeError,
    )
    await expect(readTarget('http://127.0.0.1:9', undefined, asker(), 0)).rejects.toThrow(
      '127.0.0.1:9 refuses connections',
    )
  })
})

describe('a probe of a deployment', () => {
  const frontKey = Buffer.alloc(32, 7).toString('base64url')
  const ca = [WHOLE_CERTIFICATE.cert, NARROW_CERTIFICATE.cert]
  let worker: RunningWorker
  let content: string
  let edge: EdgeProxy
  let narrow: EdgeProxy
  beforeAll(async () => {
    const deployed = { BASE_URL: 'https://api.probe.test', STORAGE_HOST: 'probe-content.test', FRONT_KEY: frontKey }
    ;({ worker, content } = await startService(() => deployed))
    const options = { target: worker.url, frontKey }
    edge = await startEdgeProxy({ ...options, certificate: WHOLE_CERTIFICATE })
    narrow = await startEdgeProxy({ ...options, certificate: NARROW_CERTIFICATE })
  })
  afterEach(() => Object.assign(edge, { onAnswer: undefined, believes: false }))
  afterAll(async () => {
    await Promise.all([edge.close(), narrow.close()])
    await worker.close()
  })

  let clients = 0
  // A client of its own each time: its failed logins are counted.
  const look = async (now = Date.now(), through = edge) => {
    through.client = `198.51.100.${++clients}`
    return await run(await readTarget('https://api.probe.test', content, asker({ place: through.place, ca }), now))
  }

  it('finds nothing wrong, and skips nothing', async () => {
    expect(await look()).toEqual({ failed: {}, skipped: [] })
  })

  type Fault = (request: EdgeRequest, answer: EdgeAnswer) => EdgeAnswer
  const typed =
    (type: string, change: (body: string) => string, host = ''): Fault =>
    (request, answer) =>
      answer.headers['content-type']?.startsWith(type) &&
      !answer.headers['cache-control']?.includes('no-transform') &&
      request.url.pathname !== '/hook.js' &&
      request.url.host.includes(host)
        ? { ...answer, body: Buffer.from(change(answer.body.toString('latin1')), 'latin1') }
        : answer
  const health =
    (change: (told: Record<string, unknown>) => void): Fault =>
    (request, answer) => {
      if (request.url.pathname !== '/v0/health' || answer.status !== 200) return answer
      const told = JSON.parse(answer.body.toString())
      change(told)
      return { ...answer, body: Buffer.from(JSON.stringify(told)) }
    }
  const chain = (change: object) =>
    health(({ chains }) =>
      Object.assign(chains instanceof Object && 'Bitcoin' in chains ? (chains.Bitcoin ?? {}) : {}, change),
    )
  const decoded =
    (path: string): Fault =>
    (request, answer) => {
      const { 'content-encoding': coding, ...headers } = answer.headers
      if (!request.url.pathname.startsWith(path) || coding !== 'br') return answer
      return { ...answer, headers, body: brotliDecompressSync(answer.body) }
    }

  const FAULTS: [what: string, names: CheckName[], told: RegExp, fault: Fault][] = [
    [
      'obfuscates addresses of mail',
      ['page', 'subdomain'],
      /switch off Email Address Obfuscation/,
      typed('text/html', (body) => body.replaceAll('a@b.co', '<a href="/cdn-cgi/l/email-protection">')),
    ],
    [
      'loads scripts of its own on the host of the API alone',
      ['page'],
      /^of api\.probe\.test .*switch off Rocket Loader/,
      typed('text/html', (body) => `${body}<script src="/cdn-cgi/scripts/rocket-loader.min.js">`, 'api.'),
    ],
    [
      'detects bots on the host of content alone',
      ['page', 'subdomain'],
      /probe-content\.test .*JavaScript Detections/,
      typed('text/html', (body) => `${body}<script src=/cdn-cgi/challenge-platform/x.js>`, 'content'),
    ],
    [
      'counts visits',
      ['page', 'subdomain'],
      /Web Analytics/,
      typed('text/html', (body) => `${body}<script src=//x/beacon.min.js>`),
    ],
    [
      'rewrites links',
      ['page'],
      /Automatic HTTPS Rewrites/,
      typed('text/html', (body) => body.replace('http:', 'https:')),
    ],
    [
      'minifies scripts',
      ['script'],
      /arrives altered/,
      typed('text/javascript', (body) => body.replace(/^\/\/.*\n/, '')),
    ],
    [
      'shrinks pictures',
      ['picture', 'ranges'],
      /arrives altered/,
      typed('image/png', (body) => body.slice(0, 33) + body.slice(61)),
    ],
    [
      'compresses what nobody asked it to',
      ['page'],
      /encoded as br/,
      (request, answer) =>
        request.url.searchParams.get('filename') === 'probe.html' && answer.status === 200
          ? {
              ...answer,
              headers: { ...answer.headers, 'content-encoding': 'br' },
              body: brotliCompressSync(answer.body),
            }
          : answer,
    ],
    ['decodes Brotli of the helper', ['hook'], /not sent in Brotli/, decoded('/hook.js')],
    [
      'alters the helper',
      ['hook', 'ranges'],
      /has not the hash/,
      (request, answer) =>
        request.url.pathname === '/hook.js' && answer.headers['content-encoding'] === undefined && answer.status === 200
          ? { ...answer, body: Buffer.from(answer.body.toString().replace('function', 'function ')) }
          : answer,
    ],
    ['decodes Brotli of a chain', ['brotli'], /is decoded on its way/, decoded('/v0/web')],
    [
      'encodes content anew',
      ['brotli'],
      /is encoded anew/,
      (request, answer) =>
        request.url.pathname.startsWith('/v0/web') && answer.headers['content-encoding'] === 'br'
          ? { ...answer, body: brotliCompressSync(brotliDecompressSync(answer.body), { params: { 1: 0 } }) }
          : answer,
    ],
    [
      'ignores ranges',
      ['ranges'],
      /answers a range with 200/,
      (_, answer) => (answer.status === 206 ? { ...answer, status: 200 } : answer),
    ],
    [
      'sends other ranges',
      ['ranges'],
      /with other bytes/,
      (_, answer) => (answer.status === 206 ? { ...answer, body: answer.body.subarray(1) } : answer),
    ],
    [
      'never says 304',
      ['conditions'],
      /answers 200, not 304/,
      (_, answer) => (answer.status === 304 ? { ...answer, status: 200 } : answer),
    ],
    [
      'removes entity tags',
      ['conditions'],
      /has no entity tag/,
      (_, { headers: { etag: _etag, ...headers }, ...answer }) => ({ ...answer, headers }),
    ],
    [
      'answers http',
      ['https'],
      /^http:\/\/api\.probe\.test answers 200/,
      (_, answer) => (answer.status === 308 ? { ...answer, status: 200 } : answer),
    ],
    [
      'leads elsewhere by http',
      ['https'],
      /leads to https:\/\/elsewhere/,
      (_, answer) =>
        answer.status === 308
          ? { ...answer, headers: { ...answer.headers, location: 'https://elsewhere.test/' } }
          : answer,
    ],
    [
      'has not run the job of the minute for ten',
      ['minute'],
      /600 seconds ago/,
      health((told) => Object.assign(told, { minute: 600 })),
    ],
    ['has never run it', ['minute'], /never ended well/, health((told) => Object.assign(told, { minute: undefined }))],
    ['has mails that wait', ['mail'], /mails wait/, health((told) => Object.assign(told, { mail: 'waits' }))],
    [
      'has no database',
      ['storage'],
      /D1 or R2 does not answer/,
      health((told) => Object.assign(told, { storage: 'down' })),
    ],
    ['has a full database', ['storage'], /is full/, health((told) => Object.assign(told, { database: 'full' }))],
    ['offers no chain', ['chains', 'tips'], /offers no chain/, health((told) => Object.assign(told, { chains: {} }))],
    ['has a node that is down', ['chains'], /^Bitcoin: its node/, chain({ status: 'down' })],
    ['has a node that is behind', ['chains'], /^Bitcoin: it accepts no payment/, chain({ payment: 'down' })],
    ['has a node without an index', ['chains'], /complete index/, chain({ index: 'missing', status: 'down' })],
    ['has a locked wallet', ['chains'], /locked/, chain({ locked: true, payment: 'down' })],
    ['has stopped payouts', ['chains'], /payouts is stopped/, chain({ stopped: ['payouts'] })],
    ['has an old block', ['tips'], /^Bitcoin: its newest block came 240 minutes ago/, chain({ tip: 14_400 })],
    ['has an agent that stands still', ['tips'], /no step for 900 s/, chain({ step: 900 })],
  ]

  it.each(FAULTS)('of a service that %s finds %j', async (_, names, told, fault) => {
    edge.onAnswer = fault
    const { failed } = await look()
    expect(Object.keys(failed)).toEqual(names)
    expect(Object.values(failed).join('\n')).toMatch(new RegExp(told, 'm'))
  })

  it('finds that a client chooses its own address', async () => {
    edge.believes = true
    expect(await look()).toMatchObject({ failed: { address: expect.stringContaining('CF-Connecting-IP') } })
  })

  it('takes a refusal of Cloudflare for that of a forged address', async () => {
    edge.believes = true
    edge.onAnswer = ({ headers }, answer) =>
      headers['cf-connecting-ip'] === undefined
        ? answer
        : { status: 403, headers: {}, body: Buffer.from('error code: 1000') }
    expect(await look()).toMatchObject({ failed: {} })
  })

  it('finds hosts without a certificate', async () => {
    const { failed } = await look(Date.now(), narrow)
    expect(failed.certificates).toMatch(
      /^\w+\.ipfs\.probe-content\.test has a certificate for other names; \w+\.ipns\./,
    )
    expect(Object.keys(failed)).toEqual(['subdomain', 'certificates'])
  })

  it('finds certificates that soon expire', async () => {
    const { failed } = await look(Date.now() + 99.99 * 365 * DAY)
    expect(failed.certificates).toMatch(/^the certificate of api\.probe\.test is valid for \d days/)
  })
})
