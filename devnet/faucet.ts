import { BLOCKCHAINS } from '../protocol/chains.ts'
import type { Devnet } from './create-devnet.ts'
import { escapeHtml } from './escape-html.ts'

/** The form fields of a visit to the faucet. */
export interface FaucetRequest {
  blockchain: string
  address: string
  amount: string
}

/** The fields of a query or a form. */
export function readFaucetRequest(text: string): FaucetRequest {
  const fields = new URLSearchParams(text)
  const read = (name: string) => fields.get(name) ?? ''
  return { blockchain: read('blockchain'), address: read('address'), amount: read('amount') }
}

/**
 * Pays from the faucet's wallet of an embedded chain; its coins have no value. Returns the txid, or the reason of a
 * failure as a sentence.
 */
export function payFromFaucet(
  devnet: Devnet,
  { blockchain, address, amount }: FaucetRequest,
): { txid?: string; problem?: string } {
  if (!devnet.findNode(blockchain)) return { problem: `There is no embedded chain "${blockchain}".` }
  if (!/^\d{1,8}(?:\.\d{1,8})?$/.test(amount)) {
    return { problem: 'The amount must be in coins, with at most 8 decimals: 0.001.' }
  }
  const call = { id: 1, method: 'sendtoaddress', params: [address, amount] }
  const answer: unknown = JSON.parse(devnet.handle(blockchain, JSON.stringify(call)).body)
  const fields = typeof answer === 'object' && answer !== null ? new Map(Object.entries(answer)) : new Map()
  const txid: unknown = fields.get('result')
  if (typeof txid === 'string') return { txid }
  return { problem: `The node refused it: ${JSON.stringify(fields.get('error'))}` }
}

/** The page of the faucet: a form that pays with one press, below the result of the last press. */
export function faucetPage(
  { blockchain, address, amount }: FaucetRequest,
  outcome?: { txid?: string; problem?: string },
): string {
  const chosen = (name: string) => (name === blockchain ? ' selected' : '')
  const chains = BLOCKCHAINS.map((name) => `<option${chosen(name)}>${name}</option>`).join('')
  const field = (name: string, label: string, value: string) =>
    `<p><label>${label}<br><input name="${name}" value="${escapeHtml(value)}" size="64" required></label></p>`
  const said =
    outcome?.txid !== undefined
      ? `<p role="status">Paid. Its transaction is <code>${escapeHtml(outcome.txid)}</code>. You may close this page.</p>`
      : outcome?.problem !== undefined
        ? `<p role="alert">Nothing was paid. ${escapeHtml(outcome.problem)}</p>`
        : ''
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Faucet of the embedded chains</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}input,select{font:inherit;max-width:100%;box-sizing:border-box}button{font:inherit;padding:.5rem 1rem}code{overflow-wrap:anywhere}</style>
<h1>Faucet</h1><p>Pays from the wallet of an embedded chain. These coins are worth nothing.</p>${said}
<form method="post" action="/faucet"><p><label>Chain<br><select name="blockchain">${chains}</select></label></p>${field('address', 'Address', address)}${field('amount', 'Amount, in coins', amount)}<p><button>Pay</button></p></form></html>`
}
