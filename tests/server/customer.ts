import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Rpc } from '../kit/call-devnet.ts'

const CHAIN = 'Nativecoin'
/** Of an item. */
const BYTES = 300
/** In coins. */
const WITHDRAWN = 0.01
const PATIENCE = { timeout: 120_000, interval: 250 }

interface Answer {
  status: number
  text: string
}

/** What of an item was acknowledged. */
interface Item {
  id: string
  order: string
  bytes: Uint8Array<ArrayBuffer>
  isUploaded?: true
  isMerged?: true
  isPaid?: true
}

/** Somebody who stores, pays and withdraws without a pause, and remembers what was acknowledged. */
export class Customer {
  /** Is told of each act as it begins. */
  began: (act: string) => void = () => {}
  token: string
  readonly #url: string
  readonly #wallet: Rpc
  readonly #folders: string[] = []
  readonly #items: Item[] = []
  /** Where withdrawals go, and the one that got no answer yet. */
  readonly #addresses = new Set<string>()
  #unanswered: string | undefined

  /** `wallet`: a node that pays, and has the addresses of withdrawals. */
  constructor(url: string, wallet: Rpc, token: string) {
    this.#url = url
    this.#wallet = wallet
    this.token = token
  }

  /** Pays coins into the account, and waits until they are there. */
  async deposit(coins: number): Promise<void> {
    const { address } = JSON.parse((await this.#ask('GET', `/payment/${CHAIN}`)).text)
    this.#wallet('sendtoaddress', address, String(coins))
    await expect.poll(async () => await this.balance(), PATIENCE).toBe(coins)
  }

  /** In coins. */
  async balance(): Promise<number> {
    return Number(JSON.parse((await this.#ask('GET', '/user')).text).balances[CHAIN])
  }

  /** One of everything. @throws {Error} where an answer does not come or is a refusal. */
  async act(life: number): Promise<void> {
    const order = crypto.randomUUID()
    const folder = await this.#do('a folder', [201], 'POST', '/folder', { name: order, blockchain: CHAIN, order })
    this.#folders.push(JSON.parse(folder).id)
    const bytes = new TextEncoder().encode(randomBytes(BYTES / 2).toString('hex'))
    const fields = { name: `${life}.bin`, mimetype: 'application/octet-stream', blockchain: CHAIN, order, size: BYTES }
    const item: Item = { id: JSON.parse(await this.#do('an item', [201], 'POST', '/item', fields)).id, order, bytes }
    this.#items.push(item)
    await this.#do('an upload', [204], 'PUT', `/item/${item.id}/chunk/0`, bytes)
    item.isUploaded = true
    await this.#do('a merge', [200, 202], 'POST', `/item/${item.id}/merge`)
    item.isMerged = true
    await this.#untilMerged(item)
    if (this.#items.length % 2 === 0) await this.#payFromBalance(item)
    else await this.#payByRequest(item)
    await this.#withdraw(this.#unanswered ?? String(this.#wallet('getnewaddress')))
  }

  /** Without an answer it ends: the server may be gone. */
  async #untilMerged({ id }: Item): Promise<void> {
    const end = Date.now() + PATIENCE.timeout
    while ((await this.#ask('GET', `/item/${id}`)).status !== 200) {
      if (Date.now() > end) throw new Error(`${id} is not merged`)
      await sleep(PATIENCE.interval)
    }
  }

  /** Withdraws to a new address, which it returns. */
  async withdraw(): Promise<string> {
    const address = String(this.#wallet('getnewaddress'))
    await this.#withdraw(address)
    return address
  }

  /** How a withdrawal to an address is: its state, and what is said of it. */
  async withdrawalTo(address: string): Promise<string> {
    const { withdrawals } = JSON.parse((await this.#ask('GET', '/withdrawal')).text)
    const { state, message } = withdrawals.find((one: { address: string }) => one.address === address)
    return `${state}: ${message}`
  }

  /** What got no answer is asked for again, with the same key: it is one withdrawal. */
  async #withdraw(address: string): Promise<void> {
    this.#unanswered = address
    this.#addresses.add(address)
    const withdrawal = { blockchain: CHAIN, address, amount: String(WITHDRAWN) }
    const text = await this.#do('a withdrawal', [201, 409], 'POST', '/withdrawal', withdrawal)
    // Of a request that was killed: its key is free again after a while.
    const { code } = JSON.parse(text)
    if (code === 'request_running') return
    expect(code).toBeUndefined()
    this.#unanswered = undefined
  }

  async #payByRequest(item: Item): Promise<void> {
    const request = { blockchain: CHAIN, ids: [item.id], maxFromBalance: '0' }
    const { address, amount } = JSON.parse(await this.#do('a request', [402], 'POST', '/payment', request))
    this.began('a payment')
    this.#wallet('sendtoaddress', address, String(amount))
    item.isPaid = true
  }

  async #payFromBalance(item: Item): Promise<void> {
    await this.#do('a payment from the balance', [200], 'POST', '/payment', { blockchain: CHAIN, ids: [item.id] })
    item.isPaid = true
  }

  /** What the receipts say that the balance paid for items, with or without an answer; in coins. */
  async paidFromBalance(): Promise<number> {
    let sum = 0
    for (const { id, isPaid } of this.#items) {
      const { status, text } = await this.#ask('GET', `/item/${id}/receipt`)
      if (isPaid) expect(status, id).toBe(200)
      if (status !== 200) continue
      const { amount, fromBalance, payments } = JSON.parse(text)
      const paid = payments.reduce((all: number, payment: { amount: number }) => all + payment.amount, fromBalance)
      expect(paid, id).toBeCloseTo(amount, 8)
      sum += fromBalance
    }
    return sum
  }

  /** What takes the error of an act: nothing where the server was being killed. */
  endedBy(isKilled: () => boolean): (error: unknown) => void {
    return (error) => {
      if (!isKilled()) throw error
    }
  }

  /** Expects all that was acknowledged to be there, and what was paid to be on the chain. */
  async findsAll(): Promise<void> {
    for (const folder of this.#folders) expect((await this.#ask('GET', `/folder/${folder}`)).status, folder).toBe(200)
    for (const item of this.#items) await this.#find(item)
  }

  async #find({ id, order, bytes, isUploaded, isMerged, isPaid }: Item): Promise<void> {
    const { items } = JSON.parse((await this.#ask('GET', `/item?order=${order}`)).text)
    expect(items.map((item: { id: string }) => item.id)).toEqual([id])
    if (isPaid) {
      const content = async () => (await this.#ask('GET', `/content/${id}`)).text
      await expect.poll(content, PATIENCE).toBe(new TextDecoder().decode(bytes))
    } else if (isMerged) {
      await expect.poll(async () => (await this.#ask('GET', `/item/${id}`)).status, PATIENCE).toBe(200)
    } else if (isUploaded) {
      const { status, text } = await this.#ask('GET', `/upload/${id}`)
      const hash = createHash('sha256').update(bytes).digest('hex')
      // Merged without an answer is merged, too.
      expect(status === 409 ? [hash] : JSON.parse(text).hashes).toEqual([hash])
    }
  }

  /** Waits until no withdrawal waits; what each address has to have got (coins), and what all cost. */
  async payouts(): Promise<{ sent: Map<string, number>; cost: number }> {
    const all = await this.#allWithdrawals()
    const paid = all.map(({ address }) => address)
    // Of the one without an answer there may be none, or one.
    const expected = [...this.#addresses].filter((address) => address !== this.#unanswered || paid.includes(address))
    expect(paid.sort()).toEqual(expected.sort())
    const sent = new Map([...this.#addresses].map((address) => [address, paid.includes(address) ? WITHDRAWN : 0]))
    return { sent, cost: all.reduce((sum, { amount, fee }) => sum + amount + fee, 0) }
  }

  async #allWithdrawals(): Promise<{ address: string; amount: number; fee: number; state: string }[]> {
    const read = async () => {
      const all = []
      for (let path = '/withdrawal'; ; ) {
        const { withdrawals, cursor } = JSON.parse((await this.#ask('GET', path)).text)
        all.push(...withdrawals)
        if (!cursor) return all
        path = `/withdrawal?cursor=${cursor}`
      }
    }
    await expect
      .poll(async () => (await read()).filter(({ state }: { state: string }) => state !== 'confirmed'), PATIENCE)
      .toEqual([])
    return await read()
  }

  async #do(
    act: string,
    statuses: readonly number[],
    ...[method, path, body]: [string, string, (object | Uint8Array<ArrayBuffer>)?]
  ): Promise<string> {
    this.began(act)
    const answer = await this.#ask(method, path, body)
    if (!statuses.includes(answer.status)) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.text
  }

  async #ask(method: string, path: string, body?: object | Uint8Array<ArrayBuffer>): Promise<Answer> {
    const headers: Record<string, string> = { Authorization: `Bearer ${this.token}` }
    const isBytes = body instanceof Uint8Array
    if (body && !isBytes) headers['Content-Type'] = 'application/json'
    if (path === '/withdrawal' && this.#unanswered !== undefined) headers['Idempotency-Key'] = this.#unanswered
    const init = { method, headers, signal: AbortSignal.timeout(20_000) }
    const sent = body === undefined ? {} : { body: isBytes ? body : JSON.stringify(body) }
    const answer = await fetch(`${this.#url}/v0${path}`, { ...init, ...sent })
    return { status: answer.status, text: await answer.text() }
  }
}
