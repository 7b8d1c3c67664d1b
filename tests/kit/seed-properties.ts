import fc from 'fast-check'
import { inject } from 'vitest'
import type {} from './property-seed.ts'

// Before each file, so that every run tests properties with the same cases.
fc.configureGlobal({ seed: inject('propertySeed') })
