import { gaugesOf } from '../worker/features/operate/metrics/gauges.ts'
import { metricsText } from '../worker/features/operate/metrics/metrics-text.ts'

// Every gauge of /metrics with a sample, for `promtool check metrics`.

const at = 1_800_000_000_000
const chain = 'Bitcoin'
const gauges = gaugesOf(
  {
    commit: 'a',
    size: { bytes: 1e6, limit: 1e10 },
    minuteRun: at,
    mails: 1,
    records: [{ blockchain: chain, kind: 'held', count: 1 }],
    books: [
      {
        ...{ blockchain: chain, ledger: 1n, wallet: 1n, chain: 1n, owed: 1n, held: 2n, unassigned: 0n },
        ...{ readAt: at, differsSince: undefined },
      },
    ],
    alerts: [{ name: 'stopped', subject: chain, raisedAt: at }],
    admitted: { chain: 1, ipfs: 2 },
    chains: [{ chain, height: 1, steppedAt: at, tipAt: at, waiting: 1, oldest: at, stopped: ['payouts'] }],
  },
  at,
)
const empty = gauges.filter(({ samples }) => samples.length === 0).map(({ name }) => name)
if (empty.length > 0) throw new Error(`These have no sample: ${empty.join(', ')}`)
process.stdout.write(metricsText(gauges))
