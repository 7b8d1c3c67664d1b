import fc from 'fast-check'
import { inject } from 'vitest'
import type {} from './property-seed.ts'

// Before each file: what it asserts of properties is asserted of the same cases in every run.
fc.configureGlobal({ seed: inject('propertySeed') })
