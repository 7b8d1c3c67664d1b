import type { Metered, Usage } from './usage.ts'

const SECONDS = 30 * 86_400
const DAYS = 30
/** Memory that Cloudflare counts for an object that runs, in GB. */
const OBJECT_GB = 0.128

/** What an account pays beside what it uses, in dollars a month. */
export const FIXED = [
  ['Workers Paid', 5],
  ['Advanced Certificate Manager, in the zone of content', 10],
] as const

/** The amounts that a month costs something for, beyond what the plan includes; dollars for a million. */
const BILLED = {
  requests: { name: 'Worker: requests', included: 10e6, price: 0.3 },
  cpuMs: { name: 'Worker: ms of CPU', included: 30e6, price: 0.02 },
  rowsRead: { name: 'Rows of D1: read', included: 25e9, price: 0.001 },
  rowsWritten: { name: 'Rows of D1: written', included: 50e6, price: 1 },
  classA: { name: 'R2: class A (puts, parts, lists)', included: 1e6, price: 4.5 },
  classB: { name: 'R2: class B (gets)', included: 10e6, price: 0.36 },
  objectRequests: { name: 'Objects: requests and alarms', included: 1e6, price: 0.15 },
  objectGbSeconds: { name: 'Objects: GB-s', included: 400_000, price: 12.5 },
  objectRowsRead: { name: 'Objects: rows read', included: 25e9, price: 0.001 },
  objectRowsWritten: { name: 'Objects: rows written', included: 50e6, price: 1 },
} as const

type BilledName = keyof typeof BILLED

/** What a service does all day, beside waiting. */
export interface Load {
  /** What each second costs. */
  state: 'idle' | 'waiting'
  items: number
  /** Reads that an isolate answers from memory, and those for which the bucket is read. */
  warm: number
  cold: number
}

export interface Line {
  name: string
  included: number
  /** Dollars for a million. */
  price: number
  amount: number
  /** Dollars. */
  cost: number
}

/** What a month of 30 days uses and costs, for each thing that is billed. Pure. */
export function monthOf(metered: Metered, load: Load): Line[] {
  const { item, cold, warm } = metered
  // What waiting adds is the agents' own, whose CPU is not billed, but their GB-s.
  const stateOf = (name: keyof Usage) => metered[name === 'cpuMs' ? 'idle' : load.state][name]
  const amountOf = (name: keyof Usage) =>
    stateOf(name) * SECONDS + (item[name] * load.items + cold[name] * load.cold + warm[name] * load.warm) * DAYS
  return names().map((billed) => {
    const { name, included, price } = BILLED[billed]
    const amount = billed === 'objectGbSeconds' ? (amountOf('objectMs') / 1000) * OBJECT_GB : amountOf(billed)
    return { name, included, price, amount, cost: (Math.max(0, amount - included) * price) / 1e6 }
  })
}

/** Dollars a month, with what is fixed. */
export function totalOf(lines: readonly Line[]): number {
  return [...lines.map(({ cost }) => cost), ...FIXED.map(([, price]) => price)].reduce((sum, cost) => sum + cost, 0)
}

function names(): BilledName[] {
  return Object.keys(BILLED).filter((name): name is BilledName => name in BILLED)
}
