import { randomBytes } from 'node:crypto'
import { CREDENTIALS } from '../sign-in.ts'
import type { Product } from '../start-product.ts'
import { storeUpload } from '../store-upload.ts'

/** What is asked of a service with many items. */
export interface Act {
  id: string
  what: string
  run(product: Product): Promise<void>
}

/** Access tokens: of an account with a hundred items, of one with a tenth of all, of an operator. */
export interface Tokens {
  usual: string
  large: string
  operator: string
}

const FIELDS = { blockchain: 'Nativecoin', mimetype: 'application/octet-stream' }
const UPLOAD_BYTES = 1_000

const READ: readonly [id: string, what: string, path: string][] = [
  ['newest', 'the newest items', '/item'],
  ['by-name', 'items by name', '/item?sort=name'],
  ['by-size', 'items by size', '/item?sort=size'],
  ['of-kind', 'pictures', '/item?kind=picture'],
  ['of-chain', 'items of a chain', '/item?blockchain=Nativecoin'],
  ['search', 'a search by two words', '/item?name=photo%20ab'],
  ['counts', 'how many items of each state', '/item/counts'],
  ['folders', 'the folders', '/folder'],
  ['uploads', 'the uploads', '/upload'],
  ['ledger', 'the ledger', '/ledger'],
  ['payments', 'payment requests', '/payment'],
  ['sites', 'the sites', '/site'],
  ['user', 'the account', '/user'],
]

const OPERATE: readonly [id: string, what: string, path: string][] = [
  ['users', 'the accounts', '/users'],
  ['audit', 'what was done', '/audit'],
  ['deposits', 'deposits that wait', '/operate/deposit'],
  ['health', 'health for an operator', '/operate/health'],
]

/** All acts, each once. `merged`: gives items that are merged and not paid for, a new one each time. */
export function actsWith(tokens: Tokens): Act[] {
  const reads = (['usual', 'large'] as const).flatMap((owner) =>
    READ.map(([id, what, path]) => ({
      id: `${id}/${owner}`,
      what: `${what}, ${owner === 'usual' ? '100 items' : 'a tenth of all items'}`,
      run: async (product: Product) => void (await ask(product, tokens[owner], path)),
    })),
  )
  const operates = OPERATE.map(([id, what, path]) => ({
    id: `${id}/operator`,
    what,
    run: async (product: Product) => void (await ask(product, tokens.operator, path)),
  }))
  return [...reads, ...operates, ...writes(tokens)]
}

function writes({ usual }: Tokens): Act[] {
  const store = (product: Product) => storeUpload(product, usual, { ...FIELDS, content: randomBytes(UPLOAD_BYTES) })
  return [
    {
      id: 'login',
      what: 'a login',
      run: async (product) => void (await ask(product, '', '/token', CREDENTIALS)),
    },
    { id: 'upload', what: 'an upload of 1 KB with its merge', run: async (product) => void (await store(product)) },
    {
      id: 'payment',
      what: 'an upload of 1 KB, and a payment request for it',
      async run(product) {
        const body = JSON.stringify({ blockchain: FIELDS.blockchain, ids: [await store(product)] })
        await ask(product, usual, '/payment', body, 402)
      },
    },
    {
      id: 'minute',
      what: 'the job of each minute',
      async run({ miniflare }) {
        await (await miniflare.getWorker()).scheduled({ cron: '* * * * *' })
      },
    },
  ]
}

async function ask({ port }: Product, token: string, path: string, body?: string, expected = 200): Promise<string> {
  const headers = { ...(token ? { Authorization: `Bearer ${token}` } : {}), 'Content-Type': 'application/json' }
  const init = body === undefined ? { headers } : { method: 'POST', headers, body }
  const response = await fetch(`http://127.0.0.1:${port}/v0${path}`, init)
  const text = await response.text()
  if (response.status !== expected) throw new Error(`${path}: ${response.status} ${text}`)
  return text
}
