import { env } from 'cloudflare:test'
import type { AgentContext, StepContext } from '../../../../worker/chain/follower/agent-context.ts'
import type { RpcOutcome } from '../../../../worker/chain/rpc/rpc-transport.ts'
import { readConfig } from '../../../../worker/platform/config/read-config.ts'
import { memoryNumbers } from '../../../kit/in-process/memory-numbers.ts'
import { add, type Row, read } from '../../rows.ts'

const { DB, BUCKET } = env
/** A header of zeros, and the block that has it. */
const HEADER = '00'.repeat(80)
export const TIP = { height: 100, hash: '14508459b221041eab257d2baaa7459775ba748246c8403609eb708f0e57e74b' }
export const ITEM = { item_id: 'item' }

const NO_LABEL: RpcOutcome = { error: { code: -11, message: 'No addresses with this label' } }

/** What a node answers, with a wallet that has no label, to what it is asked before a withdrawal is first signed. */
export const READY_NODE: Record<string, RpcOutcome> = {
  getblockchaininfo: { result: { chain: 'regtest', blocks: String(TIP.height) } },
  getnetworkinfo: { result: { connections: '1' } },
  getblockheader: { result: HEADER },
  gettxout: { result: {} },
  getaddressesbylabel: NO_LABEL,
  getnewaddress: { result: 'new' },
}

/** A transaction of tx chain 1 whose signed bytes are its name. */
export async function sign(txid: string, row: Row = ITEM): Promise<void> {
  const bytes = new TextEncoder().encode(txid)
  await BUCKET.put(`writer/${txid}`, bytes)
  const place = { bundle: `writer/${txid}`, length: bytes.length }
  await add('transactions', { txid, ...place, state: 'signed', item_index: row.seq ?? 0, ...row })
}

/** A node that takes all but what it says something else to, by the transaction or the method; what it was sent, by request. */
export function node(answers: Record<string, RpcOutcome> = {}) {
  const sent: string[][] = []
  const rpc: AgentContext['rpc'] = async (calls) => {
    const named = calls.map(({ method, params }) => {
      const names = [params[0]].flat().map((hex) => Buffer.from(String(hex), 'hex').toString())
      return { method, names }
    })
    const first = named[0]?.method
    if (first === 'sendrawtransaction' || first === 'submitpackage') sent.push(named.flatMap(({ names }) => names))
    return named.map(({ method, names: [name = ''] }) => {
      if (method === 'gettransaction') return { error: { code: -5, message: 'not found' } }
      if (method === 'getaddressesbylabel') return NO_LABEL
      return answers[name] ?? answers[method] ?? { result: name }
    })
  }
  const context: StepContext = {
    numbers: memoryNumbers(),
    ...{ blockchain: 'Bitcoin' as const, config: readConfig(env), db: DB, bucket: BUCKET, rpc, now: 1_800_000_000_000 },
  }
  return { context, sent }
}

export const refuses = (message: string, code = -26): RpcOutcome => ({ error: { code, message } })

export const states = () => read('transactions', 'txid', 'state')
