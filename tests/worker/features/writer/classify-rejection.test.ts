import { describe, expect, it } from 'vitest'
import type { BroadcastOutcome } from '../../../../worker/features/transactions/sign/broadcast-outcome.ts'
import { classifyRejection } from '../../../../worker/features/writer/send/classify-rejection.ts'

const WHAT = {
  item: { itemId: 'i', withdrawalId: undefined, seq: 0 },
  withdrawal: { itemId: undefined, withdrawalId: 'w', seq: 0 },
  bump: { itemId: undefined, withdrawalId: undefined, seq: 1 },
  consolidation: { itemId: undefined, withdrawalId: undefined, seq: 0 },
}
const WHEN = {
  first: { state: 'signed', attempts: 0, known: false },
  again: { state: 'signed', attempts: 1, known: false },
  known: { state: 'signed', attempts: 1, known: true },
  // The wallet is not asked for what a node has taken.
  sent: { state: 'sent', attempts: 1, known: false },
} as const

/** All that is true of the verdict on a transaction of this kind and in this state, in alphabetical order. */
function verdict(kind: BroadcastOutcome, what: keyof typeof WHAT, when: keyof typeof WHEN): string {
  const { known, ...state } = WHEN[when]
  const said = classifyRejection({ ...WHAT[what], ...state }, kind, known)
  return Object.entries(said)
    .filter(([, value]) => value)
    .map(([name]) => name)
    .sort()
    .join(' ')
}

const each = (kind: BroadcastOutcome, when: keyof typeof WHEN) =>
  (['item', 'withdrawal', 'bump'] as const).map((what) => verdict(kind, what, when))

describe('a transaction that the node did not take', () => {
  it('because of its fee is made anew where no node has it, each time, and its payer is told', () => {
    for (const when of ['first', 'again'] as const) {
      expect(each('cheap', when)).toEqual([
        ...['givenUp rests waits', 'givenUp rests waits', 'givenUp rejected rests waits'],
      ])
    }
    expect(each('cheap', 'known')).toEqual(['rests waits', 'rests waits', 'rests waits'])
    expect(each('cheap', 'sent')).toEqual(new Array(3).fill('crowdedOut rejected rests waits'))
  })

  it('because policy refuses it stops what it carries, where the wallet has never seen it', () => {
    for (const when of ['first', 'again'] as const) {
      expect(each('refused', when)).toEqual([
        ...['givenUp stops waits', 'givenUp rests stops waits', 'givenUp rejected rests waits'],
      ])
    }
    for (const when of ['known', 'sent'] as const) {
      expect(each('refused', when)).toEqual(new Array(3).fill('rests waits'))
    }
  })

  it('because another waits that spends its coin ends its tx chain, where nobody was given it before', () => {
    expect(each('conflict', 'first')).toEqual(['ends givenUp rests waits', 'ends givenUp rests waits', 'rests waits'])
    for (const when of ['again', 'known', 'sent'] as const) {
      expect(each('conflict', when)).toEqual(['waits', 'waits', 'rests waits'])
    }
  })

  it('is given up where it makes one coin of several and no node can have it, and stops nothing', () => {
    const refused = (kind: BroadcastOutcome) => verdict(kind, 'consolidation', 'first')
    expect((['cheap', 'refused', 'conflict'] as const).map(refused)).toEqual([
      ...['givenUp rests waits', 'givenUp rests waits', 'ends givenUp rests waits'],
    ])
    expect(verdict('conflict', 'consolidation', 'again')).toBe('waits')
  })

  it('because what it spends is not there is looked up; one with too many relatives waits, and what is not known is asked again', () => {
    for (const when of ['first', 'again', 'known', 'sent'] as const) {
      expect(each('missing', when)).toEqual(new Array(3).fill('orphaned waits'))
      expect(each('full', when)).toEqual(new Array(3).fill('rejected waits'))
      expect(each('unknown', when)).toEqual(new Array(3).fill(''))
    }
  })
})
