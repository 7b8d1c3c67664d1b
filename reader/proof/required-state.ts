import type { Proven } from './verify-proof.ts'

/** What somebody asks to be proven: `buried`, or work of so many headers. */
export type Required = { state: 'buried' } | { state: 'worked'; depth: number }

/** Depth of `worked` where none is named. */
const USUAL_DEPTH = 6
const MOST_DEPTH = 12

/** `buried`, `worked`, or `worked 1` to `worked 12`; `undefined` for other text. */
export function parseRequired(text: string): Required | undefined {
  if (text === 'buried') return { state: 'buried' }
  const match = /^worked(?: ([1-9]\d?))?$/.exec(text)
  const depth = Number(match?.[1] ?? USUAL_DEPTH)
  return match && depth <= MOST_DEPTH ? { state: 'worked', depth } : undefined
}

/** Whether what was proven is enough; `buried` is enough for `worked`. */
export function satisfies(proven: Proven, required: Required): boolean {
  if (proven.state === 'buried') return true
  return required.state === 'worked' && proven.state === 'worked' && proven.depth >= required.depth
}

const RANK = { unproven: 0, worked: 1, buried: 2 } as const

/** The weakest of what was proven, of one or more. */
export function weakest(all: readonly [Proven, ...Proven[]]): Proven {
  return all.reduce((least, next) => {
    const difference = RANK[next.state] - RANK[least.state] || next.depth - least.depth
    return difference < 0 ? next : least
  })
}
