import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ConsoleServer } from './console-server.ts'
import { nowSeconds } from './fake-state.ts'

/** A site as the API answers it: one that got no address has none. */
function withAddress(site: Record<string, unknown> | undefined): Record<string, unknown> {
  return { address: null, addressUrl: null, ...site }
}

/** Lists that a view shows and nothing changes: as an account some weeks old has them. */
export function answerFixture(
  { state }: ConsoleServer,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  send: (status: number, body?: unknown) => unknown,
): unknown {
  const now = nowSeconds()
  const day = 86_400
  const path = url.pathname
  const chain = (fields: object) => ({
    height: 921_408,
    tip: 360,
    step: 1,
    locked: false,
    payment: 'up',
    setAside: 0,
    oldestUnwritten: 240,
    usualMinutes: 12,
    waiting: 0,
    free: 1.20418833,
    reason: null,
    remedy: null,
    stops: [],
    incidents: [],
    ...fields,
  })
  if (request.headers.accept === 'text/csv') {
    // In two answers, as the API splits a long table.
    const older = url.searchParams.has('cursor')
    const link = older ? {} : { Link: `<${path}?cursor=older>; rel="next"` }
    const row = older ? '2026-11-12,-40' : '2026-11-22,0.0002'
    response.writeHead(200, { 'Content-Type': 'text/csv', ...link }).end(`at,change\r\n${row}\r\n`)
    return undefined
  }
  if (/^\/v0\/site\/[0-9a-f]{24}\/versions$/.test(path)) {
    return send(200, { versions: state.versions })
  }
  if (/^\/v0\/site\/[0-9a-f]{24}\/current$/.test(path)) return send(200, withAddress(state.sites[0]))
  if (/^\/v0\/site\/[0-9a-f]{24}$/.test(path)) {
    const found = state.sites.find((site) => path.endsWith(String(site.id)))
    if (found && request.method === 'DELETE') {
      state.sites = state.sites.filter((site) => site !== found)
      return send(204)
    }
    if (found && request.method === 'PATCH') Object.assign(found, { name: 'Letters home' })
    return found ? send(200, withAddress(found)) : send(404, { message: 'There is no such site.', code: 'not_found' })
  }
  if (path.endsWith('/check')) return send(200, state.domains[0])
  const lists: Record<string, unknown> = {
    '/v0/site': { sites: state.sites.map(withAddress) },
    '/v0/domain': { domains: state.domains },
    '/v0/ledger': url.searchParams.has('cursor')
      ? {
          entries: [
            {
              id: 'l4',
              at: now - 10 * day,
              blockchain: 'Dogecoin',
              kind: 'withdrawal',
              subject: 'DH5y…9Kqa',
              change: -40,
              balance: 18.2,
            },
          ],
        }
      : {
          cursor: 'older',
          entries: [
            {
              id: 'l1',
              at: now - 3600,
              blockchain: 'Bitcoin',
              kind: 'late',
              subject: 'foghorn.opus',
              change: 0.0002,
              balance: 0.000612,
            },
            {
              id: 'l2',
              at: now - day,
              blockchain: 'Bitcoin',
              kind: 'payment',
              subject: '4 letters',
              change: -0.000188,
              balance: 0.000412,
            },
            {
              id: 'l3',
              at: now - 8 * day,
              blockchain: 'Bitcoin',
              kind: 'deposit',
              subject: null,
              change: 0.0006,
              balance: 0.0006,
            },
          ],
        },
    '/v0/withdrawal': { withdrawals: [] },
    '/v0/withdrawal/fee': { fee: 0.0000141, most: 0.0411859, readAt: now },
    '/v0/user/sessions': {
      sessions: state.sessions.map((session) => ({ created: now - 3600, expires: now + day, ...session })),
    },
    '/v0/user/keys': {
      keys: [
        {
          id: 'k1',
          name: 'backup script',
          scopes: ['read', 'store', 'pay'],
          createdAt: now - day,
          expiresAt: now + 90 * day,
          lastUsedAt: null,
          spending: { Bitcoin: 0.001 },
        },
      ],
    },
    '/v0/user/passkeys': { passkeys: [] },
    '/v0/operate/health': {
      chains: {
        Bitcoin: chain({ oldestUnwritten: 2460 }),
        Nativecoin: chain({ height: 1_204_359, tip: 22, free: 318.0020194 }),
        Dogecoin: chain({
          height: 6_003_117,
          tip: 48,
          step: 180,
          locked: true,
          payment: 'down',
          oldestUnwritten: 4320,
          waiting: 7,
          free: 48_210,
          reason: 'the wallet is locked',
          remedy: 'Unlock it at the node: walletpassphrase, for as long as the service runs.',
        }),
      },
      storage: 'ok',
      database: { bytes: 1_130_496, limit: 10_000_000_000, counted: 36_977, daysLeft: null, state: 'ok' },
      gateways: { up: 3, of: 3 },
      mail: { waiting: 0 },
      reconciledAt: now - 7200,
      agrees: true,
      readAt: now,
    },
    '/v0/operate/failed-records': {
      records: [
        {
          id: 'a1',
          kind: 'item',
          subject: 'Item foghorn.opus',
          owner: 'lee@example.com',
          blockchain: 'Bitcoin',
          reason: 'Its fee would be 0.00062600 BTC, the ceiling is 0.00041300 BTC.',
          since: now - 64_800,
          actions: ['retry'],
        },
        {
          id: 'a2',
          kind: 'tx_chain',
          subject: 'Tx chain 5 on Dogecoin',
          owner: null,
          blockchain: 'Dogecoin',
          reason: 'The node says 66: insufficient priority.',
          since: now - 3600,
          actions: ['close'],
        },
      ],
    },
    '/v0/operate/reconciliation': {
      chains: [
        {
          blockchain: 'Bitcoin',
          ledger: 1.2,
          wallet: 1.2,
          chain: 1.2,
          owed: 1.2,
          held: 1.4,
          unassigned: 0,
          difference: 0,
          readAt: now,
        },
        {
          blockchain: 'Dogecoin',
          ledger: 18.2,
          wallet: 18.1,
          chain: 18.1,
          owed: 18.2,
          held: 18.1,
          unassigned: 0,
          difference: -0.1,
          readAt: now,
        },
      ],
    },
    '/v0/report': {
      reports: ['4k2ha', '7w3ta', 'm5nqa']
        .map((part, index) => ({
          id: `65f0a1b2c3d4e5f60102030${index}`,
          kind: 'cid',
          value: `bafybeigqx${part}exampleexampleexample`,
          blockchain: null,
          reason: 'Copies the sign-in page of a bank',
          evidence: null,
          statements: [{ at: now - 1200, reason: 'Copies the sign-in page of a bank', evidence: null }],
          decision: null,
          reports: 14,
          oldest: now - 1200,
          status: 'open',
          url: null,
          address: index === 0 ? 'my-bank' : null,
        }))
        .filter(({ id }) => !state.dismissed.has(id)),
    },
    '/v0/denied': {
      denied: [
        {
          kind: 'cid',
          value: 'bafybeigqx4k2haexampleexampleexample',
          reason: 'order 12/2026',
          deniedBy: 'u2',
          updatedAt: now - day,
        },
      ],
    },
    '/v0/users': {
      users: [
        {
          id: 'u3',
          email: 'lee@example.com',
          firstName: 'Lee',
          lastName: 'Ng',
          role: { name: 'user', permissions: [] },
          permissions: [],
          status: 3,
          createdAt: now - day,
        },
      ],
      cursor: null,
    },
    '/v0/audit': {
      entries: [
        {
          id: 'e1',
          at: now - 60,
          act: 'denial.added',
          by: '9f2ab04c',
          byEmail: 'ann@example.com',
          account: 'u3',
          accountEmail: 'lee@example.com',
          subject: 'bafy…',
          reason: 'order 12/2026',
        },
        {
          id: 'e2',
          at: now - 120,
          act: 'chain.stopped',
          by: '9f2ab04c',
          byEmail: 'ann@example.com',
          account: null,
          subject: 'part:payouts',
          reason: 'the wallet is being moved',
          blockchain: 'Bitcoin',
        },
      ],
    },
  }
  const found = lists[path]
  return found === undefined ? send(404, { message: 'There is nothing here.', code: 'not_found' }) : send(200, found)
}
