import { expect, it } from 'vitest'
import { longestPortion } from '../../bench/longest-portion.ts'

const nodes = ['(root)', 'decode', 'join', '(garbage collector)', '(program)'].map((functionName, id) => ({
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

it('what the runtime does for long while no function of the Worker has begun is no part of a portion, and for short is', () => {
  const at = (count: number) => [...Array.from({ length: count }, () => 4)]
  const profile = (program: number) => {
    const samples = [1, 1, ...at(program), 2, 2]
    return { nodes, samples, timeDeltas: samples.map(() => 60) }
  }
  expect(longestPortion(profile(2)).ms).toBe(0.3)
  expect(longestPortion(profile(100)).ms).toBe(0.24)
})

it('a profile without samples has no portion', () => {
  expect(longestPortion({ nodes, samples: [], timeDeltas: [] })).toEqual({ ms: 0, within: '' })
})
