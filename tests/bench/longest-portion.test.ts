import { expect, it } from 'vitest'
import { longestPortion } from '../../bench/longest-portion.ts'

const nodes = ['(root)', 'decode', 'join', '(garbage collector)'].map((functionName, id) => ({
  id,
  callFrame: { functionName },
}))

it('the longest portion is the longest run of samples without a gap, and named after what it did most', () => {
  const profile = {
    nodes,
    samples: [1, 1, 2, 2, 3, 2, 1, 1],
    timeDeltas: [9_000, 60, 900, 60, 70, 80, 500, 60],
  }
  expect(longestPortion(profile)).toEqual({ ms: 0.21, within: 'join 75 %, (garbage collector) 25 %' })
})

it('a profile without samples has no portion', () => {
  expect(longestPortion({ nodes, samples: [], timeDeltas: [] })).toEqual({ ms: 0, within: '' })
})
