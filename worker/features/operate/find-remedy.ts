import { WALLET_LOCKED } from '../../chain/rpc/fund-methods.ts'

/** What helps against what a chain's node, wallet or agent says; the first that fits. */
const REMEDIES: [RegExp, string][] = [
  [new RegExp(WALLET_LOCKED), 'Unlock it at the node: walletpassphrase, for as long as the service runs.'],
  [/no usable wallet/, 'Load it at the node: loadwallet, with the name that RPC_WALLET_<CHAIN> has.'],
  [/out of coins|are promised/, "Send coins to the service's wallet: an address of it by getnewaddress."],
  [/ stopped: /, 'Find out why. Then let it go on: PUT /v0/operate/stop/<chain>.'],
  [/above its limit/, 'Sweep what is not needed to a wallet that is not online: POST /v0/operate/sweep.'],
  [/new withdrawals wait/, "Send coins to the service's wallet: an address of it by getnewaddress."],
  [
    /the node's policy takes/,
    'Let the node take as much (datacarriersize, its standard weight), or set MAX_DATA_BYTES_<CHAIN> to what it takes.',
  ],
  [
    /not moved for|wait for other transactions/,
    'Look at fees, free coins and the node: see the mail of it, or docs/operate.',
  ],
  [
    /^its node is |do not fit together/,
    'Wait until the node has caught up. If it does not: getblockchaininfo and getpeerinfo at it, its disk, its clock.',
  ],
  [/network|genesis/i, 'The node is on another network than before: look at RPC_<CHAIN> and GENESIS_<CHAIN>.'],
  [/key pool/, 'Restart the node with a larger keypool, call keypoolrefill, and back the wallet up.'],
  [
    /none of the last/,
    'The node follows another chain than the one known here. Look at it; if it is right, POST /v0/operate/rewind with acceptChain.',
  ],
]

/** What an operator can do about a problem, in a sentence. Pure. */
export function findRemedy(problem: string | undefined): string {
  const known = REMEDIES.find(([pattern]) => pattern.test(problem ?? ''))?.[1]
  return known ?? 'Look at the log of the node and of the service: each error is a line that begins with its code.'
}
